"""The index -> the events of one session, read on as the index grows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from msgspec.structs import replace

from unspool.decode.lines import decode
from unspool.derive.reading.messages import read
from unspool.derive.timeline import event_id, timeline
from unspool.model.live import Happened, LineEvent, Place, Tokens
from unspool.model.rows import HookRow
from unspool.recall.archive import text_of

_ALL: Final = 10_000_000
_SECONDS: Final = 30.0
_SOURCES: Final = """
    SELECT source_id, generation, "offset" FROM sources
    WHERE project_id = ? AND session_id = ? AND NOT superseded
        AND kind NOT IN ('hook_log', 'spool')
"""
_LINES: Final = """
    SELECT "offset", length, line_id, timestamp, event_type, agent_id, uuid FROM lines
    WHERE source_id = ? AND generation = ? AND "offset" >= ? ORDER BY "offset"
"""
_CALLS: Final = """
    SELECT tool_use_id, name, call_line, result_line FROM tool_calls
    WHERE project_id = ? AND session_id = ?
"""
# A plus keeps the index over sessions out of it: what is new is found by the number of its line.
_USED: Final = """
    SELECT message_key, line_id, input_tokens, output_tokens, cache_creation_tokens,
        cache_read_tokens
    FROM usage WHERE line_id BETWEEN ? AND ? AND +session_id = ?
"""
_USED_ALL: Final = _USED.partition("WHERE")[0] + "WHERE project_id = ? AND session_id = ?"
_HOOKS: Final = """
    SELECT event_id, timestamp, event_type, tool_use_id, tool_name, '', handler_results, input,
        agent_id, duration_ms, source, line_id, session_id, project_id
    FROM hook_events WHERE line_id > ? AND +session_id = ? ORDER BY timestamp, line_id
"""
_HOOKS_ALL: Final = _HOOKS.replace("line_id > ? AND +session_id", "session_id")


class Store(Protocol):
    """What is asked of a store."""

    def sql(
        self, text: str, params: Sequence[Any] = (), *, limit: int = ..., seconds: float = ...
    ) -> tuple[list[str], list[tuple[Any, ...]]]: ...

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None: ...


class Timeline:
    """One session's events as of the last `refresh`; whoever uses it sees to it alone."""

    def __init__(self, store: Store, project_id: str, session_id: str) -> None:
        self.project_id, self.session_id = project_id, session_id
        self.events: list[Happened] = []
        self._store = store
        self._lines: dict[Place, LineEvent] = {}
        self._hooks: dict[str, HookRow] = {}
        self._used: dict[str, tuple[int, Tokens]] = {}  # by response: where it stands now
        self._ends: dict[int, tuple[int, int]] = {}  # of sources: generation, and how far
        self._orders: dict[int, int] = {}
        self._said: dict[Place, str] = {}
        self._last_hook = -1

    @property
    def weight(self) -> int:
        """About how many bytes it takes."""
        return 1_000 * len(self.events) + sum(len(hook.input) for hook in self._hooks.values())

    def refresh(self) -> bool:
        """Take in what is new in the index; whether anything is."""
        is_first = not self._ends
        fresh = [line for source in self._sources() for line in self._read(*source, is_first)]
        if is_first:
            fresh = self._with_calls(fresh)
        before = len(self._hooks)
        self._hear(is_first)
        if not fresh and len(self._hooks) == before:
            return False
        self._lines.update((line.place, line) for line in fresh)
        self._spend(fresh, is_first)
        used = dict(self._used.values())
        self.events = timeline(self._lines.values(), self._hooks.values(), used, self.said)
        return True

    def find(self, place: Place) -> Happened | None:
        """An event by its place, or by that of a hook that told of it."""
        id = event_id(place)
        for event in self.events:
            if event.place == place or any(hook.event_id == id for hook in event.hooks):
                return event
        return None

    def raw(self, line: LineEvent) -> bytes:
        """A line as it was written; b"" where the archive has lost it."""
        place = line.place
        found = self._store.raw(place.source_id, place.generation, place.offset, line.length)
        return found or b""

    def said(self, line: LineEvent) -> str:
        """What a prompt says."""
        if line.place not in self._said:
            self._said[line.place] = text_of(self.raw(line))
        return self._said[line.place]

    def _ask(self, text: str, *params: Any) -> list[tuple[Any, ...]]:
        return self._store.sql(text, params, limit=_ALL, seconds=_SECONDS)[1]

    def _sources(self) -> Iterator[tuple[int, int, int]]:
        """Files that have more than before, and from where on."""
        for source, generation, end in self._ask(_SOURCES, self.project_id, self.session_id):
            known, begin = self._ends.get(source, (generation, 0))
            if known != generation:
                self._drop(source, generation)
                begin = 0
            if (known, begin) != (generation, end):
                yield source, generation, begin
            self._ends[source] = generation, end

    def _drop(self, source: int, generation: int) -> None:
        """A file that began anew: its older lives are no part of the session any more."""
        old = [
            place
            for place in self._lines
            if place.source_id == source and place.generation != generation
        ]
        for place in old:
            del self._lines[place]

    def _read(
        self, source: int, generation: int, begin: int, is_first: bool
    ) -> Iterator[LineEvent]:
        order = self._orders.get(source, 0)
        for offset, length, id, at, type, agent, uuid in self._ask(
            _LINES, source, generation, begin
        ):
            order = order if at is None else at
            if type:
                line = LineEvent(
                    place=Place(source, generation, offset),
                    length=length,
                    line_id=id,
                    at=at,
                    order=order,
                    event_type=type,
                    agent_id=agent,
                    uuid=uuid or "",
                )
                yield line if is_first else self._looked_at(line)
        self._orders[source] = order

    def _looked_at(self, line: LineEvent) -> LineEvent:
        """A line with the tools in it, read from its bytes: they are few, and just written."""
        if line.event_type not in ("pre_tool_use", "post_tool_use"):
            return line
        messages = (read(entry, 1) for entry in decode(self.raw(line)))
        pieces = [piece for message in messages if message for piece in message.pieces]
        calls = tuple((piece.id, piece.name) for piece in pieces if piece.kind == "call")
        results = tuple(piece.id for piece in pieces if piece.kind == "result")
        return replace(line, calls=calls, results=results)

    def _with_calls(self, lines: Iterable[LineEvent]) -> list[LineEvent]:
        """Many lines with the tools in them, as the index has it."""
        calls: dict[int, list[tuple[str, str]]] = {}
        results: dict[int, list[str]] = {}
        for id, name, call, result in self._ask(_CALLS, self.project_id, self.session_id):
            calls.setdefault(call or 0, []).append((id, name))
            results.setdefault(result or 0, []).append(id)
        return [
            replace(
                line,
                calls=tuple(calls.get(line.line_id, ())),
                results=tuple(results.get(line.line_id, ())),
            )
            for line in lines
        ]

    def _spend(self, fresh: Sequence[LineEvent], is_first: bool) -> None:
        if is_first:
            rows = self._ask(_USED_ALL, self.project_id, self.session_id)
        else:
            ids = [line.line_id for line in fresh] or [0]
            rows = self._ask(_USED, min(ids), max(ids), self.session_id)
        for key, line, i, o, c, r in rows:
            self._used[key] = line or 0, (i, o, c, r)

    def _hear(self, is_first: bool) -> None:
        if is_first:
            rows = self._ask(_HOOKS_ALL, self.session_id)
        else:
            rows = self._ask(_HOOKS, self._last_hook, self.session_id)
        for row in rows:
            hook = HookRow(*row)
            self._hooks.setdefault(hook.event_id, hook)
            self._last_hook = max(self._last_hook, hook.line_id)
