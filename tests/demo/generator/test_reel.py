from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random

from tests.demo.generator.made import readable
from unspool.demo.generator.ids import Ids
from unspool.demo.generator.reel import Reel, UnevenClock


def reel_in(directory: Path) -> Reel:
    rng = Random(1)
    return Reel(directory / "p" / "s.jsonl", rng, Ids(rng))


def test_lines_go_to_the_file_and_not_to_memory(tmp_path: Path) -> None:
    reel = reel_in(tmp_path)
    reel.user("a").says("b").close()

    assert [line["type"] for line in readable(reel.path.read_bytes())] == ["user", "assistant"]
    assert reel.dicts() == []


def test_size_and_lines_are_those_of_the_file(tmp_path: Path) -> None:
    reel = reel_in(tmp_path)
    reel.user("é").raw(b"").raw(b"half", newline=False).close()

    assert reel.size == reel.path.stat().st_size
    assert reel.line_count == 2


def test_held_lines_stay_off_the_file(tmp_path: Path) -> None:
    reel = reel_in(tmp_path)
    with reel.held() as held:
        reel.user("a").user("b")
    reel.user("c").close()

    assert len(held) == 2
    assert [line["message"]["content"] for line in readable(reel.path.read_bytes())] == ["c"]


def test_a_tape_remembers_the_lines(tmp_path: Path) -> None:
    reel = reel_in(tmp_path)
    reel.tape = []
    reel.user("a").close()

    assert readable(reel.path.read_bytes()) == reel.tape


def test_a_copied_line_becomes_the_next_lines_parent(tmp_path: Path) -> None:
    reel = reel_in(tmp_path)
    reel.copy({"type": "user", "uuid": "old"})
    reel.copy({"type": "mode"})
    reel.user("a").close()

    assert readable(reel.path.read_bytes())[2]["parentUuid"] == "old"


def test_the_envelope_can_change_half_way(tmp_path: Path) -> None:
    reel = reel_in(tmp_path)
    reel.user("a")
    reel.set(cwd="/elsewhere")
    reel.user("b").close()

    assert [line["cwd"] for line in readable(reel.path.read_bytes())] == ["/repo", "/elsewhere"]


def test_a_file_is_dated_by_its_last_line(tmp_path: Path) -> None:
    reel = reel_in(tmp_path)
    reel.at("2025-08-01T12:00:00Z").user("a").close()
    late = reel.path.stat().st_mtime - datetime(2025, 8, 1, 12, tzinfo=UTC).timestamp()

    assert 0 < late < 2


def test_a_clock_passes_midnight_when_it_is_near() -> None:
    clock = UnevenClock("2026-01-01T23:59:50Z", Random(1))
    clock.stay_within_day(5)
    stayed = clock.next.day
    clock.stay_within_day(30)

    assert (stayed, clock.next.day) == (1, 2)
