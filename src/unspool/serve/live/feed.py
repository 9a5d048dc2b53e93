"""The feed of the index -> messages to every client: read once, encoded once."""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, repeat
from time import monotonic
from typing import Final, TypeAlias

from litestar.concurrency import sync_to_thread
from msgspec import Raw, Struct

from unspool.engine.timeline.pages import Timelines
from unspool.engine.timeline.updates import TimelineUpdate, parts_of, spans_of
from unspool.model.live import (
    BoardUpdate,
    ByteRange,
    EventsUpdate,
    InvalidationReason,
    TimelineInvalidation,
)
from unspool.model.query import Change, SessionKey
from unspool.serve.context import ServerContext
from unspool.serve.live.client import Client, MessageEncoder, OutgoingMessage
from unspool.serve.live.rows import NO_ROWS, RowChange, RowFeed, StatusFeed
from unspool.source.forgotten import forgotten_ids

_AT_ONCE: Final = 500
# One that is further behind, be it a client that was away or we, has to fetch everything again.
_MAX_CHANGES: Final = 5_000
# An unfinished line may have been sent so many changes ago.
_LOOK_BACK: Final = 200
# How often rows of the list are sent at most, and looked at without any change.
_ROWS_EVERY, _ROWS_AT_LEAST = 0.5, 5.0
_ROWS_REST: Final = 4.0

_Changes: TypeAlias = list[Change]


class Feed:
    """Follows the index for all clients; what is not run in a thread runs in one event loop."""

    def __init__(self, context: ServerContext, timelines: Timelines) -> None:
        self._context, self._timelines, self._store = context, timelines, context.store
        self._encoder = MessageEncoder(context.redactor)
        self._rows = RowFeed(context.sessions, self._encoder)
        self._statuses = StatusFeed(context, self._encoder)
        self._clients: set[Client] = set()
        self._names: dict[str, SessionKey] = {}  # of subscribed sessions
        self._lock, self._polling = asyncio.Lock(), asyncio.Lock()
        self._seq = 0
        self._has_news, self._forgotten = True, context.forgotten()
        self._rows_at, self._rows_took, self._statuses_at = -1e9, 0.0, -1e9
        self._lists_told_at = monotonic()

    def client(self, *, lists: bool = True) -> Client:
        """One who is about to join."""
        return Client(self._replacement, lists=lists)

    def message(self, type: str, session_id: str | None, body: Struct) -> OutgoingMessage:
        """A message for one client, as of now."""
        return self._encoder.encode(type, self._seq, session_id, body)

    async def join(self, client: Client) -> int:
        """Let a client listen; first of all it gets the list, as of the seq that is returned."""
        if client.lists:
            async with self._polling:
                await self._poll_rows(_ROWS_EVERY)
        async with self._lock:
            if not self._clients:
                self._seq = await sync_to_thread(self._store.head)
            client.queue.put(self._encoder.encode("init", self._seq, None, self._list_for(client)))
            self._clients.add(client)
            return self._seq

    def leave(self, client: Client) -> None:
        """Forget a client."""
        self._clients.discard(client)
        for session in client.sessions.keys() | client.followed:
            self.unsubscribe(client, session)

    def _replacement(self, client: Client) -> Iterator[OutgoingMessage]:
        """What a client that was too slow gets instead of what it missed."""
        sessions: list[str | None] = [*sorted(client.sessions)] or [None]
        for session in sessions:
            yield self._invalidation(session, self._seq, "overflow")
        yield self._encoder.encode("init", self._seq, None, self._list_for(client))

    def _list_for(self, client: Client) -> Raw:
        return self._rows.rows if client.lists else NO_ROWS

    async def subscribe(self, client: Client, session_id: str, after: int | None) -> None:
        """Send a session's events from now on, or from where the client left off."""
        if session_id not in client.followed:
            client.followed.add(session_id)
            self._timelines.follow(session_id)
        await sync_to_thread(self._open, session_id)
        async with self._lock:
            if after is not None:
                for message in await sync_to_thread(self._missed, session_id, after, self._seq):
                    client.queue.put(message)
            client.sessions[session_id] = True

    async def hint(self, client: Client, session_id: str, after: int | None) -> None:
        """Say that a session has something new as soon as it has, but not what."""
        async with self._lock:
            self.unsubscribe(client, session_id)
            client.sessions[session_id] = False
            if after not in (None, self._seq):
                client.queue.put(self._hint_message(session_id, self._seq))

    def unsubscribe(self, client: Client, session_id: str) -> None:
        """Send no more of a session."""
        client.sessions.pop(session_id, None)
        if session_id in client.followed:
            client.followed.discard(session_id)
            self._timelines.unfollow(session_id)
        if not any(session_id in one.sessions for one in self._clients):
            self._names.pop(session_id, None)

    @property
    def has_clients(self) -> bool:
        """Whether anybody listens."""
        return bool(self._clients)

    async def tick(self) -> bool:
        """Send what is new; whether there may be more."""
        async with self._lock:
            if not self._clients:
                return False
            self._check_forgotten()
            head, changes = await sync_to_thread(self._changes)
            # A database that was restored, or whose standby was behind, has fewer than it said.
            if head - self._seq > _MAX_CHANGES or head < self._seq:
                self._skip_to(head)
                return False
            if changes:
                self._has_news = True
                self._send_hints(changes)
                wanted = self._wanted(events=True)
                sent = await sync_to_thread(self._messages, changes, wanted) if wanted else ()
                self._seq = changes[-1].seq
                for session, message in sent:
                    self._send(message, session, events=True)
            return len(changes) == _AT_ONCE

    def _check_forgotten(self) -> None:
        """Have rows and statuses looked at at once where sessions may be gone."""
        if self._context.renewal.check() or self._forgotten != self._context.forgotten():
            self._forgotten = self._context.forgotten()
            self._has_news, self._statuses_at = True, -1e9

    def _skip_to(self, head: int) -> None:
        """No client may believe that it has everything: it cannot catch up."""
        self._seq, self._has_news = head, True
        for client in self._clients:
            for session in client.sessions:
                client.queue.put(self._invalidation(session, head, "overflow"))

    def _wanted(self, *, events: bool) -> set[str]:
        every = (pair for client in self._clients for pair in client.sessions.items())
        return {session for session, wants in every if wants is events}

    def _send_hints(self, changes: Sequence[Change]) -> None:
        """Clients that fetch what is new themselves need not wait until others have it."""
        seq, wanted = changes[-1].seq, self._wanted(events=False)
        restarted = {change.session_id for change in changes if change.kind == "restart"}
        for session in {change.session_id for change in changes} & wanted:
            if session in restarted:
                message = self._invalidation(session, seq, "restarted")
            else:
                message = self._hint_message(session, seq)
            self._send(message, session, events=False)

    def _hint_message(self, session: str, seq: int) -> OutgoingMessage:
        nothing = EventsUpdate(events=(), positions=())
        return self._encoder.encode("event_added", seq, session, nothing)

    def _send(self, message: OutgoingMessage, session: str, *, events: bool) -> None:
        for client in self._clients:
            if client.sessions.get(session) is events:
                client.queue.put(message)

    async def poll(self) -> bool:
        """Look again at rows and statuses, if it is time to; events do not wait for that.

        Whether it was too soon to look at the board.
        """
        async with self._polling:
            is_early = False
            if any(client.lists for client in self._clients):
                await self._poll_rows(_ROWS_AT_LEAST)
                is_early = not await self._tell_of_board()
            await self._poll_statuses()
            return is_early

    async def _poll_statuses(self) -> None:
        """Sessions of clients without a list: of what is written they get hints."""
        every = {one for client in self._clients if not client.lists for one in client.sessions}
        if not every or monotonic() - self._statuses_at < _ROWS_AT_LEAST:
            return
        changes = await sync_to_thread(self._read_statuses, every)
        self._statuses_at = monotonic()
        for kind, session, data in changes:
            message = self._encoder.encode(kind, self._seq, session, data)
            for client in self._clients:
                if not client.lists and session in client.sessions:
                    client.queue.put(message)

    def _read_statuses(self, sessions: Collection[str]) -> list[RowChange]:
        names = {session: self._name(session) for session in sessions}
        changes = self._statuses.poll([name for name in names.values() if name is not None])
        for session in forgotten_ids(self._context.config.roots):
            if session in names and names[session] is None:  # the index does not have it any more
                changes += self._statuses.gone(("", session))
        return changes

    async def _poll_rows(self, at_least: float) -> None:
        since = monotonic() - self._rows_at
        rests = since < max(_ROWS_EVERY, _ROWS_REST * self._rows_took)
        if rests or not (self._has_news or since >= at_least):
            return
        self._has_news, begun = False, monotonic()
        changes = await sync_to_thread(self._rows.poll)
        self._rows_at = monotonic()
        self._rows_took = self._rows_at - begun
        if changes:
            self._lists_told_at = self._rows_at
        for kind, session, data in changes:
            message = self._encoder.encode(kind, self._seq, session, data)
            for client in self._clients:
                if client.lists and (kind != "session_updated" or session in client.sessions):
                    client.queue.put(message)

    async def _tell_of_board(self) -> bool:
        """Say that the board has changed, where no row has said so since; False: not so soon.

        The board watches the files itself, and may notice a change later than the index: a page
        that fetched it when a row changed has the board of before.
        """
        if monotonic() - self._lists_told_at < _ROWS_EVERY:
            return False
        if await sync_to_thread(self._board_changed_at) <= self._lists_told_at:
            return True
        self._lists_told_at = monotonic()
        message = self._encoder.encode("board_updated", self._seq, None, BoardUpdate())
        for client in self._clients:
            if client.lists:
                client.queue.put(message)
        return True

    def _board_changed_at(self) -> float:
        return self._context.board.changed_at

    def _changes(self) -> tuple[int, _Changes]:
        changes = self._store.changes(after=self._seq, limit=_AT_ONCE)
        is_unclear = len(changes) in (0, _AT_ONCE)
        return self._store.head() if is_unclear else self._seq, changes

    def _messages(self, changes: _Changes, wanted: set[str]) -> list[tuple[str, OutgoingMessage]]:
        """Messages in the order of the feed: a client that has one has all before it."""
        every = groupby(changes, lambda change: change.session_id)
        groups = [(session, list(some)) for session, some in every if session in wanted]
        sessions = {session for session, _ in groups}
        updates = {session: self._updates(session, groups) for session in sessions}
        return [
            (session, message)
            for session, group in groups
            for message in self._encoded(session, group, group[-1].seq, next(updates[session]))
        ]

    def _updates(
        self, session: str, groups: Sequence[tuple[str, _Changes]]
    ) -> Iterator[TimelineUpdate | None]:
        """An update for each group of a session; its timeline is read once for all of them."""
        mine = [group for one, group in groups if one == session]
        whole = self._update(session, [change for group in mine for change in group])
        if whole is None or len(mine) == 1:
            return repeat(whole)
        return parts_of(whole, map(spans_of, mine))

    def _update(
        self, session: str, changes: _Changes, before: Sequence[ByteRange] = ()
    ) -> TimelineUpdate | None:
        name = self._name(session, {change.project_id for change in changes})
        if name is None:
            return None
        return self._timelines.update(name, spans_of(changes), before)

    def _encoded(
        self, session: str, changes: _Changes, seq: int, update: TimelineUpdate | None
    ) -> Iterator[OutgoingMessage]:
        name = self._names.get(session)
        if update is None or name is None:
            return
        if any(change.kind == "restart" for change in changes):
            yield self._invalidation(session, seq, "restarted")
            return
        if update.is_too_long:
            yield self._invalidation(session, seq, "resume")
            return
        if update.is_inserted:
            yield self._invalidation(session, seq, "inserted")
        if not update.is_empty:
            body = EventsUpdate(
                events=tuple(self._timelines.shown(name, (event for _, event in update.added))),
                positions=tuple(position for position, _ in update.added),
                updated=tuple(self._timelines.shown(name, update.updated)),
                removed=tuple(update.removed),
            )
            yield self._encoder.encode("event_added", seq, session, body)

    def _missed(self, session: str, after: int, seq: int) -> list[OutgoingMessage]:
        """What brings a client that has seen everything up to `after` to where all others are."""
        if not 0 <= after <= seq or seq - after > _MAX_CHANGES:
            return [self._invalidation(session, seq, "resume")]
        first = max(0, after - _LOOK_BACK)
        changes = self._store.changes(after=first, limit=_MAX_CHANGES + _LOOK_BACK)
        mine = [one for one in changes if one.session_id == session and one.seq <= seq]
        missed = [one for one in mine if one.seq > after]
        before = spans_of(one for one in mine if one.seq <= after)
        update = self._update(session, missed, before) if missed else None
        return list(self._encoded(session, missed, seq, update))

    def _invalidation(
        self, session: str | None, seq: int, reason: InvalidationReason
    ) -> OutgoingMessage:
        body = TimelineInvalidation(reason=reason)
        return self._encoder.encode("timeline_invalidation", seq, session, body)

    def _open(self, session: str) -> None:
        """Open a timeline before all have to wait for it."""
        name = self._name(session)
        if name is not None:
            with self._timelines.open(name):
                pass

    def _name(self, session: str, projects: Collection[str] = ()) -> SessionKey | None:
        """A session that is not known yet may be soon, and its project may be known later."""
        known = self._names.get(session)
        if known is None or not known[0] or (projects and known[0] not in projects):
            rows = self._context.scope.sessions(session)
            if not rows:
                return None
            known = self._names[session] = rows[0].project_id, rows[0].session_id
        return known
