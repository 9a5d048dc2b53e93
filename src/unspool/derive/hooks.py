"""Hook events -> which of them are one event, when each happened, and in what order.

Two loggers may record one event, and a sender may send it again. Every reader decides that by one
key, which the index keeps as a column.
"""

from bisect import insort
from collections.abc import Iterable
from copy import copy
from hashlib import blake2b
from typing import Final
from zlib import crc32

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from unspool.derive.approvals import HookFold
from unspool.derive.reading.clock import iso, millis
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.row_facts import HookSession
from unspool.model.blocks import NULL
from unspool.model.hooks import HookEvent

NEAR_MS: Final = 5_000  # two loggers write one event that far apart at most
_EXACT, _NEAR = "=", "~"
_MOST_REMEMBERED: Final = 10_000
# What a payload says of its session, and loggers add or leave out: not what happened.
_AROUND: Final = frozenset(
    "hook_event_name session_id transcript_path cwd permission_mode agent_id agentId agent_type"
    " effort tool_name uuid timestamp".split()
)
_MOST_RECENT: Final = 32  # events of a session that one may come late by
_LONGEST: Final = 32_768


def event_key(event: HookEvent) -> str:
    """What two records of one event have in common, in 17 characters.

    Records of a key that begins with `=` are one event, with `~` only if they are near in time.
    """
    if event.uuid:
        return _key(_EXACT, event.uuid)
    named = event.event_type, event.agent_id
    if event.tool_use_id:
        return _key(_EXACT, *named, event.tool_use_id)
    return _key(_NEAR, *named, event.tool_name, _print(event.data))


def is_same(key: str, at: int, then: int) -> bool:
    """Whether two records of one key, at two times, are one event."""
    return key.startswith(_EXACT) or abs(at - then) <= NEAR_MS


def with_time(event: HookEvent, arrived: int) -> HookEvent:
    """An event with its own time in full, or else the one at which it arrived."""
    at = millis(event.timestamp)
    is_rounded = at == arrived - arrived % 1_000 and "." not in event.timestamp
    return replace(event, timestamp=iso(arrived if at is None or is_rounded else at) or "")


def lean(event: HookEvent) -> HookEvent:
    """The event without a body that is only long: a call's id is enough to find the rest."""
    is_long = event.tool_use_id and len(bytes(event.data)) > _LONGEST
    return replace(event, data=NULL) if is_long else event


class Distinct:
    """Lets each event through once. Given by time, those are the rows of `hook_events`."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def is_new(self, key: str, at: int | None) -> bool:
        """Whether this is the first record of its event."""
        at, then = at or 0, self._times.pop(key, None)
        self._times[key] = at
        if len(self._times) > _MOST_REMEMBERED:
            del self._times[next(iter(self._times))]
        return then is None or not is_same(key, at, then)

    def copy(self) -> "Distinct":
        """The same, to go on apart."""
        made = Distinct()
        made._times = dict(self._times)
        return made


def distinct_events(events: Iterable[HookEvent]) -> list[HookEvent]:
    """The events of one session oldest first, each once."""
    once = Distinct()
    by_time = sorted(((_at(event), event) for event in events), key=_first)
    return [event for at, event in by_time if once.is_new(event_key(event), at)]


class HookLog:
    """A session's events as they come; one that comes late is put where it belongs."""

    def __init__(self) -> None:
        self._recent: list[tuple[int, HookEvent]] = []
        self._before, self._now = _State(), _State()

    def add(self, event: HookEvent) -> None:
        """Take in an event."""
        at, kept = _at(event), lean(event)
        if self._recent and at < self._recent[-1][0]:
            insort(self._recent, (at, kept), key=_first)
            self._now = self._before.copy()
            for one in self._recent:
                self._now.feed(*one)
        else:
            self._recent.append((at, kept))
            self._now.feed(at, event)
        if len(self._recent) > _MOST_RECENT:
            self._before.feed(*self._recent.pop(0))

    @property
    def fold(self) -> HookFold:
        """What they say of approvals and status."""
        return self._now.fold

    @property
    def heard(self) -> HookSession:
        """What they say of the session itself."""
        return self._now.heard


class _State:
    def __init__(self) -> None:
        self.once, self.fold, self.heard = Distinct(), HookFold(), HookSession()

    def feed(self, at: int, event: HookEvent) -> None:
        if self.once.is_new(event_key(event), at):
            self.fold.feed(event)
            self.fold.settled.clear()
            self.heard.feed(event)

    def copy(self) -> "_State":
        made = _State()
        made.once, made.fold, made.heard = self.once.copy(), self.fold.copy(), copy(self.heard)
        return made


def _at(event: HookEvent) -> int:
    return millis(event.timestamp) or 0


def _first(placed: tuple[int, HookEvent]) -> int:
    return placed[0]


def _key(kind: str, *parts: str) -> str:
    said = "\0".join(parts).encode("utf-8", "replace")
    return kind + blake2b(said, digest_size=8).hexdigest()


def _print(data: Raw) -> str:
    """A number for what happened: the same however a logger writes it."""
    try:
        value = msgspec.json.decode(data)
        if isinstance(value, dict):
            value = {name: said for name, said in value.items() if name not in _AROUND}
        return str(crc32(msgspec.json.encode(value, order="sorted")))
    except TROUBLE:
        return str(crc32(data))
