"""Events handed in over HTTP -> the spool: checked, kept as sent, on disk before the answer."""

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
from unspool.engine.archive import Archive
from unspool.engine.hooks import HookTail, checkpoints
from unspool.model.hooks import EVENT_NAME, SESSION_ID, HookEvent
from unspool.model.live import EventReceipt
from unspool.serve.problems import BadRequest, Refused
from unspool.source.hook import LONGEST
from unspool.source.spool import append
from unspool.store import Store

Name: TypeAlias = tuple[str, str]  # session and key

_TYPE: Final = re.compile(EVENT_NAME)
_SESSION: Final = re.compile(SESSION_ID)
_MOST_REMEMBERED: Final = 10_000


class Intake:
    """Takes events from any thread; `store` knows those of earlier runs."""

    def __init__(self, spool: Path, now: Callable[[], int], store: Store | None = None) -> None:
        self._spool, self._now, self._store = spool, now, store
        self._turn = Condition()
        self._busy: set[Name] = set()
        self._taken: OrderedDict[Name, tuple[int, int]] = OrderedDict()  # first and last time
        self._waiting: dict[Name, list[int]] | None = None

    def take(self, body: bytes) -> EventReceipt:
        """Keep one event; BadRequest says what is wrong with it."""
        now = self._now()
        event = _checked(body, now)
        name, at = (event.session_id, event_key(event)), millis(event.timestamp) or 0
        with self._turn:
            self._turn.wait_for(lambda: name not in self._busy)
            self._busy.add(name)
        try:
            first = self._known(name, at)
            if first is None:
                self._keep(body, now)
            with self._turn:
                self._taken[name] = at if first is None else first, at
                if len(self._taken) > _MOST_REMEMBERED:
                    self._taken.popitem(last=False)
            return _answer(event, name, at if first is None else first, first is not None)
        finally:
            with self._turn:
                self._busy.discard(name)
                self._turn.notify_all()

    def _known(self, name: Name, at: int) -> int | None:
        """When the same event was, if it was kept before, by this run or an earlier one."""
        with self._turn:
            first, last = self._taken.get(name, (None, 0))
        if first is not None and is_same(name[1], at, last):
            return first
        if self._store is None:
            return None
        times = [*self._left(self._store).get(name, ()), *self._store.hook_times(*name)]
        return next((then for then in times if is_same(name[1], at, then)), None)

    def _left(self, store: Store) -> dict[Name, list[int]]:
        """What earlier runs left for the index: read once, all that follows comes through us."""
        with self._turn:
            if self._waiting is None:
                self._waiting = {}
                directory = str(self._spool)
                tail = HookTail(checkpoints(directory, Archive(store)))
                for event in tail.spool(directory):
                    name = event.session_id, event_key(event)
                    self._waiting.setdefault(name, []).append(millis(event.timestamp) or 0)
            return self._waiting

    def _keep(self, body: bytes, now: int) -> None:
        if len(body) > LONGEST:
            raise Refused(413, "This event is too long to be kept.")
        append(self._spool, [body], now)


def _checked(body: bytes, now: int) -> HookEvent:
    event = hook_event(body)
    if event is None:
        raise BadRequest("Send a JSON object with hook_event_name, or with type and sessionId.")
    if not _TYPE.fullmatch(event.event):
        raise BadRequest("The event's type is no name.")
    if not _SESSION.fullmatch(event.session_id):
        raise BadRequest("The event names no session.")
    # What Claude Code says to hooks has no time.
    if millis(event.timestamp) is None and (event.timestamp or event.source != "stdin"):
        raise BadRequest("The event's timestamp is no time in ISO 8601.")
    return with_time(event, now)


def _answer(event: HookEvent, name: Name, at: int, is_known: bool) -> EventReceipt:
    made = uuid5(NAMESPACE_URL, ":".join((*name, str(at))))  # sent again, it is the same
    return EventReceipt(
        uuid=event.uuid[:128] or str(made),
        type=event.event_type,
        session_id=event.session_id,
        timestamp=iso(at) or "",
        tool_name=event.tool_name,
        subagent_id=event.agent_id,
        duration_ms=event.duration_ms,
        duplicate=is_known,
    )
