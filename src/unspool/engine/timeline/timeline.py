"""The index -> the events of one session, read on as the index grows."""

from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from unspool.derive.event_columns import HOOK, Key
from unspool.derive.hook_groups import POST
from unspool.derive.timeline import (
    Lookup,
    TimelineIndex,
    calls_of,
    hook_record,
    line_key,
    line_record,
    place_of,
    with_prompt,
)
from unspool.engine.archive.reader import text_of
from unspool.engine.hooks.events import HookNews
from unspool.model.live import (
    NO_TOKENS,
    ByteRange,
    EventPosition,
    HookNote,
    LineEvent,
    MergedEvent,
    SessionHooks,
    TimelineSource,
    TokenCounts,
    ToolLines,
)
from unspool.store import Store
from unspool.store.event_rows import EventRows

_RECENT_RESPONSES: Final = 256
_RECENT_PROMPTS: Final = 32
_EVENT_BYTES, _HOOK_BYTES = 80, 600


class Timeline:
    """One session's events as of the last `refresh`; used by one thread at a time.

    In memory are the order of events, sums of tokens and which hooks belong to which line: an
    append costs the same however long the session is. All else is read back when it is shown.
    """

    def __init__(self, store: Store, project_id: str, session_id: str) -> None:
        self.project_id, self.session_id = project_id, session_id
        self._store, self._events = store, store.events_of(project_id, session_id)
        self._rows: EventRows | None = None  # while it is being read
        self.index = TimelineIndex(Lookup(self._line_of, self._prompt))
        self._sources: dict[int, TimelineSource] = {}
        self._unfinished: dict[int, list[Key]] = {}  # lines behind the end of their source
        self._fresh: dict[int, Key | None] = {}  # lines that are new; None: no event
        self._first_calls: dict[tuple[str, str], int] | None = None  # while all lines are new
        self._prompts: OrderedDict[int, str] = OrderedDict()
        self._hook_news = HookNews()
        self._hook_places: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._totals = _Totals(self.index)

    def __len__(self) -> int:
        return len(self.index.columns)

    @property
    def weight(self) -> int:
        """About how many bytes it takes."""
        return _EVENT_BYTES * len(self) + _HOOK_BYTES * len(self.index.hooks)

    @contextmanager
    def reading(self) -> Iterator[EventRows]:
        """Everything asked within sees the index as it is at one moment."""
        if self._rows is not None:
            yield self._rows
            return
        with self._events.reading() as rows:
            self._rows = rows
            try:
                yield rows
            finally:
                self._rows = None

    def refresh(self) -> bool:
        """Take in what is new in the index; whether anything is."""
        with self.reading() as rows:
            try:
                has_lines = self._read_lines(rows)
                has_hooks = self._read_hooks(rows)
                has_tokens = self._totals.read(rows, self._fresh)
            finally:
                self._first_calls, self._fresh = None, {}
        return has_lines or has_hooks or has_tokens

    def events(self, positions: Iterable[int] | None = None) -> list[MergedEvent]:
        """Events by their positions, all without any; one that went meanwhile is left out."""
        places = range(len(self)) if positions is None else list(positions)
        columns, index = self.index.columns, self.index
        lines = [columns.line[n] for n in places if columns.kind[n] != HOOK]
        groups = [group for n in places for group in index.groups_at(n)]
        with self.reading() as rows:
            found = _with_tools(rows.lines_by_id(lines), rows.tools_by_line(lines))
            notes = [note.line_id for group in groups for note in group.notes]
            hooks = {hook.line_id: hook for hook in rows.hooks_by_line(notes)}
        events = []
        for n in places:
            mine, tokens = index.groups_at(n), columns.tokens(n)
            if columns.kind[n] == HOOK:
                record = hook_record(mine[0], index.hooks.agent_of(mine[0]), hooks, tokens)
                events += [record] if record.hooks else []
            elif line := found.get(columns.line[n]):
                copies = (note.line_id for group in mine for note in group.notes)
                rest = tuple(hooks[id] for id in copies if id in hooks)
                events.append(line_record(*line, rest, tokens))
        return events

    def find(self, place: EventPosition) -> int | None:
        """The position of an event by its place, or by that of one of its hooks."""
        span = ByteRange(place.source_id, place.generation, place.offset, place.offset + 1)
        return next(iter(self.within([span])), None)

    def within(self, spans: Sequence[ByteRange], limit: int = -1) -> list[int]:
        """The positions of events that begin in some bytes, or have a hook that does."""
        sources = {(one.source_id, one.generation): one for one in self._sources.values()}
        groups = [self.index.hooks.by_line[line] for line in self._hooks_within(spans)]
        found: list[LineEvent] = []
        with self.reading() as rows:
            for span in spans:
                if source := sources.get((span.source_id, span.generation)):
                    found += rows.lines(source, span.begin, span.end, limit)
            found += rows.lines_by_id([group.line_id for group in groups if group.line_id])
        alone = [group.first for group in groups if group.line_id is None]
        keys = {*map(line_key, found), *((one.at or 0, 0, one.line_id) for one in alone)}
        positions = (self.index.columns.find(key) for key in keys)
        return sorted(at for at in positions if at is not None)

    def of_agent(self, agent_id: str) -> list[int]:
        """The positions of the events of one agent; "" is the main conversation."""
        return [n for n in range(len(self)) if self.index.agent_at(n) == agent_id]

    def raw(self, line: LineEvent) -> bytes:
        """A line as it was written; b"" where the archive has lost it."""
        place = line.place
        found = self._store.raw(place.source_id, place.generation, place.offset, line.length)
        return found or b""

    def _hooks_within(self, spans: Iterable[ByteRange]) -> list[int]:
        found: list[int] = []
        for span in spans:
            placed = self._hook_places.get((span.source_id, span.generation), [])
            first, last = (bisect_left(placed, (at, 0)) for at in (span.begin, span.end))
            found += [line for _, line in placed[first:last]]
        return found

    def _line_of(self, kind: str, tool_use_id: str) -> int | None:
        if self._first_calls is not None:
            return self._first_calls.get((kind, tool_use_id))
        assert self._rows is not None  # noqa: S101 - asked only while it is refreshed
        return self._rows.line_of_call(tool_use_id, is_result=kind == POST)

    def _prompt(self, line_id: int) -> str:
        assert self._rows is not None  # noqa: S101 - asked only while it is refreshed
        if line_id not in self._prompts:
            lines = self._rows.lines_by_id([line_id])
            self._prompts[line_id] = text_of(self.raw(lines[0])) if lines else ""
            if len(self._prompts) > _RECENT_PROMPTS:
                self._prompts.popitem(last=False)
        return self._prompts[line_id]

    def _read_lines(self, rows: EventRows) -> bool:
        """Take in lines, and drop those that are no part of the session any more."""
        before, self._sources = self._sources, {one.number: one for one in rows.sources()}
        if self._sources == before:
            return False
        fresh: list[LineEvent] = []
        for number in before.keys() | self._sources.keys():
            known, source = before.get(number), self._sources.get(number)
            if known != source:
                fresh += self._read_on(rows, known, source)
        if len(self.index.hooks) or (not before and rows.hook_count()):
            fresh = self._with_calls(rows, fresh, is_first=not before)
        self.index.add_lines(fresh)
        return True

    def _read_on(
        self, rows: EventRows, known: TimelineSource | None, source: TimelineSource | None
    ) -> list[LineEvent]:
        """What a file has more than before; a last line that was not finished is read again."""
        if known:
            self.index.drop(self._unfinished.pop(known.number, ()))
        if source is None:
            if known:
                self.index.drop_source(known.source_id)
            return []
        begin = known.end if known else 0
        lines = rows.lines(source, begin)
        self._fresh |= dict.fromkeys(rows.line_ids(source, begin))
        self._fresh |= {line.line_id: line_key(line) for line in lines}
        unfinished = [line_key(line) for line in lines if line.place.offset >= source.end]
        if unfinished:
            self._unfinished[source.number] = unfinished
        return lines

    def _with_calls(
        self, rows: EventRows, lines: list[LineEvent], *, is_first: bool
    ) -> list[LineEvent]:
        """Lines with the tools they call or answer."""
        if is_first:
            tools = [tool for source in self._sources.values() for tool in rows.tools(source)]
        else:
            tools = rows.tools_by_line([line.line_id for line in lines])
        with_tools = [line for line, _ in _with_tools(lines, tools).values()]
        if is_first:
            self._first_calls = {}
            for line in sorted(with_tools, key=line_key):
                for call in calls_of(line):
                    self._first_calls.setdefault(call, line.line_id)
        return with_tools

    def _read_hooks(self, rows: EventRows) -> bool:
        news = self._hook_news.read(rows)
        if news is None:
            return False
        if news.are_all:
            self.index.clear_hooks()
            self._hook_places.clear()
        self._add_hooks([with_prompt(note) for note in news.notes])
        return True

    def _add_hooks(self, notes: Sequence[HookNote]) -> None:
        for note in notes:
            place = place_of(note.event_id)
            placed = self._hook_places.setdefault((place.source_id, place.generation), [])
            insort(placed, (place.offset, note.line_id))
        self.index.add_hooks(notes)


class _Totals:
    """Gives events their tokens; a line may add to those of an earlier one, in any session."""

    def __init__(self, index: TimelineIndex) -> None:
        self._columns = index.columns
        self._elsewhere: dict[int, TokenCounts] = {}  # of lines that are no events of the timeline
        self._rest = NO_TOKENS  # all of those, and what is of no line
        self._lines: OrderedDict[int, int] = OrderedDict()  # where recent responses were counted
        self._total: TokenCounts | None = None

    def read(self, rows: EventRows, fresh: Mapping[int, Key | None]) -> bool:
        """Take in what is new; whether the sum is another."""
        before, self._total = self._total, rows.tokens()
        if before is not None and fresh:
            self._update(rows, fresh)
        if before is None or self._sum() != self._total:
            self._read_all(rows)
        return before != self._total

    def _sum(self) -> TokenCounts:
        return _added([self._columns.tokens(len(self._columns) - 1), self._rest])

    def _update(self, rows: EventRows, fresh: Mapping[int, Key | None]) -> None:
        """Look at the tokens of new lines, and of those that tell of the same responses."""
        responses = rows.responses_of(fresh.keys())
        others = {*responses.values(), *(self._lines.get(one, 0) for one in responses)}
        old = others - fresh.keys() - {0}
        keys = {**dict.fromkeys(old), **fresh}
        keys |= {line.line_id: line_key(line) for line in rows.lines_by_id(old)}
        used = rows.tokens_of(keys.keys())
        for line, key in keys.items():
            self._set(line, key, used.get(line, NO_TOKENS))
        for response, line in responses.items():
            self._lines[response] = line
            self._lines.move_to_end(response)
        while len(self._lines) > _RECENT_RESPONSES:
            self._lines.popitem(last=False)

    def _set(self, line: int, key: Key | None, tokens: TokenCounts) -> None:
        position = self._columns.find(key) if key else None
        before = self._elsewhere.pop(line, NO_TOKENS)
        if position is None and tokens != NO_TOKENS:
            self._elsewhere[line] = tokens
        now = self._elsewhere.get(line, NO_TOKENS)
        self._rest = _added([self._rest, _less(now, before)])
        if position is None:
            return
        own = self._columns.own_tokens(position)
        if own != tokens:
            self._columns.add_tokens(position, _less(tokens, own))

    def _read_all(self, rows: EventRows) -> None:
        used = rows.tokens_by_line()
        self._columns.set_tokens(used)
        lines = set(self._columns.line)
        self._elsewhere = {line: one for line, one in used.items() if line not in lines}
        assert self._total is not None  # noqa: S101 - it was read a moment ago
        self._rest = _less(self._total, self._columns.tokens(len(self._columns) - 1))


def _added(every: Iterable[TokenCounts]) -> TokenCounts:
    i, o, c, r = map(sum, zip(NO_TOKENS, *every, strict=True))
    return i, o, c, r


def _less(tokens: TokenCounts, others: TokenCounts) -> TokenCounts:
    i, o, c, r = (one - other for one, other in zip(tokens, others, strict=True))
    return i, o, c, r


def _with_tools(
    lines: Iterable[LineEvent], tools: Iterable[ToolLines]
) -> dict[int, tuple[LineEvent, tuple[str, int | None] | None]]:
    """Lines by number, with the tools they call or answer; and the call of the first answer."""
    found = {line.line_id: line for line in lines}
    answered: dict[int, tuple[str, int | None]] = {}
    for tool in sorted(tools):
        if tool.call in found:
            line = found[tool.call]
            found[tool.call] = replace(line, calls=(*line.calls, (tool.tool_use_id, tool.name)))
        if tool.result in found:
            line = found[tool.result]
            found[tool.result] = replace(line, results=(*line.results, tool.tool_use_id))
            answered.setdefault(tool.result, (tool.name, tool.called_at))
    return {id: (line, answered.get(id)) for id, line in found.items()}


def session_hooks(store: Store, project_id: str, session_id: str) -> SessionHooks:
    """A session's events that hooks tell of, as the view `events` takes them."""
    made, found = Timeline(store, project_id, session_id), SessionHooks()
    made.refresh()
    for event in made.events(made.index.hooked()):
        named = event.agent_id, event.tool_name
        if event.line:
            found.lines[event.line.line_id] = named
        else:
            found.others.append((event.hooks[0].line_id, *named, event.duration_ms, *event.tokens))
    return found
