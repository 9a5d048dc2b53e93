"""Whoever writes: the lock, both files open for writing, and what is doubtful about their place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from unspool.model.files import OutputFile
from unspool.model.rows import Segment, SourceRow
from unspool.store.sqlite.connection import INDEX, RAW, in_our_words, open_writer
from unspool.store.sqlite.lock import WriterLock, place_trouble
from unspool.store.sqlite.rebuild import NEW, discard, swap
from unspool.store.sqlite.writing.rows import cleaned
from unspool.store.sqlite.writing.segments import Segments, keep_outputs
from unspool.store.sqlite.writing.writer import SETTLE, Writer

Answer = TypeVar("Answer")


class Desk:
    """One for each home among all processes."""

    def __init__(self, home: Path, *, as_it_is: bool = False) -> None:
        self.home, self._raw_lock = home, Lock()
        note = place_trouble(home)
        self.trouble: tuple[str, ...] = (note,) if note else ()
        self._lock = WriterLock(home / "index.lock")
        with ExitStack() as undo:
            undo.callback(self._lock.release)
            self._raw = open_writer(home / RAW)
            undo.callback(self._raw.close)
            self._segments = Segments(self._raw)
            self._writer = Writer(open_writer(home / INDEX, as_it_is=as_it_is))
            undo.pop_all()

    def put(self, write: Callable[..., Answer], *given: Any) -> Answer:
        """Have the one writer of the index write; text that no database takes is mended first."""
        with in_our_words(self.home / INDEX):
            try:
                return write(self._writer, *given)
            except (UnicodeEncodeError, OverflowError):
                return write(self._writer, *map(cleaned, given))

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow]) -> None:
        """Keep raw bytes and the names of their files."""
        with in_our_words(self.home / RAW), self._raw_lock:
            self._segments.keep(segments, sources)

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        """Keep files of long tool outputs."""
        with in_our_words(self.home / RAW), self._raw_lock:
            keep_outputs(self._raw, outputs)

    def settle(self) -> None:
        """Move what was written out of the logs, which alone a power cut may cut short."""
        with in_our_words(self.home / RAW), self._raw_lock:
            self._raw.execute(SETTLE).fetchall()
        self.put(Writer.settle)

    @contextmanager
    def beside(self) -> Iterator[Desk]:
        """A desk for a new index, which takes the old one's place when all went well."""
        discard(self.home / NEW)
        fresh = Fresh(self)
        try:
            fresh.put(Writer.inherit, self._writer.head())
            yield fresh
        except BaseException:
            fresh.close()
            discard(self.home / NEW)
            raise
        fresh.close()

    def swap(self) -> None:
        """Let the new index take the old one's place."""
        with in_our_words(self.home / INDEX):
            self._writer.close()
            try:
                swap(self.home)
            finally:
                self._writer = Writer(open_writer(self.home / INDEX))

    def close(self) -> None:
        """Let go of files and lock. Safe to call twice."""
        self._raw.close()
        self._writer.close()
        self._lock.release()


class Fresh(Desk):
    """Another desk's archive, and an index of its own."""

    def __init__(self, desk: Desk) -> None:
        self.home, self.trouble = desk.home, ()
        self._raw, self._raw_lock, self._lock = desk._raw, desk._raw_lock, desk._lock
        self._segments = desk._segments
        self._writer = Writer(open_writer(desk.home / NEW))

    def close(self) -> None:
        """Let go of the new index alone."""
        self._writer.close()
