"""Lines and hooks of a session, as they come -> its events in order, each once."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unspool.derive.event_columns import HOOK, LINE, PROMPT, Entry, EventColumns, Key
from unspool.derive.hook_groups import POST, PRE, HookGroup, HookGroups
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.reading.speech import heard
from unspool.json_depth import shallow
from unspool.model.live import (
    ByteRange,
    EventPosition,
    HookNote,
    LineEvent,
    MergedEvent,
    TokenCounts,
)
from unspool.model.rows import HookRow

_PROMPT_LINE: Final = "user_prompt"
# A prompt is told to hooks first; its line follows, sometimes much later.
_SOON_MS: Final = 60_000
_PROMPT_LENGTH: Final = 500


class _Input(Struct):
    prompt: str = ""


_input: Final = msgspec.json.Decoder(_Input)


class Lookup(NamedTuple):
    """What a timeline asks about lines it does not keep."""

    # The first line of the session that makes a call (PRE) or answers it (POST).
    line_of: Callable[[str, str], int | None]
    text_of: Callable[[int], str]  # what the line of a prompt says


class TimelineIndex:
    """Which events there are, in which order, and which hooks belong to which line.

    Every change costs what it changes. Texts and details are read back when they are shown.
    """

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self.columns, self.hooks = EventColumns(), HookGroups()
        self._agents: dict[str, int] = {"": 0}
        self._agent_names = [""]
        self._alone: dict[int, HookGroup] = {}  # events without a line, by their first hook's line
        self._copies: dict[int, list[HookGroup]] = {}  # by line
        self._calls: dict[tuple[str, str], list[HookGroup]] = {}
        self._prompts: list[HookGroup] = []  # of which a line may say the same

    def groups_at(self, position: int) -> Sequence[HookGroup]:
        """The hook groups of an event."""
        line = self.columns.line[position]
        if self.columns.kind[position] == HOOK:
            return (self._alone[line],)
        return self._copies.get(line, ())

    def agent_at(self, position: int) -> str:
        """Whose an event is."""
        own, groups = self.columns.agent[position], self.groups_at(position)
        if own or not groups:
            return self._agent_names[own]
        is_alone = self.columns.kind[position] == HOOK
        return self.hooks.agent_of(groups[0]) if is_alone else groups[0].first.agent_id

    def hooked(self) -> list[int]:
        """Positions of all events that have hooks."""
        kinds, lines = self.columns.kind, self.columns.line
        return [n for n, kind in enumerate(kinds) if kind == HOOK or lines[n] in self._copies]

    def add_lines(self, lines: Sequence[LineEvent]) -> None:
        """Take in lines, with the calls they make or answer."""
        self.columns.add(self._entry(line) for line in lines)
        if not len(self.hooks):
            return
        for call in {call for line in lines for call in calls_of(line)} & self._calls.keys():
            self._match_call(call)
        self._match_prompts([line.order for line in lines if _is_prompt(line)])

    def drop(self, keys: Iterable[Key]) -> None:
        """Forget some lines."""
        positions = [at for key in keys if (at := self.columns.find(key)) is not None]
        lines = [(self.columns.line[at], self.columns.key(at)) for at in positions]
        for _, key in lines:
            self.columns.remove(key)
        self._forget_lines([line for line, _ in lines])

    def drop_source(self, source_id: int) -> None:
        """Forget every line of a file."""
        sources = self.columns.source
        gone = self.columns.keep(lambda position: sources[position] != source_id)
        self._forget_lines([entry.line for entry in gone])

    def add_hooks(self, notes: Iterable[HookNote]) -> None:
        """Take in hook records."""
        gone, new = self.hooks.add(notes)
        times = [self._release(group) for group in gone]
        if gone:
            lost = set(map(id, gone))
            self._prompts = [group for group in self._prompts if id(group) not in lost]
        for group in new:
            call = group.call
            self._place(group, self._lookup.line_of(*call) if call else None)
            if call:
                self._calls.setdefault(call, []).append(group)
            elif group.first.prompt and group.first.at is not None:
                insort(self._prompts, group, key=_group_key)
                times.append(group.first.at)
        self._match_prompts([at for at in times if at is not None])

    def clear_hooks(self) -> None:
        """Forget every hook."""
        for group in self.hooks.groups:
            self._release(group)
        self.hooks, self._prompts = HookGroups(), []

    def _entry(self, line: LineEvent) -> Entry:
        agent = self._agents.setdefault(line.agent_id, len(self._agents))
        if agent == len(self._agent_names):
            self._agent_names.append(line.agent_id)
        return Entry(line_key(line), line.line_id, PROMPT if _is_prompt(line) else LINE, agent)

    def _forget_lines(self, lines: Iterable[int]) -> None:
        times = []
        for line in lines:
            for group in tuple(self._copies.get(line, ())):
                if group.call:
                    self._match_call(group.call)
                else:
                    times.append(group.line_at)
                    self._place(group, None)
        self._match_prompts(times)

    def _match_call(self, call: tuple[str, str]) -> None:
        line = self._lookup.line_of(*call)
        for group in self._calls[call]:
            if group.line_id != line:
                self._place(group, line)

    def _match_prompts(self, times: list[int]) -> None:
        """Match again where lines or hooks of these times came or went.

        Each prompt takes the nearest line that says it and that no earlier one has taken.
        """
        if not times:
            return
        first = bisect_left(self._prompts, min(times) - _SOON_MS, key=_group_time)
        for group in self._prompts[first:]:
            at = _group_time(group)
            if max(times) < at - _SOON_MS:
                break
            if all(abs(time - at) > _SOON_MS for time in times):
                continue
            line, line_at = self._prompt_line(group)
            if line != group.line_id:
                times += [group.line_at, line_at] if group.line_id else [line_at]
                for other in self._taken_by(line):
                    self._place(other, None)
                self._place(group, line, line_at)

    def _prompt_line(self, group: HookGroup) -> tuple[int | None, int]:
        prompt, at = group.first.prompt, _group_time(group)
        wanted = prompt.split()[0] if prompt.startswith("/") else prompt
        columns = self.columns
        near = columns.between(at - _SOON_MS, at + _SOON_MS)
        for position in sorted(near, key=lambda position: abs(columns.order[position] - at)):
            line = columns.line[position]
            if columns.kind[position] != PROMPT or self._is_taken(line, group):
                continue
            if wanted in self._lookup.text_of(line):
                return line, columns.order[position]
        return None, at

    def _is_taken(self, line: int, group: HookGroup) -> bool:
        """Whether an earlier prompt has this line."""
        return any(other.key < group.key for other in self._taken_by(line))

    def _taken_by(self, line: int | None) -> list[HookGroup]:
        groups = self._copies.get(line, ()) if line is not None else ()
        return [group for group in groups if not group.call]

    def _place(self, group: HookGroup, line: int | None, line_at: int = 0) -> None:
        """Make a group a part of a line's event, or an event of its own."""
        self._unplace(group)
        group.line_id, group.line_at = line, line_at
        if line is None:
            first = group.first
            self._alone[first.line_id] = group
            self.columns.add([Entry((first.at or 0, 0, first.line_id), first.line_id, HOOK)])
        else:
            insort(self._copies.setdefault(line, []), group, key=_group_key)

    def _unplace(self, group: HookGroup) -> None:
        first, line = group.first, group.line_id
        if line is None:
            if self._alone.get(first.line_id) is group:
                del self._alone[first.line_id]
                self.columns.remove((first.at or 0, 0, first.line_id))
            return
        rest = [other for other in self._copies[line] if other is not group]
        if rest:
            self._copies[line] = rest
        else:
            del self._copies[line]

    def _release(self, group: HookGroup) -> int | None:
        """Forget a group; the time of the prompt that is free again."""
        if call := group.call:
            rest = [other for other in self._calls[call] if other is not group]
            self._calls[call] = rest
            if not rest:
                del self._calls[call]
        self._unplace(group)
        return group.line_at if group.line_id and not group.call else None


def _group_key(group: HookGroup) -> tuple[int, int]:
    return group.key


def _group_time(group: HookGroup) -> int:
    return group.first.at or 0


def _is_prompt(line: LineEvent) -> bool:
    return line.event_type == _PROMPT_LINE and line.at is not None


def calls_of(line: LineEvent) -> list[tuple[str, str]]:
    """Kind and id of the calls that a line makes or answers."""
    return [(PRE, id) for id, _ in line.calls] + [(POST, id) for id in line.results]


def with_prompt(note: HookNote) -> HookNote:
    """A note as the store has it, with no more of its input than the prompt to look for."""
    if not note.prompt:
        return note
    try:
        prompt = heard(_input.decode(shallow(note.prompt)).prompt)
    except (*TROUBLE, ValueError):
        prompt = ""
    return replace(note, prompt=prompt[:_PROMPT_LENGTH])


def line_key(line: LineEvent) -> Key:
    """Where a line stands in its timeline."""
    return line.order, line.place.source_id, line.place.offset


def line_record(
    line: LineEvent,
    call: tuple[str, int | None] | None,
    hooks: tuple[HookRow, ...],
    tokens: TokenCounts,
) -> MergedEvent:
    """The event of a line; `call` is the name and time of the call that it answers."""
    id, name, duration = "", "", None
    if line.calls:
        id, name = line.calls[0]
    elif line.results:
        id = line.results[0]
        name, called = call or ("", None)
        duration = None if called is None or line.at is None else line.at - called
    hook = hooks[0] if hooks else None
    return MergedEvent(
        key=line_key(line),
        place=line.place,
        line=line,
        hooks=hooks,
        tool_name=name or (hook.tool_name if hook else ""),
        tool_use_id=id,
        agent_id=line.agent_id or (hook.agent_id if hook else ""),
        duration_ms=duration if duration is None or duration >= 0 else None,
        tokens=tokens,
    )


def hook_record(
    group: HookGroup, agent_id: str, rows: Mapping[int, HookRow], tokens: TokenCounts
) -> MergedEvent:
    """An event that only hooks tell of."""
    first = group.first
    return MergedEvent(
        key=(first.at or 0, 0, first.line_id),
        place=place_of(first.event_id),
        hooks=tuple(rows[note.line_id] for note in group.notes if note.line_id in rows),
        tool_name=first.tool_name,
        tool_use_id=first.tool_use_id,
        agent_id=agent_id,
        duration_ms=group.duration_ms,
        tokens=tokens,
    )


def event_id(place: EventPosition) -> str:
    """The id of the event at a place."""
    return f"{place.source_id}.{place.generation}.{place.offset}"


def is_within(place: EventPosition, spans: Iterable[ByteRange]) -> bool:
    """Whether an event begins within any of these bytes."""
    return any(
        (span.source_id, span.generation) == (place.source_id, place.generation)
        and span.begin <= place.offset < span.end
        for span in spans
    )


def place_of(event_id: str) -> EventPosition:
    """The place an event's id names; one that names none is nowhere."""
    parts = event_id.split(".")
    if len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts):
        source_id, generation, offset = map(int, parts)
        return EventPosition(source_id, generation, offset)
    return EventPosition(-1, 0, 0)
