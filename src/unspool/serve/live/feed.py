"""The feed of the index -> messages to all who listen: read once, written once."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from time import monotonic
from typing import Final

from litestar.concurrency import sync_to_thread
from msgspec import Raw, Struct

from unspool.errors import NotFound
from unspool.model.live import ByteRange, EventsUpdate, InvalidationReason, TimelineInvalidation
from unspool.model.query import Change
from unspool.serve.desk import Desk
from unspool.serve.live.channel import Channel
from unspool.serve.live.messages import Pen, Written
from unspool.serve.live.news import news
from unspool.serve.live.rows import NONE, Rows
from unspool.serve.live.stands import Stands
from unspool.serve.timeline import Name, Timelines

_AT_ONCE: Final = 500
# Whoever was away for longer than so many changes or events fetches them again.
_MOST_CHANGES: Final = 5_000
_MOST_EVENTS: Final = 500
# An unfinished line may have been told of so many changes ago.
_LOOK_BACK: Final = 200
# A row of the list may be told so often at most; without any news it is looked at this often.
_ROWS_EVERY, _ROWS_AT_LEAST = 0.5, 5.0
_ROWS_REST: Final = 4.0


class Client:
    """Somebody who listens; whoever shows no list is told of no rows."""

    def __init__(self, feed: "Feed", *, lists: bool = True) -> None:
        self.lists = lists
        self.sessions: dict[str, bool] = {}  # and whether it is told of each event
        self.channel = Channel(lambda: feed.anew(self))


class Feed:
    """Reads the feed and tells it; all but `_read…` runs in one event loop."""

    def __init__(self, desk: Desk, timelines: Timelines) -> None:
        self._desk, self._timelines = desk, timelines
        self._pen = Pen(desk.around.redactor)
        self._rows, self._stands = Rows(desk.sessions, self._pen), Stands(desk, self._pen)
        self._clients: set[Client] = set()
        self._names: dict[str, Name] = {}
        self._lock, self._looking = asyncio.Lock(), asyncio.Lock()
        self._seq = 0
        self._is_dirty = True
        self._rows_at, self._rows_took, self._stood_at = -1e9, 0.0, -1e9

    def written(self, type: str, session_id: str | None, told: Struct) -> Written:
        """A message for one of them, as of now."""
        return self._pen.write(type, self._seq, session_id, told)

    async def join(self, client: Client) -> int:
        """Let somebody listen; first of all they get the list, which is as of the seq given."""
        if client.lists:
            async with self._looking:
                await self._look(_ROWS_EVERY)
        async with self._lock:
            if not self._clients:
                self._seq = await sync_to_thread(self._desk.around.store.head)
            client.channel.put(self._pen.write("init", self._seq, None, self._listed(client)))
            self._clients.add(client)
            return self._seq

    def leave(self, client: Client) -> None:
        """Forget somebody."""
        self._clients.discard(client)

    def anew(self, client: Client) -> Iterator[Written]:
        """What one who was too slow is told instead of what they missed."""
        told = TimelineInvalidation(reason="overflow")
        sessions: list[str | None] = [*sorted(client.sessions)] or [None]
        for session in sessions:
            yield self._pen.write("timeline_invalidation", self._seq, session, told)
        yield self._pen.write("init", self._seq, None, self._listed(client))

    def _listed(self, client: Client) -> Raw:
        return self._rows.listed if client.lists else NONE

    async def subscribe(self, client: Client, session_id: str, after: int | None) -> None:
        """Tell somebody of a session's events from now on, or from where they left off."""
        await sync_to_thread(self._warm, session_id)
        async with self._lock:
            if after is not None:
                for message in await sync_to_thread(self._missed, session_id, after, self._seq):
                    client.channel.put(message)
            client.sessions[session_id] = True

    async def hint(self, client: Client, session_id: str, after: int | None) -> None:
        """Tell somebody that a session has something new, as soon as it has, but not what."""
        async with self._lock:
            client.sessions[session_id] = False
            if after not in (None, self._seq):
                client.channel.put(self._hinted(session_id, self._seq))

    def unsubscribe(self, client: Client, session_id: str) -> None:
        """Tell no more of it."""
        client.sessions.pop(session_id, None)

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._clients)

    async def tick(self) -> bool:
        """Tell what is new; whether there may be more."""
        async with self._lock:
            if not self._clients:
                return False
            changes = await sync_to_thread(self._changes)
            if changes:
                self._is_dirty = True
                self._hint(changes)
                wanted = self._wanted(events=True)
                made = await sync_to_thread(self._told, changes, wanted) if wanted else ()
                self._seq = changes[-1].seq
                for session, message in made:
                    self._tell(message, session, events=True)
            return len(changes) == _AT_ONCE

    def _wanted(self, *, events: bool) -> set[str]:
        every = (pair for client in self._clients for pair in client.sessions.items())
        return {session for session, wants in every if wants is events}

    def _hint(self, changes: Sequence[Change]) -> None:
        """What is new takes a while to find in a long session: that something is does not."""
        seq, wanted = changes[-1].seq, self._wanted(events=False)
        restarted = {change.session_id for change in changes if change.kind == "restart"}
        for session in {change.session_id for change in changes} & wanted:
            anew = session in restarted
            told = self._invalid(session, seq, "restarted") if anew else self._hinted(session, seq)
            self._tell(told, session, events=False)

    def _hinted(self, session: str, seq: int) -> Written:
        return self._pen.write("event_added", seq, session, EventsUpdate(events=(), positions=()))

    def _tell(self, message: Written, session: str, *, events: bool) -> None:
        for client in self._clients:
            if client.sessions.get(session) is events:
                client.channel.put(message)

    async def look(self) -> None:
        """Look again at what pages show, if it is time to; events need not wait for that."""
        async with self._looking:
            if any(client.lists for client in self._clients):
                await self._look(_ROWS_AT_LEAST)
            await self._stand()

    async def _stand(self) -> None:
        """Sessions of those who show no list: of what is written they are told by hints."""
        every = {one for client in self._clients if not client.lists for one in client.sessions}
        if not every or monotonic() - self._stood_at < _ROWS_AT_LEAST:
            return
        told = await sync_to_thread(self._standing, every)
        self._stood_at = monotonic()
        for session, data in told:
            message = self._pen.write("session_updated", self._seq, session, data)
            for client in self._clients:
                if not client.lists and session in client.sessions:
                    client.channel.put(message)

    def _standing(self, sessions: Collection[str]) -> list[tuple[str, Raw]]:
        names = [name for session in sessions if (name := self._name(session)) is not None]
        return self._stands.look(names)

    async def _look(self, at_least: float) -> None:
        since = monotonic() - self._rows_at
        rests = since < max(_ROWS_EVERY, _ROWS_REST * self._rows_took)
        if rests or not (self._is_dirty or since >= at_least):
            return
        self._is_dirty, begun = False, monotonic()
        told = await sync_to_thread(self._rows.look)
        self._rows_at = monotonic()
        self._rows_took = self._rows_at - begun
        for kind, session, data in told:
            message = self._pen.write(kind, self._seq, session, data)
            for client in self._clients:
                if client.lists and (kind != "session_updated" or session in client.sessions):
                    client.channel.put(message)

    def _changes(self) -> list[Change]:
        return self._desk.around.store.changes(after=self._seq, limit=_AT_ONCE)

    def _told(self, changes: Sequence[Change], wanted: set[str]) -> list[tuple[str, Written]]:
        """Messages for changes, in their order: whoever has one has all before it."""
        made = []
        for session, some in groupby(changes, lambda change: change.session_id):
            if session in wanted:
                group = list(some)
                made += [(session, one) for one in self._of(session, group, group[-1].seq)]
        return made

    def _of(
        self, session: str, changes: Sequence[Change], seq: int, before: Sequence[ByteRange] = ()
    ) -> Iterator[Written]:
        name = self._name(session, {change.project_id for change in changes})
        if name is None:
            return
        restarts = any(change.kind == "restart" for change in changes)
        if restarts:
            self._timelines.forget(name)
        with self._timelines.open(name) as timeline:
            found = news(timeline, _spans(changes), self._timelines.shown, before)
        if restarts or len(found.told.events) > _MOST_EVENTS:
            yield self._invalid(session, seq, "restarted" if restarts else "resume")
            return
        if found.inserted:
            yield self._invalid(session, seq, "inserted")
        if found.is_any:
            yield self._pen.write("event_added", seq, session, found.told)

    def _missed(self, session: str, after: int, seq: int) -> list[Written]:
        """What one who has seen all up to `after` has to be told to be where all are."""
        if not 0 <= after <= seq or seq - after > _MOST_CHANGES:
            return [self._invalid(session, seq, "resume")]
        store, first = self._desk.around.store, max(0, after - _LOOK_BACK)
        changes = store.changes(after=first, limit=_MOST_CHANGES + _LOOK_BACK)
        mine = [one for one in changes if one.session_id == session and one.seq <= seq]
        missed = [one for one in mine if one.seq > after]
        before = _spans(one for one in mine if one.seq <= after)
        return list(self._of(session, missed, seq, before)) if missed else []

    def _invalid(self, session: str, seq: int, reason: InvalidationReason) -> Written:
        told = TimelineInvalidation(reason=reason)
        return self._pen.write("timeline_invalidation", seq, session, told)

    def _warm(self, session: str) -> None:
        """Open a timeline before all have to wait for it."""
        name = self._name(session)
        if name is not None:
            with self._timelines.open(name):
                pass

    def _name(self, session: str, projects: Collection[str] = ()) -> Name | None:
        """A session that is not known yet may be soon, and its project may be known later."""
        known = self._names.get(session)
        if known is None or not known[0] or (projects and known[0] not in projects):
            try:
                self._names[session] = self._timelines.name(session)
            except NotFound:
                return None
        return self._names[session]


def _spans(changes: Iterable[Change]) -> list[ByteRange]:
    return [
        ByteRange(one.source_id, one.generation, one.offset, one.end)
        for one in changes
        if one.source_id and one.end > one.offset
    ]
