"""The demo left open: stories that run, wait, ask, finish and begin again, and never flood."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import unspool
from tests.cli.runs import stores_of
from tests.demo.generator.made import PRICES
from unspool.cli.idle_processes import idle_processes
from unspool.demo.script.files import Stage
from unspool.demo.script.player import play
from unspool.demo.stories.running_sessions import RUNNING
from unspool.engine.health import scan_oddities

BEGIN = datetime(2026, 11, 17, 12, tzinfo=UTC)
HOUR = 3_600.0
PIDS = (11, 12, 13, 14)


@dataclass
class Watch:
    """A clock that only sleeping moves; it notes what the registry says each time."""

    root: Path
    time: datetime = BEGIN
    pauses: list[float] = field(default_factory=list)
    states: list[dict[int, str]] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        self.pauses.append(seconds)
        self.states.append({one["pid"]: _state(one) for one in registry(self.root)})


def registry(root: Path) -> list[Any]:
    return [json.loads(path.read_bytes()) for path in sorted(root.glob("sessions/*.json"))]


def _state(entry: Any) -> str:
    waits: str = entry.get("waitingFor", "")
    return f"{entry['status']} {waits.partition(' ')[0]}".strip()


def played(root: Path, seconds: float, pids: tuple[int, ...] = PIDS) -> Watch:
    watch = Watch(root)
    play(Stage(root, PRICES), RUNNING, pids, watch.now, watch.sleep, seconds)
    return watch


@pytest.fixture(scope="module")
def two_hours(tmp_path_factory: pytest.TempPathFactory) -> Watch:
    return played(tmp_path_factory.mktemp("live") / "claude", 2 * HOUR)


def test_when_the_demo_begins_one_waits_one_asks_and_two_work(tmp_path: Path) -> None:
    with idle_processes(4) as pids:
        play(Stage(tmp_path, PRICES), RUNNING, pids, lambda: BEGIN, lambda _: None, 0)
        with unspool.open(tmp_path, now=BEGIN) as sessions:
            board = sessions.board()

    states = Counter(row.session.status.state for row in board.rows)
    waits = {row.waits_for for row in board.rows}
    assert states == {"waiting_for_approval": 2, "working": 2}
    assert any("git push origin rate-limits" in one for one in waits)
    assert any("Invoices have to be kept" in one for one in waits)


def test_four_sessions_are_there_nearly_all_the_time(two_hours: Watch) -> None:
    counts = [len(state) for state in two_hours.states]

    assert min(counts) >= 2
    pairs = zip(counts, two_hours.pauses, strict=True)
    assert sum(seconds for count, seconds in pairs if count == 4) > 0.95 * sum(two_hours.pauses)


def test_each_goes_to_waiting_and_back_or_finishes(two_hours: Watch) -> None:
    seen = {pid: {state.get(pid, "gone") for state in two_hours.states} for pid in PIDS}

    assert {"busy", "idle", "waiting permission"} <= seen[11]
    assert {"busy", "idle", "waiting answer"} <= seen[12]
    assert {"busy", "idle"} <= seen[13]
    assert {"busy", "idle"} <= seen[14]


def test_somebody_waits_for_the_reader_a_good_part_of_the_time(two_hours: Watch) -> None:
    pairs = zip(two_hours.states, two_hours.pauses, strict=True)
    waiting = sum(seconds for state, seconds in pairs if "waiting" in " ".join(state.values()))

    assert waiting > 2 * HOUR / 4


def test_agents_are_sent(two_hours: Watch) -> None:
    agents = [*two_hours.root.glob("projects/*/*/subagents/*.jsonl")]

    assert len(agents) >= 4


def test_something_happens_every_half_minute_or_so(two_hours: Watch) -> None:
    ordered = sorted(two_hours.pauses)

    assert ordered[len(ordered) // 2] < 30
    assert max(two_hours.pauses) < 600


def test_two_hours_do_not_flood(two_hours: Watch) -> None:
    files = [*two_hours.root.glob("projects/*/*.jsonl")]
    size = sum(path.stat().st_size for path in two_hours.root.rglob("*.jsonl"))
    spent = unspool.open(two_hours.root, now=two_hours.time).cost("day").total.spend

    assert 12 <= len(files) <= 30
    assert size < 2_000_000
    assert (spent.usd or 0) < 20


def test_what_is_written_is_whole(two_hours: Watch) -> None:
    assert scan_oddities(stores_of(two_hours.root).roots) == []
    rows = [*unspool.open(two_hours.root, now=two_hours.time).sessions()]
    assert {row.bad_lines for row in rows} == {0}


def test_after_some_hours_it_rests_with_every_session_open(tmp_path: Path) -> None:
    watch = played(tmp_path, 24 * HOUR)

    assert watch.time < BEGIN + timedelta(hours=16)
    assert [entry["status"] for entry in registry(tmp_path)] == ["idle"] * 4
    assert len([*tmp_path.glob("projects/*/*.jsonl")]) == 48


def test_a_player_that_is_started_again_leaves_what_is_there(tmp_path: Path) -> None:
    played(tmp_path, 600)
    before = {path: path.read_bytes() for path in tmp_path.glob("projects/*/*.jsonl")}
    played(tmp_path, 600)

    assert {path: path.read_bytes() for path in before} == before
    assert len([*tmp_path.glob("projects/*/*.jsonl")]) == 2 * len(before)


def test_the_same_moment_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        played(tmp_path / name, 900)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.jsonl")}
        for name in ("one", "two")
    )

    assert one == two
