import os
from pathlib import Path

from tests.cli.made import root
from tests.serve.served import Served
from tests.waiting import until
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso


def at_work(session: str = "busy") -> Transcript:
    """A session that has just been asked something."""
    now = iso(config.now() - 2_000) or ""
    return Transcript(session=session, cwd="/home/dev/kettle", start=now).user("do it")


def rows(site: Served) -> dict[str, str]:
    board = site.ask("/api/status").json()
    return {row["session"]["id"]: row["session"]["status"]["state"] for row in board["rows"]}


def test_sessions_that_have_long_been_still_are_not_on_the_board(site: Served, place: Path) -> None:
    for path in place.glob("projects/*/*.jsonl"):
        os.utime(path, (0, 0))

    assert rows(site) == {}


def test_a_session_that_begins_comes_onto_the_board(site: Served, place: Path) -> None:
    assert "busy" not in rows(site)
    root(place, at_work())

    assert until(lambda: rows(site).get("busy") == "working")
