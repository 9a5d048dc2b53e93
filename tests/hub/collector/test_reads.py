"""Raw reads: only where they are allowed, of what was shipped, without secrets, and noted."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple

from tests.engine.indexing.roots import NOW
from tests.hub.collector.machine import LocalMachine
from unspool.demo import Transcript
from unspool.hub.collector.reads import READS, RawReads
from unspool.model.secondary import MOST_READ, RawPlace, ReadMessage

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Reading:
    """A machine with a session of two prompts, one with a secret."""

    def __init__(self, tmp_path: Path) -> None:
        self.machine, self.home = LocalMachine(tmp_path / "root"), tmp_path
        made = Transcript("s1", cwd="/work").user(f"use {SECRET}").user("and go on")
        made.save(self.machine.path)
        self.machine.sweep(NOW)
        (self.source,) = self.machine.store.sources()
        self.lines = made.bytes().splitlines(keepends=True)

    def place(self, number: int) -> RawPlace:
        offset = sum(map(len, self.lines[:number]))
        source = self.source
        return RawPlace(source.source_id, source.generation, offset, len(self.lines[number]))

    def ask(self, *places: RawPlace, **given: Any) -> tuple[bytes, str]:
        """What came of it, and why it did not."""
        about: dict[str, Any] = {"is_shipped": lambda _: True, "mode": "raw", "is_allowed": True}
        reads = RawReads(self.machine.store, home=self.home, now=lambda: NOW, **{**about, **given})
        found = list(reads.answer(ReadMessage(id="1", places=places, by="ada")))
        assert [one.more for one in found] == [True] * (len(found) - 1) + [False]
        return b"".join(part.data for one in found for part in one.items), found[-1].refused

    def notes(self) -> list[Any]:
        return [json.loads(line) for line in (self.home / READS).read_text().splitlines()]


def test_lines_are_given_and_noted(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    assert reading.ask(reading.place(0), reading.place(1)) == (b"".join(reading.lines), "")

    (note,) = reading.notes()
    assert (note["at"], note["by"], note["refused"]) == (NOW, "ada", "")
    assert note["places"][0][0] == reading.source.source_id
    assert (tmp_path / READS).stat().st_mode & 0o777 == 0o600


def test_in_mode_redacted_only_whole_lines_without_secrets(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    data, refused = reading.ask(reading.place(0), mode="redacted")
    assert (len(data), refused) == (len(reading.lines[0]), "")
    assert SECRET.encode() in reading.lines[0]
    assert SECRET.encode() not in data

    id, generation, offset, length = astuple(reading.place(1))
    for piece in (
        RawPlace(id, generation, offset + 1, length - 1),
        RawPlace(id, generation, offset, length - 1),
    ):
        assert reading.ask(piece, mode="redacted")[1].startswith("In this mode only whole lines")


@pytest.mark.parametrize("mode", ["metadata", "summary"])
def test_a_machine_that_sends_no_lines_gives_none(tmp_path: Path, mode: str) -> None:
    reading = Reading(tmp_path)

    refusal = f"This machine sends no lines, so none can be read: mode {mode}."
    assert reading.ask(reading.place(0), mode=mode) == (b"", refusal)


def test_what_is_not_allowed_is_refused_with_a_sentence_and_noted(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    place = reading.place(0)
    stranger = RawPlace(place.local_id + 1, 0, 0, 10)
    beyond = RawPlace(place.local_id, place.generation, 10_000, 10)
    large = RawPlace(place.local_id, 0, 0, MOST_READ)
    found = [
        reading.ask(place, is_allowed=False),
        reading.ask(place, is_shipped=lambda _: False),
        reading.ask(stranger),
        reading.ask(beyond),
        reading.ask(large, place),
    ]

    assert [data for data, _ in found] == [b""] * 5
    assert "allow_reads" in found[0][1]
    assert "private" in found[1][1]
    assert found[1] == found[2]
    assert "requested bytes do not exist" in found[3][1]
    assert "4,194,304" in found[4][1]
    assert [note["refused"] for note in reading.notes()] == [refused for _, refused in found]


def test_what_cannot_be_noted_is_not_given(tmp_path: Path) -> None:
    reading = Reading(tmp_path)
    (tmp_path / READS).symlink_to(tmp_path / "elsewhere")
    data, refused = reading.ask(reading.place(0))
    assert (data, READS in refused) == (b"", True)
