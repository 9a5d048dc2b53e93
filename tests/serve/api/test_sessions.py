from pathlib import Path

import pytest

from tests.cli.made import sweep
from tests.serve.served import Served, problem

ONE = "/api/sessions/-home-dev-kettle/session-one"


def test_the_list_has_items_and_a_cursor(site: Served) -> None:
    first = site.ask("/api/sessions?limit=1").json()
    second = site.ask(f"/api/sessions?limit=1&cursor={first['nextCursor']}").json()

    assert [row["session"]["id"] for row in first["items"]] == ["session-two"]
    assert [row["session"]["id"] for row in second["items"]] == ["session-one"]
    assert second["nextCursor"] is None


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ("since=2026-01-02", ["session-two"]),
        ("until=2026-01-01", ["session-one"]),
        ("branch=main", ["session-two", "session-one"]),
        ("branch=nowhere", []),
        ("model=SONNET", ["session-two", "session-one"]),
        ("model=nobody", []),
        ("least=1000", []),
        ("most=1000&sort=started", ["session-two", "session-one"]),
    ],
)
def test_the_list_can_be_narrowed_and_sorted(site: Served, asked: str, ids: list[str]) -> None:
    found = site.ask(f"/api/sessions?{asked}").json()

    assert [row["session"]["id"] for row in found["items"]] == ids


def test_a_session_is_its_document(site: Served) -> None:
    found = site.ask(ONE).json()

    assert set(found) == {
        "session", "metrics", "chunks", "toolExecutions", "subagents", "context", "turns",
        "diagnostics", "pinned", "hidden",
    }  # fmt: skip
    assert len(found["chunks"]) == 2


def test_a_window_is_a_part_of_it(site: Served) -> None:
    whole, part = site.ask(ONE).json(), site.ask(f"{ONE}?from=1&limit=1").json()

    assert part["chunks"] == whole["chunks"][1:2]
    assert part["metrics"] == whole["metrics"]


@pytest.mark.parametrize(
    "asked",
    [
        "/api/sessions?limit=0",
        "/api/sessions?limit=201",
        "/api/sessions?limit=x",
        "/api/sessions?status=asleep",
        "/api/sessions?sort=colour",
        "/api/sessions?since=yesterday",
        "/api/sessions?least=-1",
        "/api/sessions?most=nan",
        "/api/sessions?most=null",
        f"{ONE}?from=-1",
        f"{ONE}?limit=-1",
        f"{ONE}?limit=1001",
        "/api/sessions/-home-dev-kettle/a%00b",
        "/api/sessions/a%00b/session-one",
    ],
)
def test_what_cannot_be_asked_is_a_bad_request(site: Served, asked: str) -> None:
    answer = site.ask(asked)

    assert (answer.status_code, problem(answer)["status"]) == (400, 400)


@pytest.mark.parametrize(
    "name", ["nobody", "session", "session-one.jsonl", "-rf", "a%20b", "%2e%2e", "%2E%2E%5Cx"]
)
def test_a_session_nobody_knows_is_not_found(site: Served, name: str) -> None:
    answer = site.ask(f"/api/sessions/-home-dev-kettle/{name}")

    assert (answer.status_code, problem(answer)["title"]) == (404, "Not Found")


def test_a_session_that_is_in_no_file_and_no_archive_is_gone(
    site: Served, place: Path, home: Path
) -> None:
    sweep(place, "session-one")
    for path in (home / "unspool").glob("raw.db*"):
        path.unlink()
    answer = site.ask(ONE)

    assert (answer.status_code, problem(answer)["title"]) == (410, "Gone")


@pytest.mark.parametrize("cursor", ["x", "====", "é", "W10", "e30", "WzEsMl0", "a" * 999])
def test_a_cursor_nobody_gave_out_leads_nowhere(site: Served, cursor: str) -> None:
    assert site.ask("/api/sessions", params={"cursor": cursor}).status_code == 404
