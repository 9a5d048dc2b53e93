"""The usage limits of the demo: they move, start again, and agree with what its sessions say."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import unspool
from unspool.cli.demo_quota import record_demo_quota
from unspool.demo.script.files import Stage
from unspool.demo.script.root import write_past
from unspool.demo.script.steps import OPUS
from unspool.demo.stories import PAST
from unspool.demo.stories.running_sessions import RUNNING
from unspool.derive.reading.clock import iso
from unspool.derive.usage.quota import paces
from unspool.engine.quota import latest_quota
from unspool.model.usage import Quota, QuotaPace
from unspool.source.prices import bundled

NOW = datetime(2026, 11, 18, 0, 20, tzinfo=UTC)  # its limit was reached on the day before


def recorded(home: Path, now: datetime) -> Quota:
    record_demo_quota(home, now)
    found = latest_quota(str(home))
    assert found is not None
    return found


def limits(home: Path, now: datetime) -> list[QuotaPace]:
    return paces(recorded(home, now), int(now.timestamp() * 1_000))


def test_both_windows_run_and_are_partly_used(tmp_path: Path) -> None:
    five, seven = limits(tmp_path, NOW)

    assert (five.window, seven.window) == ("5h", "7d")
    assert 40 < five.used < five.elapsed < 95
    assert 60 < seven.elapsed < seven.used < 95


def test_they_move_while_it_runs(tmp_path: Path) -> None:
    before = limits(tmp_path, NOW)
    after = limits(tmp_path, NOW + timedelta(minutes=10))

    assert [one.resets_at for one in after] == [one.resets_at for one in before]
    assert all(later.used > earlier.used for earlier, later in zip(before, after, strict=True))


@pytest.mark.parametrize("hours", [5, 24, 24 * 9])
def test_after_a_reset_the_next_window_begins(tmp_path: Path, hours: int) -> None:
    recorded(tmp_path, NOW)
    later = limits(tmp_path, NOW + timedelta(hours=hours))

    assert [one.window for one in later] == ["5h", "7d"]
    assert all(0 <= one.used <= 97 for one in later)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_past(Stage(tmp_path / "claude", json.loads(bundled())), PAST, NOW)
    return tmp_path / "claude"


def lines(root: Path) -> Iterator[dict[str, Any]]:
    for path in root.glob("projects/**/*.jsonl"):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def test_the_session_at_its_limit_waits_for_the_week_s_reset(root: Path, tmp_path: Path) -> None:
    every = (row.session.status for row in unspool.sessions(root, now=NOW))
    (status,) = (one for one in every if one.state == "limited")
    seven = recorded(tmp_path / "home", NOW).seven_day

    assert status.error == "You've hit your Opus limit · resets Nov 20, 9am (UTC)"
    assert seven is not None
    assert status.until == iso(seven.resets_at)


def test_after_that_limit_no_session_uses_its_model(root: Path) -> None:
    every = list(lines(root))
    (limit,) = [one["timestamp"] for one in every if "hit your Opus limit" in json.dumps(one)]
    used = [one["timestamp"] for one in every if one.get("message", {}).get("model") == OPUS]

    assert used
    assert max(used) < limit
    assert OPUS not in repr(RUNNING)
