"""Hook records of one session, as they come -> the events they tell of, oldest first."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeVar

from unspool.derive.hooks import is_same
from unspool.model.live import HookNote

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

PRE, POST = "pre_tool_use", "post_tool_use"
# Both end a call: the transcript has one kind of line for them.
COPIES: Final = {PRE: PRE, POST: POST, "post_tool_use_failure": POST}


class HookGroup:
    """The records of one event, and the line that tells of it too."""

    __slots__ = ("agent_id", "duration_ms", "guess", "line_at", "line_id", "notes")

    def __init__(self, note: HookNote) -> None:
        self.notes = [note]
        self.agent_id, self.guess = note.agent_id, ""
        self.duration_ms: int | None = None
        self.line_id: int | None = None
        self.line_at = 0

    @property
    def first(self) -> HookNote:
        return self.notes[0]

    @property
    def key(self) -> tuple[int, int]:
        """Its place among groups."""
        return note_key(self.notes[0])

    @property
    def call(self) -> tuple[str, str] | None:
        """Kind and id of the call or result it is a copy of."""
        first = self.notes[0]
        kind = COPIES.get(first.event_type)
        return (kind, first.tool_use_id) if kind and first.tool_use_id else None


class _Undo(NamedTuple):
    """What feeding the first record of a group changed."""

    newest: HookGroup | None
    agents: tuple[tuple[str, int], ...]
    call: tuple[str, str]
    began: int | None


class HookGroups:
    """Groups records and follows what has begun and not ended.

    A record that comes late is put where it belongs: what was fed after it is taken back and fed
    again, so it costs as much as it is late.
    """

    def __init__(self) -> None:
        self.groups: list[HookGroup] = []
        self.by_line: dict[int, HookGroup] = {}
        self._notes: list[HookNote] = []
        self._undo: list[_Undo | None] = []
        self._newest: dict[str, HookGroup] = {}
        self._calls: dict[tuple[str, str], int] = {}
        self._agents: tuple[tuple[str, int], ...] = ()  # the one that began last at the end
        self._telling = 0

    def __len__(self) -> int:
        return len(self._notes)

    def agent_of(self, group: HookGroup) -> str:
        """Whose event it is. Older versions do not say: then it is the agent's that runs."""
        return group.agent_id or ("" if self._telling else group.guess)

    def add(self, notes: Iterable[HookNote]) -> tuple[list[HookGroup], list[HookGroup]]:
        """Take in records; the groups that are no more, and those that are new."""
        fresh = sorted(notes, key=note_key)
        if not fresh:
            return [], []
        begin = bisect_left(self._notes, note_key(fresh[0]), key=note_key)
        again = self._notes[begin:]
        gone = self._take_back(begin)
        count = len(self.groups)
        for note in sorted([*again, *fresh], key=note_key) if again else fresh:
            self._feed(note)
        return gone, self.groups[count:]

    def _feed(self, note: HookNote) -> None:
        self._notes.append(note)
        group = self._newest.get(note.key)
        if group and is_same(note.key, note.at or 0, group.notes[-1].at or 0):
            group.notes.append(note)
            self.by_line[note.line_id] = group
            self._undo.append(None)
            return
        call = note.agent_id, note.tool_use_id or note.tool_name
        self._undo.append(_Undo(group, self._agents, call, self._calls.get(call)))
        self._newest[note.key] = self.by_line[note.line_id] = made = HookGroup(note)
        self.groups.append(made)
        self._telling += bool(note.tool_name and note.agent_id)
        self._follow(made, call)

    def _follow(self, group: HookGroup, call: tuple[str, str]) -> None:
        """Whose the next event is, and how long what it ends has taken."""
        note, start = group.first, None
        at = note.at or 0
        if note.event_type == PRE:
            self._calls[call] = at
        elif COPIES.get(note.event_type) == POST:
            start = self._calls.pop(call, None)
        elif note.event_type == "session_end":
            self._agents = ()
        elif note.event_type == "subagent_start":
            self._agents = (*self._agents, (note.agent_id, at))
        elif note.event_type == "subagent_stop" and (found := self._stopped(note.agent_id)):
            index = self._agents.index(found)
            self._agents = self._agents[:index] + self._agents[index + 1 :]
            group.agent_id, start = note.agent_id or found[0], found[1]
        if note.tool_name and not group.agent_id and self._agents:
            group.guess = self._agents[-1][0]
        if note.duration_ms is not None:
            group.duration_ms = int(note.duration_ms)
        else:
            group.duration_ms = None if start is None or at < start else at - start

    def _stopped(self, agent: str) -> tuple[str, int] | None:
        """The agent that stops: by its id, else the one that began last."""
        fitting = [one for one in self._agents if not agent or one[0] in ("", agent)]
        exact = [one for one in fitting if one[0] == agent]
        return next(reversed(exact or fitting), None)

    def _take_back(self, count: int) -> list[HookGroup]:
        """Undo all but the first records, which are fed again; the groups that are gone."""
        gone: list[HookGroup] = []
        while len(self._notes) > count:
            note, undo = self._notes.pop(), self._undo.pop()
            if undo is None:
                self._newest[note.key].notes.pop()
                continue
            gone.append(self.groups.pop())
            _restore(self._newest, note.key, undo.newest)
            _restore(self._calls, undo.call, undo.began)
            self._agents = undo.agents
            self._telling -= bool(note.tool_name and note.agent_id)
        return gone


def _restore(known: dict[_Key, _Value], key: _Key, value: _Value | None) -> None:
    if value is None:
        known.pop(key, None)
    else:
        known[key] = value


def note_key(note: HookNote) -> tuple[int, int]:
    """Records are ordered by time."""
    return note.at or 0, note.line_id
