"""Searches; every line is clean before a piece of it is shown."""

from threading import Lock
from typing import Final

from msgspec import Struct

from unspool.model.api import SearchAnswer
from unspool.model.query import Order, TextQuery
from unspool.model.rows import TextKind
from unspool.recall.archive import Archive
from unspool.recall.search import Search
from unspool.redact import Redactor
from unspool.serve.desks import cursors
from unspool.serve.desks.around import Around
from unspool.store import Store
from unspool.store.sqlite.store import SqliteStore

_LATEST: Final = 2**63 - 1


class SearchAsked(Struct, frozen=True, kw_only=True):
    """What is looked for, and where. No patterns: one that runs away would stop everybody."""

    words: str
    project: str = ""
    session: str = ""
    kinds: tuple[TextKind, ...] = ()
    since: int | None = None
    until: int | None = None
    order: Order = "newest"
    cursor: str = ""
    limit: int = 20


class Covered(Archive):
    """Lines without their secrets: a piece of a line may not show what led to one."""

    def __init__(self, store: Store, redactor: Redactor) -> None:
        super().__init__(store)
        self._redactor = redactor

    def line(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """The bytes of one line; None where neither file nor archive has them."""
        data = super().line(source_id, generation, offset, length)
        return data if data is None else self._redactor.json(data)


class Searches:
    """One search at a time: each may read many files."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._lock = Lock()
        self._head = -1
        # Where the full-text index cannot tell, the store asks for the text itself.
        self._store = SqliteStore(around.home, mode="ro", bodies=self._text)
        self._archive = Covered(self._store, around.redactor)

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
        roots = [root.path for root in self._around.roots]
        with self._lock:
            self._look_again()
            found = Search(self._store, self._archive, roots).find(query)
        # The best of all are no stretch of time that a next page could follow on.
        is_over = found.cursor is None or asked.order == "ranked"
        cursor = None if is_over else cursors.written(found.cursor)
        return SearchAnswer(items=found.items, next_cursor=cursor, is_partial=found.is_partial)

    def _look_again(self) -> None:
        """What the archive knows of files is as of its first question."""
        head = self._store.head()
        if head != self._head:
            self._archive.close()
            self._archive = Covered(self._store, self._around.redactor)
            self._head = head

    def _text(self, source_id: int, generation: int, offset: int, length: int) -> str | None:
        return self._archive.text(source_id, generation, offset, length)

    def close(self) -> None:
        """Let go of files and index."""
        with self._lock:
            self._archive.close()
            self._store.close()
