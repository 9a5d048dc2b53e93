"""The index -> the events of one session, read on as the index grows."""

from msgspec.structs import replace

from unspool.derive.timeline import event_id, timeline
from unspool.engine.archive import text_of
from unspool.model.live import NO_TOKENS, EventPosition, LineEvent, MergedEvent, TokenCounts
from unspool.model.rows import HookRow
from unspool.store import TimelineStore
from unspool.store.sqlite.asking.events import Source
from unspool.store.sqlite.functions import SessionHooks


class Timeline:
    """One session's events as of the last `refresh`; whoever uses it sees to it alone."""

    def __init__(self, store: TimelineStore, project_id: str, session_id: str) -> None:
        self.project_id, self.session_id = project_id, session_id
        self.events: list[MergedEvent] = []
        self._store, self._rows = store, store.events_of(project_id, session_id)
        self._sources: dict[int, Source] = {}
        self._unfinished: set[int] = set()  # sources whose last line is
        self._lines: dict[int, LineEvent] = {}  # by number
        self._said: dict[int, str] = {}
        self._used: dict[int, TokenCounts] = {}
        self._tokens = NO_TOKENS
        self._hooks: list[HookRow] = []
        self._hook_count = 0, 0

    @property
    def weight(self) -> int:
        """About how many bytes it takes."""
        return 1_000 * len(self.events) + sum(len(hook.input) for hook in self._hooks)

    def refresh(self) -> bool:
        """Take in what is new in the index; whether anything is."""
        has_lines = self._read()
        has_tokens, has_hooks = self._spend(has_lines), self._hear()
        if not (has_lines or has_tokens or has_hooks):
            return False
        self.events = timeline(self._lines.values(), self._hooks, self._used, self.said)
        return True

    def find(self, place: EventPosition) -> MergedEvent | None:
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
        if line.line_id not in self._said:
            self._said[line.line_id] = text_of(self.raw(line))
        return self._said[line.line_id]

    def _read(self) -> bool:
        """Take in lines, and let go of those that are no part of the session any more."""
        before, self._sources = self._sources, {one.number: one for one in self._rows.sources()}
        if self._sources == before:
            return False
        fresh: list[LineEvent] = []
        for number in before.keys() | self._sources.keys():
            known, source = before.get(number), self._sources.get(number)
            if known != source:
                fresh += self._read_on(number, known, source)
        self._lines |= self._with_tools(fresh, is_first=not before)
        return True

    def _read_on(self, number: int, known: Source | None, source: Source | None) -> list[LineEvent]:
        """What a file has more than before; a last line that was not finished is read again."""
        end = known.end if known else 0
        if known and (source is None or number in self._unfinished):
            self._drop(known, end if source else 0)
        lines = self._rows.lines(source, end) if source else []
        if source and lines and lines[-1].place.offset >= source.end:
            self._unfinished.add(number)
        return lines

    def _drop(self, source: Source, begin: int) -> None:
        self._unfinished.discard(source.number)
        place = source.source_id, source.generation
        self._lines = {
            number: line
            for number, line in self._lines.items()
            if (line.place.source_id, line.place.generation) != place or line.place.offset < begin
        }

    def _with_tools(self, fresh: list[LineEvent], *, is_first: bool) -> dict[int, LineEvent]:
        """Lines by number, with the tools they call or answer."""
        lines = {line.line_id: line for line in fresh}
        if not lines:
            return {}
        span = None if is_first else (min(lines), max(lines))
        for tool in sorted(self._rows.tools(span)):
            if tool.call in lines:
                line = lines[tool.call]
                calls = *line.calls, (tool.tool_use_id, tool.name)
                lines[tool.call] = replace(line, calls=calls)
            if tool.result in lines:
                line = lines[tool.result]
                results = *line.results, tool.tool_use_id
                lines[tool.result] = replace(line, results=results)
        return lines

    def _spend(self, has_lines: bool) -> bool:
        """Take in tokens: a line may add to those of an earlier one, or of another session."""
        before, self._tokens = self._tokens, self._rows.tokens()
        if not has_lines and self._tokens == before:
            return False
        self._used = self._rows.tokens_by_line()
        return True

    def _hear(self) -> bool:
        """Take in hooks, all of them where some came that were of no project before, or went."""
        before, self._hook_count = self._hook_count, self._rows.hook_count()
        if self._hook_count == before:
            return False
        self._hooks += self._rows.hooks(before[1])
        if len(self._hooks) != self._hook_count[0]:
            self._hooks = self._rows.hooks()
        return True


def session_hooks(store: TimelineStore, project_id: str, session_id: str) -> SessionHooks:
    """A session's events that hooks tell of, as the view `events` takes them."""
    made, found = Timeline(store, project_id, session_id), SessionHooks()
    made.refresh()
    for event in made.events:
        named = event.agent_id, event.tool_name
        if event.line and event.hooks:
            found.lines[event.line.line_id] = named
        elif event.hooks:
            found.others.append((event.hooks[0].line_id, *named, event.duration_ms, *event.tokens))
    return found
