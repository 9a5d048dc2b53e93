"""Events that are sent again to another run of the server: each is stored once."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.engine.hooks.test_intake import NOW, Clock
from tests.serve.served import Served, server_context
from unspool.cli.config import open_stores
from unspool.engine.hooks.intake import EventIntake
from unspool.engine.indexing.backfill import build
from unspool.model.live import EventReceipt
from unspool.source.spool import spool_files

ENVELOPE = {"type": "Stop", "sessionId": "s", "timestamp": "2026-01-01T10:00:00.000Z"}
CALL = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "t1", "tool_name": "Go"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


def run(site: Served, clock: Clock) -> EventIntake:
    """A server's intake as it is after a start."""
    around = site.context.config
    return EventIntake(Path(around.spool), clock, around.store)


def take(intake: EventIntake, event: dict[str, Any]) -> EventReceipt:
    return intake.take(json.dumps(event).encode())


def index(site: Served) -> None:
    """Take in what the spool has."""
    around = site.context.config
    build(open_stores().writing, around.roots, around.prices, around.now(), spool=around.spool)


def spooled(site: Served) -> int:
    """How many events lie in the spool."""
    files = spool_files(site.context.config.spool)
    return sum(Path(file.path).read_bytes().count(b"\n") for file in files)


@pytest.fixture(params=["in the spool", "in the index", "in the index alone"])
def kept(request: pytest.FixtureRequest, site: Served, clock: Clock) -> int:
    """Two events of an earlier run, wherever they lie by now; how many the spool has of them."""
    for event in (ENVELOPE, CALL):
        assert not take(run(site, clock), event).duplicate
    if request.param != "in the spool":
        index(site)
    if request.param == "in the index alone":
        for file in spool_files(site.context.config.spool):
            Path(file.path).unlink()
    return spooled(site)


@pytest.mark.parametrize("event", [ENVELOPE, CALL], ids=["enveloped", "told"])
def test_after_a_restart_the_same_event_is_known(
    site: Served, clock: Clock, kept: int, event: dict[str, Any]
) -> None:
    clock.now += 3_600_000
    again = take(run(site, clock), event)

    assert (again.duplicate, spooled(site)) == (True, kept)
    assert again.timestamp == (event.get("timestamp") or "2026-01-01T10:00:00.250Z")


@pytest.mark.usefixtures("kept")
def test_another_event_is_another(site: Served, clock: Clock) -> None:
    later = {**ENVELOPE, "timestamp": "2026-01-01T10:00:06.000Z"}

    assert not take(run(site, clock), later).duplicate
    assert not take(run(site, clock), {**CALL, "tool_use_id": "t2"}).duplicate


def test_one_name_of_its_own_is_enough(site: Served, clock: Clock) -> None:
    mine = {**ENVELOPE, "uuid": "mine"}
    take(run(site, clock), mine)
    index(site)

    assert take(run(site, clock), {**mine, "data": {"more": 1}}).duplicate


def test_the_same_event_from_many_at_once_is_stored_once(site: Served, clock: Clock) -> None:
    intake = run(site, clock)
    with ThreadPoolExecutor(16) as posters:
        taken = list(posters.map(lambda _: take(intake, ENVELOPE), range(64)))

    assert [one.duplicate for one in taken].count(False) == spooled(site) == 1


def test_no_index_is_no_trouble(tmp_path: Path) -> None:
    with server_context(tmp_path) as made:
        intake = EventIntake(tmp_path / "spool", lambda: NOW, made.config.store)

        assert not take(intake, CALL).duplicate
