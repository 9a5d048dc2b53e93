"""Timelines that are open, a page of one, and all that was written of one event."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Raw, Struct

from unspool.decode.values import sound
from unspool.derive.reading.clock import iso
from unspool.derive.timeline import event_id, place_of
from unspool.engine.archive import SessionOutputs, text_of
from unspool.engine.bodies import MOST_SHOWN
from unspool.engine.timeline import Timeline
from unspool.errors import NotFound
from unspool.model.live import (
    EventPage,
    EventSource,
    FullEvent,
    HookCopy,
    MergedEvent,
    TimelineEvent,
)
from unspool.model.rows import HookRow
from unspool.serve.desks import cursors
from unspool.serve.desks.around import Around
from unspool.serve.desks.ours import Ours
from unspool.source.sidecars import pointer_in, session_directory

Name: TypeAlias = tuple[str, str]  # project and session
Key: TypeAlias = tuple[int, int, int]
Way: TypeAlias = Literal["after", "before"]

_BUDGET: Final = 50_000_000
_PREVIEW, _LOOKED_AT = 500, 4_000


class _Cursor(Struct, frozen=True, array_like=True):
    """The event that a page begins after, or ends before."""

    way: Way
    key: Key


class EventsAsked(Struct, frozen=True, kw_only=True):
    """Which events of a session."""

    session_id: str
    project: str = ""
    agent: str | None = None  # None: of all, "": of the main conversation
    cursor: str = ""
    limit: int = 50
    newest: bool = False  # the last page first


class _Seat:
    def __init__(self, timeline: Timeline) -> None:
        self.lock = Lock()
        self.timeline = timeline


class Timelines:
    """Opens timelines by session; the least lately used are put away."""

    def __init__(
        self, around: Around, ours: Ours, project_of: Callable[[str, str], str] | None = None
    ) -> None:
        self._around, self._ours = around, ours
        self._project_of = project_of  # for sessions the index has nothing of
        self._lock = Lock()
        self._seats: OrderedDict[Name, _Seat] = OrderedDict()

    def name(self, session_id: str, project: str = "") -> Name:
        """The session of an id; of several the newest, unless a project is given."""
        for row in self._ours.named(session_id):
            if project in ("", row.project_id):
                return row.project_id, row.session_id
        raise NotFound("There is no such session.")

    def _named(self, asked: EventsAsked) -> Name:
        try:
            return self.name(asked.session_id, asked.project)
        except NotFound:
            if self._project_of is None:
                raise
            return self._project_of(asked.session_id, asked.project), asked.session_id

    @contextmanager
    def open(self, name: Name) -> Iterator[Timeline]:
        """A session's events as they stand now, held while the block lasts."""
        with self._lock:
            seat = self._seats.get(name) or _Seat(Timeline(self._around.store, *name))
            self._seats[name] = seat
            self._seats.move_to_end(name)
        with seat.lock:
            seat.timeline.refresh()
            yield seat.timeline
        self._put_away()

    def forget(self, name: Name) -> None:
        """Read a session anew next time: what was known of it is no longer so."""
        with self._lock:
            self._seats.pop(name, None)

    def page(self, asked: EventsAsked) -> EventPage:
        """Some events, oldest first, and where the others are."""
        place = cursors.read(asked.cursor, _Cursor)
        seq = self._around.store.head()  # first: what comes after it is told once more, not never
        with self.open(self._named(asked)) as timeline:
            events = [one for one in timeline.events if asked.agent in (None, one.agent_id)]
            start, end = _window(events, place, asked)
            shown = events[start:end]
            after = _Cursor("after", shown[-1].key) if shown and end < len(events) else None
            before = _Cursor("before", shown[0].key) if shown and start else None
            return EventPage(
                items=tuple(self.shown(timeline, one) for one in shown),
                next_cursor=cursors.written(after) if after else None,
                prev_cursor=cursors.written(before) if before else None,
                total=len(events),
                seq=seq,
            )

    def full(self, session_id: str, id: str, project: str = "") -> FullEvent:
        """One event with all that was written of it."""
        with self.open(self.name(session_id, project)) as timeline:
            event = timeline.find(place_of(id))
            if event is None:
                raise NotFound("There is no such event in this session.")
            written = timeline.raw(event.line) if event.line else event.hooks[0].input.encode()
            return FullEvent(
                event=self.shown(timeline, event),
                event_data=_json(written),
                hooks=tuple(_copy(hook) for hook in event.hooks),
                output=self._output(timeline, event),
            )

    def _output(self, timeline: Timeline, event: MergedEvent) -> str | None:
        """What a tool put out that was too long for its line, from its file or the archive."""
        if event.line is None or event.line.event_type != "post_tool_use":
            return None
        pointer = pointer_in(text_of(timeline.raw(event.line)))
        for root in self._around.roots if pointer else ():
            directory = session_directory(root, timeline.project_id, timeline.session_id)
            found = SessionOutputs(root.path, directory, self._around.store)
            if (data := found.read(pointer, MOST_SHOWN)) is not None:
                return data.decode("utf-8", "replace")
        return None

    def shown(self, timeline: Timeline, event: MergedEvent) -> TimelineEvent:
        """An event as a reader gets it."""
        line, hook = event.line, event.hooks[0] if event.hooks else None
        kinds: tuple[tuple[EventSource, object], ...] = ("transcript", line), ("hook", hook)
        at = line.at if line else hook.timestamp if hook else None
        i, o, c, r = event.tokens
        return TimelineEvent(
            event_id=event_id(event.place),
            session_id=timeline.session_id,
            project_id=timeline.project_id,
            timestamp=iso(at),
            event_type=line.event_type if line else hook.event_type if hook else "",
            sources=tuple(kind for kind, told in kinds if told),
            subagent_id=event.agent_id,
            event_uuid=line.uuid if line else hook.uuid if hook else "",
            tool_name=event.tool_name,
            tool_use_id=event.tool_use_id,
            duration_ms=event.duration_ms,
            tokens_input=i,
            tokens_output=o,
            tokens_cache_creation=c,
            tokens_cache_read=r,
            preview=self._preview(timeline, event),
        )

    def _preview(self, timeline: Timeline, event: MergedEvent) -> str:
        told = text_of(timeline.raw(event.line)) if event.line else _told(event.hooks[0])
        text = told[:_LOOKED_AT]
        # Cleaned before it is cut: half a secret is not known for one.
        return self._around.redactor.part(text, 0, min(_PREVIEW, len(text)))[0]

    def _put_away(self) -> None:
        with self._lock:
            weight = sum(seat.timeline.weight for seat in self._seats.values())
            while weight > _BUDGET and len(self._seats) > 1:
                _, seat = self._seats.popitem(last=False)
                weight -= seat.timeline.weight


def _window(
    events: Sequence[MergedEvent], place: _Cursor | None, asked: EventsAsked
) -> tuple[int, int]:
    count = len(events)
    if place is None:
        return (max(count - asked.limit, 0), count) if asked.newest else (0, asked.limit)
    if place.way == "after":
        start = bisect_right(events, place.key, key=lambda event: event.key)
        return start, start + asked.limit
    end = bisect_left(events, place.key, key=lambda event: event.key)
    return max(end - asked.limit, 0), end


class _Words(Struct):
    """What a hook says that is worth a line."""

    prompt: str = ""
    message: str = ""
    last_assistant_message: str = ""
    reason: str = ""
    source: str = ""
    tool_input: Raw = Raw(b"")


def _words(hook: HookRow) -> _Words:
    try:
        return msgspec.json.decode(hook.input, type=_Words)
    except (ValueError, RecursionError):
        return _Words()


def _told(hook: HookRow) -> str:
    said = _words(hook)
    words = said.prompt or said.message or said.last_assistant_message
    words = words or bytes(said.tool_input).decode("utf-8", "replace")
    return words or said.reason or said.source


def _copy(hook: HookRow) -> HookCopy:
    return HookCopy(
        event_id=hook.event_id,
        event_type=hook.event_type,
        timestamp=iso(hook.timestamp),
        decision=hook.decision,
        duration_ms=hook.duration_ms,
        data=_json(hook.input.encode()),
    )


def _json(data: bytes) -> Raw:
    """The same JSON as any reader takes it; a string of it where none does."""
    return Raw(sound(data) or msgspec.json.encode(data.decode("utf-8", "replace")))
