from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.demo.generator.made import readable
from unspool.demo import live

BEGIN = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Watch:
    """A clock that only sleeping moves; it looks at the registry each time."""

    def __init__(self, root: Path) -> None:
        self.time = BEGIN
        self.root = root
        self.sizes: list[int] = []
        self.states: list[str] = []

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        self.sizes.append(sum(path.stat().st_size for path in self.root.rglob("*.jsonl")))
        self.states += [entry["status"] for entry in entries(self.root)]


def entries(root: Path) -> list[Any]:
    return [json.loads(path.read_bytes()) for path in sorted(root.glob("sessions/*.json"))]


def hooks(root: Path) -> list[Any]:
    return [readable(path.read_bytes()) for path in sorted(root.glob("hooks/*/*.hooks.jsonl"))]


def played(root: Path, seconds: float, seed: int = 1, pids: tuple[int, ...] = (7,)) -> Watch:
    watch = Watch(root)
    live(root, seed=seed, seconds=seconds, pids=pids, now=watch.now, sleep=watch.sleep)
    return watch


def only(root: Path) -> Path:
    [path] = root.glob("projects/*/*.jsonl")
    return path


def test_a_session_grows_step_by_step(tmp_path: Path) -> None:
    sizes = played(tmp_path, 30).sizes

    assert sizes == sorted(sizes)
    assert len(set(sizes)) >= 10


def test_it_lasts_as_long_as_asked(tmp_path: Path) -> None:
    lasted = played(tmp_path, 90).now() - BEGIN

    assert abs(lasted - timedelta(seconds=90)) < timedelta(milliseconds=1)


def test_lines_bear_the_time_they_were_written(tmp_path: Path) -> None:
    played(tmp_path, 23)
    lines = readable(only(tmp_path).read_bytes())

    assert lines[0]["timestamp"] == "2026-11-15T12:00:01.000Z"
    assert lines[-1]["timestamp"] == "2026-11-15T12:00:21.000Z"


def test_no_two_lines_or_calls_have_one_id(tmp_path: Path) -> None:
    played(tmp_path, 60, pids=(7, 8))
    lines = [
        line for path in tmp_path.glob("projects/*/*.jsonl") for line in readable(path.read_bytes())
    ]
    blocks = [
        block for line in lines for block in line["message"]["content"] if block != str(block)
    ]
    ids = [line["uuid"] for line in lines]
    ids += [block["id"] for block in blocks if block["type"] == "tool_use"]

    assert None not in ids
    assert len(set(ids)) == len(ids)


def test_every_call_is_answered(tmp_path: Path) -> None:
    played(tmp_path, 60)
    lines = readable(only(tmp_path).read_bytes())
    blocks = [
        block for line in lines for block in line["message"]["content"] if block != str(block)
    ]
    asked = {block["id"] for block in blocks if block["type"] == "tool_use"}

    assert asked == {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
    assert len(asked) == 8


def test_the_registry_tells_how_it_stands_and_forgets_it_at_the_end(tmp_path: Path) -> None:
    states = played(tmp_path, 20).states
    changes = [state for n, state in enumerate(states) if states[n - 1 : n] != [state]]

    assert changes == ["idle", "busy", "waiting", "busy", "idle"]
    assert entries(tmp_path) == []


def test_hooks_tell_of_the_request_and_of_the_end(tmp_path: Path) -> None:
    played(tmp_path, 20)
    [told] = hooks(tmp_path)
    request = next(line for line in told if line["eventType"] == "PermissionRequest")

    assert request["input"]["tool_name"] == "Bash"
    assert "tool_use_id" not in request["input"]
    assert [told[0]["eventType"], told[-1]["eventType"]] == ["SessionStart", "SessionEnd"]


def test_several_sessions_run_at_once_each_with_its_process(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    paths = live(tmp_path, seconds=20, pids=(7, 8, 9), now=watch.now, sleep=watch.sleep)

    assert len({path.parent for path in paths}) == 3
    assert len(hooks(tmp_path)) == 3
    assert set(watch.states) == {"idle", "busy", "waiting"}


def test_the_context_grows(tmp_path: Path) -> None:
    played(tmp_path, 20)
    lines = readable(only(tmp_path).read_bytes())
    read = [
        line["message"]["usage"]["cache_read_input_tokens"]
        for line in lines
        if line["type"] == "assistant"
    ]

    assert read == sorted(read)
    assert read[0] < read[-1]


def test_another_seed_is_another_session(tmp_path: Path) -> None:
    played(tmp_path, 1)
    played(tmp_path, 1, seed=2)

    assert len(list(tmp_path.glob("projects/*/*.jsonl"))) == 2
