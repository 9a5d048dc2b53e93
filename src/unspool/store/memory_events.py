"""The reference store's rows for timelines: lines, calls, tokens and hooks of one session."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from unspool.model.live import (
    NO_TOKENS,
    EventPosition,
    HookNote,
    HookStamp,
    LineEvent,
    TimelineSource,
    TokenCounts,
    ToolLines,
)
from unspool.model.query import SessionKey
from unspool.model.rows import HookRow, SourceRow, StoredLine
from unspool.model.usage import Tokens
from unspool.store.contract import owner
from unspool.store.memory_edits import MemoryEdits

_HOOK_FILES: Final = ("hook_log", "spool")


class MemoryEvents(MemoryEdits):
    """Gives every line and response a number that stays."""

    def __init__(self) -> None:
        super().__init__()
        self._line_ids: dict[tuple[int, int, int], int] = {}
        self._used_ids: set[int] = set()
        self._response_numbers: dict[str, int] = {}

    def events_of(self, project_id: str, session_id: str) -> "MemorySessionEvents":
        return MemorySessionEvents(self, (project_id, session_id))

    def _line_id(self, source: SourceRow, given: int) -> int:
        """The id of a line: as given, or the next one if another file has that already."""
        place = source.source_id, source.generation, given
        if place not in self._line_ids:
            while given in self._used_ids:
                given += 1
            self._line_ids[place] = given
            self._used_ids.add(given)
        return self._line_ids[place]

    def _all_hooks(self) -> Iterator[tuple[SessionKey, HookRow]]:
        for batch in self._current():
            for hook in batch.hooks:
                name, line = owner(hook, batch.source), self._line_id(batch.source, hook.line_id)
                yield name, replace(hook, project_id=name[0], session_id=name[1], line_id=line)


class MemorySessionEvents:
    """The events of one session."""

    def __init__(self, store: MemoryEvents, name: SessionKey) -> None:
        self._store, self._name = store, name

    def hooks(self) -> list[HookRow]:
        return MemoryEventRows(self._store, self._name).hooks

    @contextmanager
    def reading(self) -> Iterator["MemoryEventRows"]:
        yield MemoryEventRows(self._store, self._name)


class MemoryEventRows:
    """All rows of a session, read at once."""

    def __init__(self, store: MemoryEvents, name: SessionKey) -> None:
        self._store, self._name = store, name
        files = store.sources_of(*name)
        self._files = [source for source in files if source.kind not in _HOOK_FILES]
        self._logs = [source for source in files if source.kind == "hook_log"]
        self._lines = dict(self._read_lines())
        self._ledger = [owned.row for owned in store._ledger() if owned[:2] == name]
        every = list(store._all_hooks())
        self._newest_hook = max((hook.line_id for _, hook in every), default=0)
        mine = [hook for own, hook in every if own == name]
        self.hooks = sorted(mine, key=lambda hook: (hook.timestamp or 0, hook.line_id))
        self._sessions = sorted(one for one in store._names if one[1] == name[1])
        self._tools = list(self._read_tools())

    def _read_lines(self) -> Iterator[tuple[int, tuple[SourceRow, StoredLine]]]:
        for source, line in self._store._lines(self._name):
            if source.kind not in _HOOK_FILES:
                yield self._store._line_id(source, line.line_id), (source, line)

    def _read_tools(self) -> Iterator[tuple[SourceRow, ToolLines]]:
        for number, use in enumerate(self._store._uses(self._name), 1):
            rows = use.call, use.result
            call, result = (
                self._store._line_id(use.source, one.line_id) if one else None for one in rows
            )
            at = self._lines[call][1].timestamp if call in self._lines else None
            name = use.call.name if use.call else ""
            yield use.source, ToolLines(number, use.id, name, call, result, at)

    def sources(self) -> list[TimelineSource]:
        return [self._source(file) for file in self._files]

    def _source(self, file: SourceRow) -> TimelineSource:
        ids = self._ids(file.source_id)
        last = ids[-1] if ids else None
        return TimelineSource(
            file.source_id, file.source_id, file.generation, file.offset, len(ids), last
        )

    def _ids(self, source_id: int) -> list[int]:
        mine = [id for id, (source, _) in self._lines.items() if source.source_id == source_id]
        return sorted(mine, key=lambda id: self._lines[id][1].offset)

    def lines(
        self, source: TimelineSource, begin: int, end: int = 2**62, limit: int = -1
    ) -> list[LineEvent]:
        every = self.lines_by_id(self._ids(source.source_id))
        found = [line for line in every if begin <= line.place.offset < end]
        return found if limit < 0 else found[:limit]

    def line_ids(self, source: TimelineSource, begin: int) -> list[int]:
        ids = self._ids(source.source_id)
        return [id for id in ids if self._lines[id][1].offset >= begin]

    def lines_by_id(self, ids: Collection[int]) -> list[LineEvent]:
        known = (id for id in ids if id in self._lines)
        return [self._event(id) for id in known if self._lines[id][1].event_type]

    def _event(self, id: int) -> LineEvent:
        source, line = self._lines[id]
        return LineEvent(
            place=EventPosition(source.source_id, source.generation, line.offset),
            length=line.length,
            line_id=id,
            at=line.timestamp,
            order=line.line_id >> 22,
            event_type=line.event_type,
            agent_id=line.agent_id or source.agent_id,
            uuid=line.uuid,
        )

    def tools(self, source: TimelineSource) -> list[ToolLines]:
        return [tool for file, tool in self._tools if file.source_id == source.source_id]

    def tools_by_line(self, ids: Collection[int]) -> list[ToolLines]:
        return [tool for _, tool in self._tools if tool.call in ids or tool.result in ids]

    def line_of_call(self, tool_use_id: str, *, is_result: bool) -> int | None:
        tools = [tool for _, tool in self._tools if tool.tool_use_id == tool_use_id]
        ids = [tool.result if is_result else tool.call for tool in tools]
        found = self.lines_by_id([id for id in ids if id is not None])
        first = min(found, key=lambda one: (one.order, one.place), default=None)
        return first.line_id if first else None

    def tokens(self) -> TokenCounts:
        return _sum([_tokens_of(row.tokens) for row in self._ledger])

    def tokens_by_line(self) -> dict[int, TokenCounts]:
        found: dict[int, list[TokenCounts]] = {}
        for row in self._ledger:
            if row.line_id:
                found.setdefault(self._own_id(row.line_id), []).append(_tokens_of(row.tokens))
        return {line: _sum(tokens) for line, tokens in found.items()}

    def tokens_of(self, lines: Collection[int]) -> dict[int, TokenCounts]:
        return {line: one for line, one in self.tokens_by_line().items() if line in lines}

    def responses_of(self, lines: Collection[int]) -> dict[int, int]:
        keys = {_key(self._lines[id][1]) for id in lines if id in self._lines} - {""}
        numbers = self._store._response_numbers
        return {
            numbers.setdefault(row.message_key, len(numbers) + 1): self._own_id(row.line_id)
            for row in self._ledger
            if row.line_id and row.message_key in keys
        }

    def _own_id(self, given: int) -> int:
        """The id of a line of this session, by the one it was written with."""
        return next((id for id, (_, line) in self._lines.items() if line.line_id == given), given)

    def hook_state(self) -> HookStamp:
        logs = [(log.source_id, log.generation, log.offset, log.lines) for log in self._logs]
        return HookStamp(self._newest_hook, repr(self._sessions), repr(logs))

    def hook_count(self) -> int:
        return len(self.hooks)

    def hook_notes(self) -> list[HookNote]:
        return [_note(hook) for hook in self.hooks]

    def new_hook_notes(self, after: int) -> list[HookNote]:
        return [_note(hook) for hook in self.hooks if hook.line_id > after]

    def hooks_by_line(self, lines: Collection[int]) -> list[HookRow]:
        return [hook for hook in self.hooks if hook.line_id in lines]


def _note(hook: HookRow) -> HookNote:
    return HookNote(
        hook.line_id,
        hook.timestamp,
        hook.event_type,
        hook.tool_use_id,
        hook.tool_name,
        hook.agent_id,
        hook.duration_ms,
        hook.key,
        hook.event_id,
        hook.input if hook.event_type == "user_prompt_submit" else "",
    )


def _key(line: StoredLine) -> str:
    if line.message_id:
        return f"m:{line.message_id}"
    return f"r:{line.request_id}" if line.request_id else ""


def _tokens_of(tokens: Tokens) -> TokenCounts:
    return tokens.input, tokens.output, tokens.cache_write, tokens.cache_read


def _sum(every: Collection[TokenCounts]) -> TokenCounts:
    i, o, c, r = map(sum, zip(NO_TOKENS, *every, strict=True))
    return i, o, c, r
