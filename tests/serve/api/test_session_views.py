from pathlib import Path
from typing import Any

import pytest

from tests.cli.made import root, sweep
from tests.serve.served import Served, problem, served
from unspool.demo import Transcript

ONE = "/api/sessions/-home-dev-kettle/session-one"


def crowd() -> Transcript:
    """A session of forty calls in four turns."""
    made = Transcript(session="crowd")
    for turn in range(4):
        made.user(f"turn {turn}")
        for number in range(10):
            made.calls("Bash", command=f"echo {turn}-{number}").returns(f"out {turn}-{number}")
        made.says(f"done {turn}")
    return made


@pytest.fixture
def busy(tmp_path: Path) -> Any:
    with served(root(tmp_path / "busy", crowd())) as made:
        yield made


def pages(site: Served, path: str, limit: int) -> list[Any]:
    """All items of a list, page by page."""
    found, cursor = [], ""
    seen: set[str | None] = set()
    while cursor is not None:
        page = site.ask(path, params={"limit": limit, "cursor": cursor}).json()
        found += page["items"]
        cursor = page["nextCursor"]
        assert cursor not in seen, "it goes round in circles"
        seen.add(cursor)
    return found


def whole(site: Served) -> tuple[str, Any]:
    (row,) = site.ask("/api/sessions").json()["items"]
    path = f"/api/sessions/{row['session']['projectId']}/crowd"
    return path, site.ask(path).json()


@pytest.mark.parametrize(
    ("view", "part"),
    [("metrics", "metrics"), ("context", "context")],
)
def test_a_view_is_a_part_of_the_document(site: Served, view: str, part: str) -> None:
    assert site.ask(f"{ONE}/{view}").json() == site.ask(ONE).json()[part]


def test_turns_come_page_by_page(busy: Served) -> None:
    path, document = whole(busy)

    assert pages(busy, f"{path}/turns", 3) == document["turns"]


def test_calls_come_page_by_page_with_what_they_were_given_and_answered(busy: Served) -> None:
    path, document = whole(busy)

    assert len(document["toolExecutions"]) == 40
    assert pages(busy, f"{path}/tools", 7) == document["toolExecutions"]


def test_the_waterfall_has_a_bar_for_every_chunk_and_call(busy: Served) -> None:
    path, document = whole(busy)
    bars = busy.ask(f"{path}/waterfall").json()["items"]

    ids = [one["id"] for one in document["chunks"]]
    ids += [one["toolUseId"] for one in document["toolExecutions"]]
    assert sorted(bar["id"] for bar in bars) == sorted(ids)


def test_a_raw_line_is_the_line_of_the_file(site: Served, place: Path) -> None:
    lines = next(place.glob("projects/*/session-one.jsonl")).read_text().splitlines()
    found = site.ask(f"{ONE}/raw/2").json()

    assert (found["text"], found["number"], found["state"]) == (lines[1], 2, "entry")
    assert found["eventId"].endswith(f".0.{len(lines[0]) + 1}")


def test_a_line_of_a_swept_session_comes_from_the_archive(site: Served, place: Path) -> None:
    before = site.ask(f"{ONE}/raw/1").json()
    sweep(place, "session-one")

    assert site.ask(f"{ONE}/raw/1").json() == before


@pytest.mark.parametrize("number", [6, 999_999])
def test_a_line_beyond_the_end_is_not_found(site: Served, number: int) -> None:
    assert problem(site.ask(f"{ONE}/raw/{number}"))["status"] == 404


@pytest.mark.parametrize("view", ["raw/0", "turns?limit=0", "tools?limit=201", "metrics?agent=-"])
def test_a_view_that_cannot_be_is_a_bad_request(site: Served, view: str) -> None:
    assert problem(site.ask(f"{ONE}/{view}"))["status"] == 400


@pytest.mark.parametrize("view", ["metrics", "turns", "tools", "context", "waterfall", "raw/1"])
def test_a_view_of_nobody_is_not_found(site: Served, view: str) -> None:
    assert problem(site.ask(f"{ONE.replace('one', 'none')}/{view}"))["status"] == 404
    assert problem(site.ask(f"{ONE}/{view}", params={"agent": "nobody"}))["status"] == 404
