"""Open timelines -> pages of events, one event whole, and what is new."""

from bisect import bisect_left, bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final, Literal

import msgspec
from msgspec import Raw, Struct

from unspool.decode.lenient import valid_json
from unspool.derive.event_columns import Key
from unspool.derive.reading.clock import iso
from unspool.derive.reading.speech import heard
from unspool.derive.timeline import event_id, place_of
from unspool.engine.archive.reader import SessionOutputs, text_of
from unspool.engine.sessions.finder import roots_of
from unspool.engine.timeline.timeline import Timeline
from unspool.engine.timeline.updates import TimelineUpdate, update_of
from unspool.engine.transcripts.bodies import MOST_SHOWN
from unspool.errors import NotFound
from unspool.json_depth import shallow
from unspool.model.files import Root
from unspool.model.live import (
    ByteRange,
    EventSource,
    FullEvent,
    HookCopy,
    MergedEvent,
    TimelineEvent,
)
from unspool.model.query import SessionKey
from unspool.model.rows import HookRow
from unspool.redact import Redactor
from unspool.source.sidecars import pointer_in, session_directory
from unspool.store import Store

_BUDGET: Final = 50_000_000
_PREVIEW, _LOOKED_AT = 500, 4_000


class EventCursor(Struct, frozen=True, array_like=True):
    """The event that a page begins after, or ends before."""

    way: Literal["after", "before"]
    key: Key


class EventQuery(Struct, frozen=True, kw_only=True):
    """Which events of a session."""

    agent: str | None = None  # None: of all, "": of the main conversation
    cursor: EventCursor | None = None
    limit: int = 50
    newest: bool = False  # the last page first


class EventWindow(Struct, frozen=True, kw_only=True):
    """Some events, oldest first, and where the others are."""

    items: tuple[TimelineEvent, ...]
    after: EventCursor | None
    before: EventCursor | None
    total: int
    seq: int  # of the feed, when they were read


class _OpenTimeline:
    def __init__(self, timeline: Timeline) -> None:
        self.lock = Lock()
        self.timeline = timeline


class Timelines:
    """Timelines by session. Those that nobody follows are closed, the oldest first."""

    def __init__(
        self, store: Store, roots: Sequence[Root], redactor: Redactor, budget: int = _BUDGET
    ) -> None:
        self._store, self._roots, self._redactor = store, roots, redactor
        self._budget, self._lock = budget, Lock()
        self._open: OrderedDict[SessionKey, _OpenTimeline] = OrderedDict()
        self._followed: Counter[str] = Counter()

    @contextmanager
    def open(self, name: SessionKey) -> Iterator[Timeline]:
        """A session's events as they are now, held while the block lasts."""
        with self._lock:
            one = self._open.get(name) or _OpenTimeline(Timeline(self._store, *name))
            self._open[name] = one
            self._open.move_to_end(name)
        with one.lock, one.timeline.reading():
            one.timeline.refresh()
            yield one.timeline
        self._close_some()

    def clear(self) -> None:
        """Close all: in an index that was rebuilt, lines have other numbers."""
        with self._lock:
            self._open.clear()

    def follow(self, session_id: str) -> None:
        """Keep the timelines of a session open, however much others weigh."""
        with self._lock:
            self._followed[session_id] += 1

    def unfollow(self, session_id: str) -> None:
        """The opposite of `follow`."""
        with self._lock:
            self._followed[session_id] -= 1
            if self._followed[session_id] <= 0:
                del self._followed[session_id]

    def page(self, name: SessionKey, query: EventQuery) -> EventWindow:
        """Some events of a session."""
        seq = self._store.head()  # first: what comes after it is told once more, not never
        with self.open(name) as timeline:
            agent = query.agent
            every = range(len(timeline)) if agent is None else timeline.of_agent(agent)
            start, end = _window(timeline, every, query)
            shown = every[start:end]
            events = timeline.events(shown)
            has_more = bool(shown) and end < len(every)
            key = timeline.index.columns.key
            after = EventCursor("after", key(shown[-1])) if has_more else None
            before = EventCursor("before", key(shown[0])) if shown and start else None
        return EventWindow(
            items=tuple(self.shown(name, events)),
            after=after,
            before=before,
            total=len(every),
            seq=seq,
        )

    def full(self, name: SessionKey, id: str) -> FullEvent:
        """One event with all that was written of it."""
        with self.open(name) as timeline:
            position = timeline.find(place_of(id))
            events = timeline.events([position]) if position is not None else []
        if not events:
            raise NotFound("There is no such event in this session.")
        event = events[0]
        written = self._raw(event) if event.line else event.hooks[0].input.encode()
        return FullEvent(
            event=self._shown(name, event),
            event_data=_json(written),
            hooks=tuple(_copy(hook) for hook in event.hooks),
            output=self._output(name, event, written),
        )

    def update(
        self, name: SessionKey, spans: Sequence[ByteRange], before: Sequence[ByteRange] = ()
    ) -> TimelineUpdate:
        """What is new in a session by these bytes; what `before` has too was told already."""
        with self.open(name) as timeline:
            return update_of(timeline, spans, before)

    def shown(self, name: SessionKey, events: Iterable[MergedEvent]) -> list[TimelineEvent]:
        """Events as a reader gets them."""
        return [self._shown(name, event) for event in events]

    def _shown(self, name: SessionKey, event: MergedEvent) -> TimelineEvent:
        line, hook = event.line, event.hooks[0] if event.hooks else None
        kinds: tuple[tuple[EventSource, object], ...] = ("transcript", line), ("hook", hook)
        at = line.at if line else hook.timestamp if hook else None
        project_id, session_id = name
        i, o, c, r = event.tokens
        return TimelineEvent(
            event_id=event_id(event.place),
            session_id=session_id,
            project_id=project_id,
            timestamp=iso(at),
            event_type=line.event_type if line else hook.event_type if hook else "",
            sources=tuple(kind for kind, row in kinds if row),
            subagent_id=event.agent_id,
            event_uuid=line.uuid if line else hook.uuid if hook else "",
            tool_name=event.tool_name,
            tool_use_id=event.tool_use_id,
            duration_ms=event.duration_ms,
            tokens_input=i,
            tokens_output=o,
            tokens_cache_creation=c,
            tokens_cache_read=r,
            preview=self._preview(event),
        )

    def _preview(self, event: MergedEvent) -> str:
        whole = text_of(self._raw(event)) if event.line else _hook_text(event.hooks[0])
        text = whole[:_LOOKED_AT]
        # Cleaned before it is cut: half a secret is not known for one.
        return self._redactor.head(text, _PREVIEW)

    def _raw(self, event: MergedEvent) -> bytes:
        """A line as it was written; b"" where the archive has lost it."""
        place, length = event.place, event.line.length if event.line else 0
        found = self._store.raw(place.source_id, place.generation, place.offset, length)
        return found or b""

    def _output(self, name: SessionKey, event: MergedEvent, written: bytes) -> str | None:
        """What a tool put out that was too long for its line, from its file or the archive."""
        if event.line is None or event.line.event_type != "post_tool_use":
            return None
        pointer = pointer_in(text_of(written))
        for root in roots_of(self._roots, name[0]) if pointer else ():
            directory = session_directory(root, *name)
            found = SessionOutputs(root.path, directory, self._store)
            if (data := found.read(pointer, MOST_SHOWN)) is not None:
                return data.decode("utf-8", "replace")
        return None

    def _close_some(self) -> None:
        with self._lock:
            idle = [name for name in self._open if name[1] not in self._followed]
            weight = sum(self._open[name].timeline.weight for name in idle)
            for name in idle[:-1]:
                if weight <= self._budget:
                    break
                weight -= self._open.pop(name).timeline.weight


def _window(timeline: Timeline, every: Sequence[int], query: EventQuery) -> tuple[int, int]:
    count, cursor, limit = len(every), query.cursor, query.limit
    if cursor is None:
        return (max(count - limit, 0), count) if query.newest else (0, limit)
    key = timeline.index.columns.key
    if cursor.way == "after":
        start = bisect_right(every, cursor.key, key=key)
        return start, start + limit
    end = bisect_left(every, cursor.key, key=key)
    return max(end - limit, 0), end


class _HookInput(Struct):
    """What a hook says that is worth a line."""

    prompt: str = ""
    message: str = ""
    last_assistant_message: str = ""
    reason: str = ""
    source: str = ""
    tool_input: Raw = Raw(b"")


def _hook_text(hook: HookRow) -> str:
    try:
        given = msgspec.json.decode(shallow(hook.input), type=_HookInput)
    except (ValueError, RecursionError):
        return ""
    words = heard(given.prompt) or given.message or given.last_assistant_message
    words = words or bytes(given.tool_input).decode("utf-8", "replace")
    return words or given.reason or given.source


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
    return Raw(valid_json(data) or msgspec.json.encode(data.decode("utf-8", "replace")))
