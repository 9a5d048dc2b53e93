from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.made import root, talk
from tests.serve.pages.generated import Generated, got, looked, rows
from tests.serve.served import Served, served
from tests.show.webs import Seen
from unspool.demo import Transcript

ONE, TWO = "s--home-dev-kettle-session-one", "s--home-dev-kettle-session-two"


def every(made: Generated, path: str) -> list[str]:
    """The rows of all pages of a list."""
    found: list[str] = []
    while path:
        seen = made.page(path)
        found += rows(seen)
        more = [one["href"] for one in seen.all("a") if one.get("class") == "btn"]
        path = more[-1] if more and "cursor" in more[-1] else ""
    return found


def test_every_session_that_can_be_read_is_listed_once(made: Generated) -> None:
    found = every(made, "/sessions")
    shown = [id for id, told in made.sessions.items() if told["total"]["messages"]]

    assert len(found) == len(set(found))
    assert {f"s-{made.sessions[id]['projectId']}-{id}" for id in shown} <= set(found)


def test_a_row_has_the_true_cost_and_title(made: Generated) -> None:
    text = made.page("/sessions?sort=cost").text
    told = max(made.sessions.values(), key=lambda one: one["total"]["usdPico"])

    assert f"${told['total']['usdPico'] / 10**12:.2f}" in text
    assert told["title"] in text


@pytest.mark.parametrize("sort", ["", "started", "cost", "length", "tokens", "agents"])
def test_every_order_lists_the_same_sessions(made: Generated, sort: str) -> None:
    assert set(every(made, f"/sessions?sort={sort}")) == set(every(made, "/sessions"))


def test_the_dearest_comes_first_by_cost(made: Generated) -> None:
    costs = {
        f"s-{one['projectId']}-{id}": one["total"]["usdPico"] for id, one in made.sessions.items()
    }
    found = [costs.get(row, 0) for row in every(made, "/sessions?sort=cost")]

    assert found == sorted(found, reverse=True)


def test_sessions_of_one_project_are_those_the_truth_has(made: Generated) -> None:
    project = max(made.sessions.values(), key=lambda one: one["lines"])["projectId"]
    found = every(made, f"/sessions?project={quote(project)}")

    assert found == every(made, f"/projects/{quote(project)}")
    assert all(row.startswith(f"s-{project}-") for row in found)


def test_sessions_above_a_cost_are_those_the_truth_has(made: Generated) -> None:
    shown = set(every(made, "/sessions"))
    dear = {
        f"s-{one['projectId']}-{id}"
        for id, one in made.sessions.items()
        if one["total"]["usdPico"] >= 5 * 10**11
    }

    assert set(every(made, "/sessions?least=0.5")) == dear & shown


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("q=OF+SESSION-ONE", [ONE]),
        ("q=session-two", [TWO]),
        ("status=idle", [TWO, ONE]),
        ("status=working", []),
        ("branch=main", [TWO, ONE]),
        ("branch=other", []),
        ("model=sonnet", [TWO, ONE]),
        ("model=haiku", []),
        ("since=2026-01-02", [TWO]),
        ("until=2026-01-01", [ONE]),
        ("since=2026-01-01&until=2026-01-01", [ONE]),
        ("least=1000", []),
        ("project=-home-dev-kettle", [TWO, ONE]),
        ("project=kettle", [TWO, ONE]),
        ("project=teapot", []),
        ("show=pinned", []),
    ],
)
def test_sessions_are_filtered(site: Served, asked: str, expected: list[str]) -> None:
    assert rows(looked(site, f"/sessions?{asked}")) == expected
    assert rows(looked(site, f"/part/sessions?{asked}")) == expected


@pytest.mark.parametrize(
    "asked", ["status=asleep", "sort=luck", "since=soon", "until=2026-13-01", "least=much"]
)
def test_what_cannot_be_asked_is_a_page_that_says_so(site: Served, asked: str) -> None:
    answer = got(site, f"/sessions?{asked}")

    assert answer.status_code == 400
    assert "Bad request" in answer.text


def test_a_pinned_session_comes_first_and_a_hidden_one_not(site: Served) -> None:
    site.ask("/api/sessions/session-one", "PATCH", json={"pinned": True})
    site.ask("/api/sessions/session-two", "PATCH", json={"hidden": True})

    assert rows(looked(site, "/sessions")) == [ONE]
    assert rows(looked(site, "/sessions?show=hidden")) == [TWO, ONE]
    assert rows(looked(site, "/sessions?show=pinned")) == [ONE]


def test_the_part_is_the_list_alone(site: Served) -> None:
    part = looked(site, "/part/sessions")

    assert part.elements[0] == ("div", {"id": "list"})
    assert part.all("form") == []


def test_a_cursor_of_another_order_leads_nowhere(tmp_path: Path) -> None:
    made = [talk(f"session-{n}", day=n) for n in range(1, 4)]
    many = [Transcript(f"more-{n}").user("x").says("y") for n in range(60)]
    with served(root(tmp_path / "claude", *made, *many)) as site:
        more = [href for href in looked(site, "/sessions?sort=cost").hrefs if "cursor" in href]
        wrong = more[0].replace("sort=cost", "sort=started")

        assert looked(site, more[0])
        assert got(site, wrong).status_code == 404


def test_a_project_nobody_has_is_not_there(site: Served) -> None:
    assert got(site, "/projects/-nowhere").status_code == 404


def test_every_project_is_listed_with_the_sessions_it_has(made: Generated) -> None:
    seen: Seen = made.page("/projects")
    known = {one["projectId"] for one in made.sessions.values() if one["total"]["messages"]}

    assert {f"/projects/{quote(project)}" for project in known} <= set(seen.hrefs)


@pytest.mark.parametrize("id", ["session-one", "session-on"])
def test_an_id_or_its_beginning_leads_to_its_session(site: Served, id: str) -> None:
    answer = got(site, f"/jump?id={id}")

    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/s/-home-dev-kettle/session-one",
    )
    assert got(site, "/jump?id=nobody").status_code == 404
    assert got(site, "/jump?id=").status_code == 404


def test_a_session_is_found_under_the_day_it_was_last_active_on(site: Served) -> None:
    text = looked(site, "/sessions").text
    year = datetime.now().astimezone().year  # noqa: TID251 - days of this year have no year
    days = ("Thu 1 Jan", "Fri 2 Jan") if year == 2026 else ("1 Jan 2026", "2 Jan 2026")

    assert all(day in text for day in days)
