from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from tests.demo.generator.made import PRICES, readable
from unspool.demo.generator.root import RootBuilder, TranscriptWriter, UnevenClock
from unspool.demo.generator.words import Ids


def reel_in(directory: Path) -> TranscriptWriter:
    rng = Random(1)
    return TranscriptWriter(directory / "p" / "s.jsonl", rng, Ids(rng))


def test_lines_go_to_the_file_and_not_to_memory(tmp_path: Path) -> None:
    writer = reel_in(tmp_path)
    writer.user("a").says("b").close()

    assert [line["type"] for line in readable(writer.path.read_bytes())] == ["user", "assistant"]
    assert writer.dicts() == []


def test_size_and_lines_are_those_of_the_file(tmp_path: Path) -> None:
    writer = reel_in(tmp_path)
    writer.user("é").raw(b"").raw(b"half", newline=False).close()

    assert writer.size == writer.path.stat().st_size
    assert writer.line_count == 2


def test_held_lines_stay_off_the_file(tmp_path: Path) -> None:
    writer = reel_in(tmp_path)
    with writer.held() as held:
        writer.user("a").user("b")
    writer.user("c").close()

    assert len(held) == 2
    assert [line["message"]["content"] for line in readable(writer.path.read_bytes())] == ["c"]


def test_a_tape_remembers_the_lines(tmp_path: Path) -> None:
    writer = reel_in(tmp_path)
    writer.history = []
    writer.user("a").close()

    assert readable(writer.path.read_bytes()) == writer.history


def test_a_copied_line_becomes_the_next_lines_parent(tmp_path: Path) -> None:
    writer = reel_in(tmp_path)
    writer.copy({"type": "user", "uuid": "old"})
    writer.copy({"type": "mode"})
    writer.user("a").close()

    assert readable(writer.path.read_bytes())[2]["parentUuid"] == "old"


def test_the_envelope_can_change_half_way(tmp_path: Path) -> None:
    writer = reel_in(tmp_path)
    writer.user("a")
    writer.set(cwd="/elsewhere")
    writer.user("b").close()

    assert [line["cwd"] for line in readable(writer.path.read_bytes())] == ["/repo", "/elsewhere"]


def test_a_file_is_dated_by_its_last_line(tmp_path: Path) -> None:
    writer = reel_in(tmp_path)
    writer.at("2025-08-01T12:00:00Z").user("a").close()
    late = writer.path.stat().st_mtime - datetime(2025, 8, 1, 12, tzinfo=UTC).timestamp()

    assert 0 < late < 2


def test_a_clock_passes_midnight_when_it_is_near() -> None:
    clock = UnevenClock("2026-01-01T23:59:50Z", Random(1))
    clock.stay_within_day(5)
    stayed = clock.next.day
    clock.stay_within_day(30)

    assert (stayed, clock.next.day) == (1, 2)


def test_a_root_is_never_written_over_another(tmp_path: Path) -> None:
    RootBuilder(tmp_path, 1, PRICES).close()

    with pytest.raises(FileExistsError):
        RootBuilder(tmp_path, 1, PRICES)


def test_a_finished_file_is_counted(tmp_path: Path) -> None:
    root = RootBuilder(tmp_path, 1, PRICES)
    writer = root.writer(tmp_path / "projects" / "s.jsonl")
    root.finish(writer.user("a"))
    counts = root.close().counts

    assert counts == {"files": 1, "lines": 1, "bytes": writer.size}
    assert root.size == writer.size


def test_history_is_a_line_per_prompt(tmp_path: Path) -> None:
    root = RootBuilder(tmp_path, 1, PRICES)
    root.remember("hi", 1_000, "/repo", "s")
    root.close()
    line = readable((tmp_path / "history.jsonl").read_bytes())[0]

    assert (line["display"], line["timestamp"], line["project"]) == ("hi", 1_000, "/repo")


def test_small_files_are_text_or_json(tmp_path: Path) -> None:
    root = RootBuilder(tmp_path, 1, PRICES)
    text, listed = root.put("plans/a.md", "é\n"), root.put("todos/a.json", [{"a": 1}])
    root.close()

    assert text.read_bytes() == "é\n".encode()
    assert json.loads(listed.read_bytes()) == [{"a": 1}]
