from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.demo.generator.made import readable
from unspool.demo import live


class Watch:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 15, 12, tzinfo=UTC)
        self.sizes: list[int] = []
        self.root = Path()

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        self.sizes.append(sum(path.stat().st_size for path in self.root.rglob("*.jsonl")))


def played(root: Path, seconds: float, seed: int = 1) -> tuple[Path, Watch]:
    watch = Watch()
    watch.root = root
    return live(root, seed=seed, seconds=seconds, now=watch.now, sleep=watch.sleep), watch


def test_a_session_grows_line_by_line(tmp_path: Path) -> None:
    path, watch = played(tmp_path, 30)

    assert watch.sizes == sorted(set(watch.sizes))
    assert len(watch.sizes) == len(readable(path.read_bytes()))


def test_it_lasts_as_long_as_asked(tmp_path: Path) -> None:
    watch = played(tmp_path, 90)[1]

    assert watch.now() - datetime(2026, 11, 15, 12, tzinfo=UTC) == timedelta(seconds=90)


def test_lines_bear_the_time_they_were_written(tmp_path: Path) -> None:
    lines = readable(played(tmp_path, 12)[0].read_bytes())

    assert [lines[0]["timestamp"], lines[-1]["timestamp"]] == [
        "2026-11-15T12:00:00.000Z",
        "2026-11-15T12:00:11.000Z",
    ]


def test_every_call_is_answered(tmp_path: Path) -> None:
    lines = readable(played(tmp_path, 60)[0].read_bytes())
    blocks = [
        block for line in lines for block in line["message"]["content"] if block != str(block)
    ]
    asked = {block["id"] for block in blocks if block["type"] == "tool_use"}

    assert asked == {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
    assert len(asked) == 8


def test_another_seed_is_another_session(tmp_path: Path) -> None:
    assert played(tmp_path, 1)[0] != played(tmp_path, 1, seed=2)[0]
