"""`/files` and `/api/files`: every edit of every session, found by file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import root
from tests.serve.pages.generated import got, looked
from tests.serve.served import Served, served
from unspool.demo import Transcript


def editing(session: str, day: int, *paths: str) -> Transcript:
    made = Transcript(session, start=f"2026-01-{day:02d}T10:00:00.000Z", cwd="/home/dev/kettle")
    made.user(f"prompt of {session}")
    for path in paths:
        given = {"file_path": path, "old_string": "lid = 1", "new_string": f"lid = {day}"}
        made.calls("Edit", **given).returns("ok")
    return made


@pytest.fixture
def edited(tmp_path: Path) -> Iterator[Served]:
    lid, base = "/home/dev/kettle/src/lid.py", "/home/dev/kettle/base.py"
    many = [f"/home/dev/kettle/many/{n}.py" for n in range(30)]
    made = editing("one", 1, lid, base), editing("two", 2, lid), editing("many", 3, *many)
    with served(root(tmp_path, *made)) as site:
        yield site


def test_a_file_has_the_edits_of_every_session_newest_first(edited: Served) -> None:
    (lid,) = edited.ask("/api/files?path=LID").json()["items"]

    assert (lid["name"], lid["edits"], lid["sessions"]) == ("src/lid.py", 2, 2)
    assert [one["sessionId"] for one in lid["recent"]] == ["two", "one"]
    assert "input" not in lid["recent"][0]


def test_pages_of_files_follow_on(edited: Served) -> None:
    names, cursor = list[str](), ""
    while cursor is not None:
        page = edited.ask(f"/api/files?limit=7&cursor={cursor}").json()
        names += [one["name"] for one in page["items"]]
        cursor = page["nextCursor"]

    assert (len(names), len(set(names)), names[-2:]) == (32, 32, ["src/lid.py", "base.py"])


def test_the_page_shows_each_edit_with_its_diff_and_leads_to_its_step(edited: Served) -> None:
    made = looked(edited, "/files?path=src/lid.py")
    (lid,) = edited.ask("/api/files?path=lid").json()["items"]

    assert "2 edits in 2 sessions" in made.text
    assert len(made.all("table")) == 2
    for one in lid["recent"]:
        place = f"/s/-home-dev-kettle/{one['sessionId']}?at={one['eventId']}"
        assert place in made.hrefs
        assert got(edited, place).status_code == 303


def test_more_files_than_a_page_has_are_one_link_away(edited: Served) -> None:
    made = looked(edited, "/files")
    (more,) = [href for href in made.hrefs if "cursor=" in href]

    assert "src/lid.py" in "".join(looked(edited, more).text.split())


def test_projects_choose_and_what_is_not_there_is_not_found(edited: Served) -> None:
    assert "No matches" in looked(edited, "/part/files?project=elsewhere").text
    assert "many/" in looked(edited, "/part/files?project=kettle").text
    assert got(edited, "/files?cursor=x").status_code == 404


def test_a_secret_in_an_edit_is_not_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    made = Transcript("one", cwd="/home/dev/kettle").user("go")
    made.calls("Write", file_path="/home/dev/kettle/env", content=f"TOKEN={secret}").returns("ok")
    with served(root(tmp_path, made)) as site:
        page = got(site, "/files")

    assert page.status_code == 200
    assert "TOKEN" in page.text
    assert secret not in page.text
