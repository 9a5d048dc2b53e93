"""Searches; every line is clean before a piece of it is shown."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock, local
from time import monotonic
from typing import Final

from msgspec import Struct

from unspool.engine.redacted import RedactedArchive
from unspool.engine.search import Search
from unspool.engine.shown import Shown
from unspool.model.api import SearchAnswer
from unspool.model.query import SearchOrder, TextQuery
from unspool.model.rows import TextKind
from unspool.serve.desks import cursors
from unspool.serve.desks.around import Around

_LATEST: Final = 2**63 - 1
# Each may read many files; a long one must not keep all others waiting.
_AT_ONCE: Final = 3
# Files the index has read on in are read from the archive meanwhile, which takes a little longer.
_FRESH: Final = 2.0


class SearchAsked(Struct, frozen=True, kw_only=True):
    """What is looked for, and where. No patterns: one that runs away would stop everybody."""

    words: str
    project: str = ""
    session: str = ""
    kinds: tuple[TextKind, ...] = ()
    since: int | None = None
    until: int | None = None
    order: SearchOrder = "newest"
    cursor: str = ""
    limit: int = 20


class _Seat:
    """What one search at a time reads lines by."""

    def __init__(self, archive: RedactedArchive, head: int) -> None:
        self.archive, self._head = archive, head
        self._since = monotonic()

    def is_stale(self, head: int) -> bool:
        """Whether what it knows of files may no longer be so."""
        return head != self._head and monotonic() - self._since > _FRESH


class Searches:
    """A few searches at a time."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._roots = [root.path for root in around.roots]
        # Where the full-text index cannot tell, the store asks for the text itself.
        self._store = around.search_store(self._text)
        self._shown = Shown()
        self._lock, self._turns = Lock(), BoundedSemaphore(_AT_ONCE)
        self._idle: list[_Seat] = []
        self._here = local()

    def find(self, asked: SearchAsked) -> SearchAnswer:
        """A page of the lines that fit."""
        before = cursors.read(asked.cursor, int)
        query = TextQuery(
            terms=asked.words,
            project=asked.project,
            session=asked.session,
            kinds=asked.kinds,
            since=asked.since,
            until=asked.until,
            order=asked.order,
            limit=asked.limit,
            before=None if before is None else min(max(before, 0), _LATEST),
        )
        with self._archive() as archive:
            found = Search(self._store, archive, self._roots, self._shown).find(query)
        cursor = None if found.cursor is None else cursors.written(found.cursor)
        return SearchAnswer(items=found.items, next_cursor=cursor, is_partial=found.is_partial)

    @contextmanager
    def _archive(self) -> Iterator[RedactedArchive]:
        with self._turns:
            seat = self._seat(self._store.head())
            self._here.archive = seat.archive
            try:
                yield seat.archive
            finally:
                with self._lock:
                    self._idle.append(seat)

    def _seat(self, head: int) -> _Seat:
        """A free search, or a new one: an archive knows files as of its start."""
        with self._lock:
            seat = self._idle.pop() if self._idle else None
        if seat is not None and seat.is_stale(head):
            seat.archive.close()
            seat = None
        return seat or _Seat(RedactedArchive(self._store, self._around.redactor), head)

    def _text(self, source_id: int, generation: int, offset: int, length: int) -> str | None:
        archive: RedactedArchive = self._here.archive  # of this thread: it is the one that searches
        return archive.text(source_id, generation, offset, length)

    def close(self) -> None:
        """Let go of files and index."""
        with self._lock:
            for seat in self._idle:
                seat.archive.close()
            self._store.close()
