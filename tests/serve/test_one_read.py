"""A line that is appended is read and folded once by the server, whoever shows it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import stores_of
from tests.serve.live.listening import save
from tests.serve.served import Served, served
from tests.waiting import until
from unspool.cli import config
from unspool.demo import Transcript
from unspool.derive.reading.clock import iso
from unspool.derive.transcript import Delta, Line, TranscriptFold
from unspool.engine.indexing.indexer import Indexer
from unspool.model.files import TailRead
from unspool.source import tail
from unspool.source.safe_open import OpenFile

PROJECT = "-home-dev-kettle"
PAGE = f"/s/{PROJECT}/lately"
SESSION = f"/api/sessions/{PROJECT}/lately"
SURFACES = ["/api/status", "/", PAGE, SESSION]


@pytest.fixture
def made(place: Path) -> Transcript:
    """A session of today; long, so that its beginning is not all of it."""
    talk = Transcript("lately", "/home/dev/kettle", start=iso(config.now()) or "").user("go")
    for number in range(100):
        talk.says(f"answer {number}")
    talk.save(place)
    return talk


class Reads:
    """What was folded of a file from a place on, how many bytes were read on, and how often all."""

    def __init__(self, path: Path) -> None:
        self.path, self.start = str(path), path.stat().st_size
        self.lines = self.bytes = self.whole = 0

    def fold(self, lines: Sequence[Line]) -> None:
        """Count the lines that a fold is fed."""
        self.lines += sum(offset >= self.start for offset, _, _ in lines)

    def read(self, path: str, piece: TailRead) -> None:
        """Count the bytes that somebody reads on."""
        if path == self.path:
            self.bytes += max(0, piece.base + len(piece.data) - max(piece.base, self.start))

    def open(self, path: str, offset: int, data: bytes) -> None:
        """Count whoever reads the line, to fold it or to show it.

        The bytes before a place where reading goes on are looked at again each time, to see
        whether the file is still the same: so few are not the line.
        """
        if path == self.path and offset <= self.start:
            self.whole += offset + len(data) >= os.path.getsize(path) - 1


@contextmanager
def counted(path: Path) -> Iterator[Reads]:
    """Count what is read and folded of what is appended to a file."""
    reads, feed, read, open_read = Reads(path), TranscriptFold.feed, tail.read, OpenFile.read

    def feeding(fold: TranscriptFold, lines: Sequence[Line]) -> Delta:
        reads.fold(lines)
        return feed(fold, lines)

    def reading(file: Any, *given: Any, **named: Any) -> TailRead:
        piece = read(file, *given, **named)
        reads.read(str(file), piece)
        return piece

    def opening(file: OpenFile, offset: int, length: int) -> bytes:
        data = open_read(file, offset, length)
        reads.open(file.path, offset, data)
        return data

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TranscriptFold, "feed", feeding)
        patch.setattr(tail, "read", reading)
        patch.setattr(OpenFile, "read", opening)
        yield reads


@pytest.mark.parametrize("order", [SURFACES, SURFACES[::-1]], ids=["board first", "page first"])
def test_board_and_page_share_what_is_read(
    place: Path, made: Transcript, order: Sequence[str]
) -> None:
    path = next(place.glob("projects/*/lately.jsonl"))
    with served(place) as site:
        for surface in order:
            site.ask(surface)
        with counted(path) as reads:
            save(made.says("the last word"), place)
            shown = [until(partial(_shows_it, site, surface)) for surface in order]
            site.ask(f"{SESSION}/metrics")

    assert all(shown)
    assert (reads.lines, reads.bytes) == (1, path.stat().st_size - reads.start)
    # What it says is read again by page and document, each once: no fold keeps texts.
    assert reads.whole == 1 + 2


def test_the_writer_reads_and_folds_it_once(place: Path, made: Transcript) -> None:
    path, stores = next(place.glob("projects/*/lately.jsonl")), stores_of(place)
    store = stores.writing()
    indexer = Indexer(store, stores.roots, config.prices())
    indexer.sweep(config.now())
    with counted(path) as reads:
        save(made.says("the last word"), place)
        indexer.look([str(path)], config.now())
        indexer.sweep(config.now())
    store.close()

    assert (reads.lines, reads.bytes) == (1, path.stat().st_size - reads.start)
    assert reads.whole == 1


def _shows_it(site: Served, surface: str) -> bool:
    return "the last word" in site.ask(surface).text
