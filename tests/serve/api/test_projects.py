from pathlib import Path
from typing import Any

from tests.cli.made import root, talk
from tests.serve.served import Served, problem, served

KETTLE = "-home-dev-kettle"


def test_a_project_is_what_its_sessions_come_to(site: Served) -> None:
    (found,) = site.ask("/api/projects").json()["items"]
    rows = site.ask("/api/sessions").json()["items"]

    assert (found["id"], found["name"], found["sessions"]) == (KETTLE, "kettle", 2)
    assert found["metrics"]["totalTokens"] == sum(row["metrics"]["totalTokens"] for row in rows)
    assert found["lastActivity"] == rows[0]["session"]["endTime"]


def test_projects_come_newest_first_page_by_page(tmp_path: Path) -> None:
    made = [talk(f"s-{day}", day=day, cwd=f"/home/dev/p{day}") for day in (1, 2, 3)]
    with served(root(tmp_path, *made)) as site:
        first = site.ask("/api/projects?limit=2").json()
        rest = site.ask(f"/api/projects?limit=2&cursor={first['nextCursor']}").json()

    assert names(first) + names(rest) == ["p3", "p2", "p1"]
    assert rest["nextCursor"] is None


def test_the_sessions_of_a_project_are_its_own(tmp_path: Path) -> None:
    made = root(tmp_path, talk(), talk("other", cwd="/home/dev/kettle-two"))
    with served(made) as site:
        found = site.ask(f"/api/projects/{KETTLE}/sessions").json()["items"]

    assert [row["session"]["id"] for row in found] == ["session-one"]


def test_a_project_nobody_knows_is_not_found(site: Served) -> None:
    assert problem(site.ask("/api/projects/-home-dev/sessions"))["status"] == 404


def names(page: Any) -> list[str]:
    return [project["name"] for project in page["items"]]
