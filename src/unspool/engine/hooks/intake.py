"""Hook events that a caller sends -> the spool: checked, kept as sent, on disk when it returns."""

import re
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Condition
from typing import Final, TypeAlias
from uuid import NAMESPACE_URL, uuid5

from unspool.decode.hooks import hook_event
from unspool.derive.hooks import event_key, is_same, with_time
from unspool.derive.reading.clock import iso, millis
from unspool.engine.archive.reader import Archive
from unspool.engine.hooks.events import HookTail, checkpoints, is_forgotten_payload
from unspool.errors import EventTooLong, InvalidEvent
from unspool.model.hooks import EVENT_NAME, SESSION_ID, HookEvent
from unspool.model.live import EventReceipt
from unspool.source.forgotten import tombstones
from unspool.source.hook import LONGEST
from unspool.source.roots import FORGOTTEN
from unspool.source.spool import append
from unspool.store import Store

EventKey: TypeAlias = tuple[str, str]  # session and key of the event

_EVENT_NAME: Final = re.compile(EVENT_NAME)
_SESSION_ID: Final = re.compile(SESSION_ID)
_MAX_RECENT: Final = 10_000


class EventIntake:
    """Takes events from any thread, each once; `store` knows those of earlier runs."""

    def __init__(self, spool: Path, now: Callable[[], int], store: Store | None = None) -> None:
        self._spool, self._now, self._store = spool, now, store
        self._changed = Condition()
        self._busy: set[EventKey] = set()
        self._recent: OrderedDict[EventKey, tuple[int, int]] = OrderedDict()  # first and last time
        self._unindexed: dict[EventKey, list[int]] | None = None

    def take(self, body: bytes) -> EventReceipt:
        """Keep one event; InvalidEvent says what is wrong with it."""
        now = self._now()
        event = _checked(body, now)
        key, at = (event.session_id, event_key(event)), millis(event.timestamp) or 0
        with self._changed:
            self._changed.wait_for(lambda: key not in self._busy)
            self._busy.add(key)
        try:
            first = self._known(key, at)
            if first is None and not self._is_forgotten(body):
                self._keep(body, now)
            with self._changed:
                self._recent[key] = at if first is None else first, at
                if len(self._recent) > _MAX_RECENT:
                    self._recent.popitem(last=False)
            return _receipt(event, key, at if first is None else first, first is not None)
        finally:
            with self._changed:
                self._busy.discard(key)
                self._changed.notify_all()

    def _is_forgotten(self, body: bytes) -> bool:
        gone = tombstones(str(self._spool.parent / FORGOTTEN))
        return bool(gone) and is_forgotten_payload(gone)(body)

    def _known(self, key: EventKey, at: int) -> int | None:
        """When the same event was, if it was kept before, by this run or an earlier one."""
        with self._changed:
            first, last = self._recent.get(key, (None, 0))
        if first is not None and is_same(key[1], at, last):
            return first
        if self._store is None:
            return None
        times = [*self._spooled(self._store).get(key, ()), *self._store.hook_times(*key)]
        return next((then for then in times if is_same(key[1], at, then)), None)

    def _spooled(self, store: Store) -> dict[EventKey, list[int]]:
        """What earlier runs left for the index: read once, all that follows comes through us."""
        with self._changed:
            if self._unindexed is None:
                self._unindexed = {}
                directory = str(self._spool)
                tail = HookTail(checkpoints(directory, Archive(store)))
                for event in tail.spool(directory):
                    key = event.session_id, event_key(event)
                    self._unindexed.setdefault(key, []).append(millis(event.timestamp) or 0)
            return self._unindexed

    def _keep(self, body: bytes, now: int) -> None:
        if len(body) > LONGEST:
            raise EventTooLong("This event is too long to be kept.")
        append(self._spool, [body], now)


def _checked(body: bytes, now: int) -> HookEvent:
    event = hook_event(body)
    if event is None:
        raise InvalidEvent("Send a JSON object with hook_event_name, or with type and sessionId.")
    if not _EVENT_NAME.fullmatch(event.event):
        raise InvalidEvent("The event's type is not a name.")
    if not _SESSION_ID.fullmatch(event.session_id):
        raise InvalidEvent("The event does not name a session.")
    # What Claude Code says to hooks has no time.
    if millis(event.timestamp) is None and (event.timestamp or event.source != "stdin"):
        raise InvalidEvent("The event's timestamp is not a time in ISO 8601.")
    return with_time(event, now)


def _receipt(event: HookEvent, key: EventKey, at: int, is_known: bool) -> EventReceipt:
    uuid = uuid5(NAMESPACE_URL, ":".join((*key, str(at))))  # sent again, it is the same
    return EventReceipt(
        uuid=event.uuid[:128] or str(uuid),
        type=event.event_type,
        session_id=event.session_id,
        timestamp=iso(at) or "",
        tool_name=event.tool_name,
        subagent_id=event.agent_id,
        duration_ms=event.duration_ms,
        duplicate=is_known,
    )
