"""Events handed in over HTTP -> the spool: checked, completed, and on disk before the answer."""

import re
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Condition
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from unspool.decode.hooks import hook_event
from unspool.decode.lenient import members
from unspool.decode.values import sound
from unspool.derive.reading.clock import iso, millis
from unspool.model.handed import NAME, SESSION
from unspool.model.hooks import HookEvent
from unspool.model.live import Taken
from unspool.serve.posted import Posted
from unspool.serve.problems import BadRequest, Refused
from unspool.source.hook import LONGEST
from unspool.source.spool import append

_TYPE: Final = re.compile(NAME)
_SESSION: Final = re.compile(SESSION)
_POSTS: Final = frozenset({"post_tool_use", "post_tool_use_failure"})
_AGAIN_MS: Final = 5_000
_MOST_SESSIONS: Final = 1_000
_MOST_BEGUN: Final = 1_000
_MOST_REMEMBERED: Final = 10_000


class _Running:
    """What has begun in one session and not ended: calls by id, agents the newest last."""

    def __init__(self) -> None:
        self.calls: OrderedDict[tuple[str, str], int] = OrderedDict()
        self.agents: OrderedDict[str, int] = OrderedDict()
        self.tells_agents = False  # its tool events name the agent they are of

    def complete(self, event: HookEvent, at: int) -> HookEvent:
        """An event with the agent and the time that what came before it tell."""
        type, agent = event.event_type, event.agent_id
        call = agent, event.tool_use_id or event.tool_name
        if type == "subagent_start":
            self.agents[agent] = at
            _trim(self.agents)
        elif type == "subagent_stop":
            agent = agent if agent in self.agents else next(reversed(self.agents), agent)
            event = _took(event, at, self.agents.pop(agent, None))
            return replace(event, agent_id=event.agent_id or agent)
        elif type == "pre_tool_use":
            self.calls[call] = at
            _trim(self.calls)
        elif type in _POSTS:
            event = _took(event, at, self.calls.pop(call, None))
        return self._placed(event)

    def _placed(self, event: HookEvent) -> HookEvent:
        """Older versions do not say whose tool it is: then it is the agent's that runs."""
        if not event.tool_name:
            return event
        self.tells_agents |= bool(event.agent_id)
        if event.agent_id or self.tells_agents or not self.agents:
            return event
        return replace(event, agent_id=next(reversed(self.agents)))


class Intake:
    """Takes events from any thread."""

    def __init__(self, spool: Path, now: Callable[[], int], posted: Posted | None = None) -> None:
        self._spool, self._now, self._posted = spool, now, posted
        self._turn = Condition()
        self._busy: set[str] = set()
        self._sessions: OrderedDict[str, _Running] = OrderedDict()
        self._taken: OrderedDict[str, Taken] = OrderedDict()

    def take(self, body: bytes) -> Taken:
        """Keep one event; BadRequest says what is wrong with it."""
        now = self._now()
        event, at = _checked(body, now)
        with self._turn:
            self._turn.wait_for(lambda: event.uuid not in self._busy)
            known = self._taken.get(event.uuid)
            if known is not None:
                return replace(known, duplicate=True)
            self._busy.add(event.uuid)
        try:
            before = self._posted.find(event, at) if self._posted else None
            taken = self._remembered(before or self._kept(event, at, now))
            return replace(taken, duplicate=before is not None)
        finally:
            with self._turn:
                self._busy.discard(event.uuid)
                self._turn.notify_all()

    def _kept(self, event: HookEvent, at: int, now: int) -> HookEvent:
        with self._turn:
            event = self._running(event.session_id).complete(event, at)
        payload = _payload(event)
        if len(payload) > LONGEST:
            raise Refused(413, "This event is too long to be kept.")
        append(self._spool, [payload], now)
        return event

    def _remembered(self, event: HookEvent) -> Taken:
        with self._turn:
            taken = self._taken[event.uuid] = _taken(event)
            if len(self._taken) > _MOST_REMEMBERED:
                self._taken.popitem(last=False)
            if event.event_type == "session_end":
                self._sessions.pop(event.session_id, None)
        return taken

    def _running(self, session_id: str) -> _Running:
        running = self._sessions.setdefault(session_id, _Running())
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return running


def _checked(body: bytes, now: int) -> tuple[HookEvent, int]:
    event = hook_event(body)
    if event is None:
        raise BadRequest("Send a JSON object with hook_event_name, or with type and sessionId.")
    if not _TYPE.fullmatch(event.event):
        raise BadRequest("The event's type is no name.")
    if not _SESSION.fullmatch(event.session_id):
        raise BadRequest("The event names no session.")
    at = _moment(event, now)
    uuid = _uuid(event, body, now)
    return replace(event, uuid=uuid, timestamp=iso(at) or ""), at


def _moment(event: HookEvent, now: int) -> int:
    """When it happened. One that is told to the second is this one's, if that is not over."""
    if not event.timestamp and event.source == "stdin":
        return now  # what Claude Code says to hooks has no time
    at = millis(event.timestamp)
    if at is None:
        raise BadRequest("The event's timestamp is no time in ISO 8601.")
    is_exact = "." in event.timestamp
    return now if not is_exact and at == now - now % 1_000 else at


def _uuid(event: HookEvent, body: bytes, now: int) -> str:
    """Its own, or one made of what was sent: sent again, it is the same."""
    if event.uuid:
        return event.uuid[:128]
    # Without a time or a call, the same words later on are another event.
    is_timed = event.timestamp or event.tool_use_id
    when = "" if is_timed else str(now // _AGAIN_MS)
    return str(uuid5(NAMESPACE_URL, f"{event.session_id}:{sha256(body).hexdigest()}:{when}"))


def _took(event: HookEvent, at: int, start: int | None) -> HookEvent:
    if event.duration_ms is not None or start is None or at < start:
        return event
    return replace(event, duration_ms=float(at - start))


def _payload(event: HookEvent) -> bytes:
    """The event in its envelope; what it did not say itself is put beside what it said."""
    data = members(event.data) or {"data": event.data}
    more = {"uuid": event.uuid, "agent_id": event.agent_id, "duration_ms": event.duration_ms}
    for name, value in more.items():
        if value not in ("", None) and name not in data:
            data[name] = Raw(msgspec.json.encode(value))
    envelope = {
        "type": event.event,
        "sessionId": event.session_id,
        "timestamp": event.timestamp,
        "uuid": event.uuid,
        "data": data,
    }
    written = msgspec.json.encode(envelope)
    return sound(written) or written


def _taken(event: HookEvent) -> Taken:
    return Taken(
        uuid=event.uuid,
        type=event.event_type,
        session_id=event.session_id,
        timestamp=event.timestamp,
        tool_name=event.tool_name,
        subagent_id=event.agent_id,
        duration_ms=event.duration_ms,
    )


def _trim(begun: "OrderedDict[str, int] | OrderedDict[tuple[str, str], int]") -> None:
    if len(begun) > _MOST_BEGUN:
        begun.popitem(last=False)
