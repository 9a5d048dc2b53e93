"""The list of sessions, newest first, a page at a time."""

from collections.abc import Iterator
from itertools import islice
from platform import node
from threading import Lock
from time import monotonic
from typing import Final

from msgspec import Struct, structs

from unspool.model.api import Marks, SessionItem
from unspool.model.listing import SessionSummary
from unspool.model.query import SessionListing
from unspool.recall import Recall
from unspool.recall.archive import Archive
from unspool.recall.listing import Listing
from unspool.serve.answers import Listed
from unspool.serve.desks import cursors
from unspool.serve.desks.around import Around
from unspool.serve.desks.marks import MarkBook

# Without any news a status changes too: who was silent long enough is idle.
_FRESH_MS: Final = 1_000
# Looking again after every line of every session must not be all there is time for.
_REST: Final = 4.0
_STILL_MS: Final = 3_600_000


class SessionsAsked(Struct, frozen=True, kw_only=True):
    """Which sessions."""

    project: str = ""  # a part of its id
    only: str = ""  # all of it
    status: str = ""
    machine: str = ""  # the only one is this
    words: str = ""  # in the title, the goal, the branch or the id
    pinned: bool = False  # only those
    hidden: bool = False  # these too
    cursor: str = ""
    limit: int = 50


class Place(Struct, frozen=True, array_like=True, order=True):
    """Where a row stands in the list."""

    end_time: str
    session_id: str
    project_id: str


class _Recall(Recall):
    """Sessions as they stand at a moment that moves on."""

    def at(self, now: int) -> None:
        self._setting = structs.replace(self._setting, now=now)


class _Listing(Listing):
    """Remembers the rows of sessions that have long been still, from one listing to the next."""

    kept: dict[tuple[str, str], tuple[int, SessionListing, SessionSummary]]

    def _kept(self, row: SessionListing) -> SessionSummary:
        key = row.project_id, row.session_id
        at, known, summary = self.kept.get(key, (0, None, None))
        if summary is not None and known == row and 0 <= self._now - at < _STILL_MS:
            return summary
        made = super()._kept(row)
        is_still = self._now - (row.last_activity or 0) > _STILL_MS
        if is_still and row.session_id not in self._live:
            self.kept[key] = self._now, row, made
        return made


class SessionList:
    """What the index knows, with how each session stands now."""

    def __init__(self, around: Around, marks: MarkBook | None = None) -> None:
        self._around = around
        self._marks = marks or MarkBook(around.home)
        self._lock = Lock()
        self._recall = _Recall(around.roots, around.prices, now=around.now(), home=around.user_home)
        self._kept: dict[tuple[str, str], tuple[int, SessionListing, SessionSummary]] = {}
        self._rows = Rows(iter(()))
        self._at, self._head = -_FRESH_MS, -1
        self._built_at = self._took = 0.0

    def page(self, asked: SessionsAsked) -> Listed[SessionItem]:
        """One page, and where the next one begins."""
        after = cursors.read(asked.cursor, Place)
        if asked.machine not in ("", node()):
            return Listed(items=())
        with self._lock:
            rows = self._fitting(asked)
            if after is not None:
                rows = (row for row in rows if _place(row) < after)
            found = list(islice(rows, asked.limit + 1))
        shown = found[: asked.limit]
        more = len(found) > len(shown)
        cursor = cursors.written(_place(shown[-1])) if more and shown else None
        return Listed(items=tuple(shown), next_cursor=cursor)

    def _fitting(self, asked: SessionsAsked) -> Iterator[SessionItem]:
        words, marks = asked.words.lower(), self._marks.all()
        wanted = (asked.only or asked.project).lower()
        for row in self._fresh():
            about = row.session
            if wanted in about.project_id.lower():
                item = _item(row, marks.get((about.project_id, about.id)))
                if _is_wanted(item, asked) and words in _said(item):
                    yield item

    def _fresh(self) -> "Rows":
        around, now, head = self._around, self._around.now(), self._around.store.head()
        is_old = head != self._head or not 0 <= now - self._at < _FRESH_MS
        if is_old and monotonic() - self._built_at >= self._took * _REST:
            begun = monotonic()
            archive = Archive(around.store)
            self._recall.at(now)
            self._recall.listen(around.spool, archive)
            listing = _Listing(archive, self._recall, around.roots, now)
            listing.kept = self._kept
            self._rows = Rows(listing.summaries())
            self._at, self._head = now, head
            self._built_at = monotonic()
            self._took = self._built_at - begun
        return self._rows


class Rows:
    """Rows that are made when they are first asked for, and then kept."""

    def __init__(self, rows: Iterator[SessionSummary]) -> None:
        self._rows, self._made = rows, list[SessionSummary]()

    def __iter__(self) -> Iterator[SessionSummary]:
        yield from self._made
        for row in self._rows:
            self._made.append(row)
            yield row


def _item(row: SessionSummary, marks: Marks | None) -> SessionItem:
    values = {name: getattr(row, name) for name in SessionSummary.__struct_fields__}
    if marks is None:
        return SessionItem(**values)
    if marks.title:
        values["session"] = structs.replace(row.session, title=marks.title)
    return SessionItem(**values, pinned=marks.pinned, hidden=marks.hidden)


def _is_wanted(item: SessionItem, asked: SessionsAsked) -> bool:
    about = item.session
    return (
        asked.only in ("", about.project_id)
        and asked.status in ("", about.status.state)
        and (asked.hidden or not item.hidden)
        and (item.pinned or not asked.pinned)
    )


def _said(row: SessionSummary) -> str:
    about = row.session
    return "\n".join((about.title, about.goal, about.git_branch, about.id)).lower()


def _place(row: SessionSummary) -> Place:
    about = row.session
    return Place(about.end_time or "", about.id, about.project_id)
