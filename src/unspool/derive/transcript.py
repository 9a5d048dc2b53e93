"""Lines of one transcript, in file order -> all that it says so far. This is the only such fold.

Index, page, live board and `tail` feed the same fold and read its deltas; a view that a consumer
does not need is switched off. Feeding a file in pieces, however cut, ends in the same state as
feeding it whole.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from enum import IntFlag
from itertools import groupby, islice
from typing import Final, TypeAlias

from msgspec import Struct

from unspool.derive.agents.facts import FactsFold
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.fold_state import Counters, FoldState, ThreadState
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.session_facts import SessionFacts, SessionFactsFold
from unspool.derive.status import StatusFold
from unspool.derive.story.chunks import ChunkFold
from unspool.derive.story.threads import ThreadFold
from unspool.derive.story.tools import ToolFold
from unspool.derive.story.turns import TurnFold, begins_turn
from unspool.derive.usage.file_usage import FileUsage
from unspool.model.document import Diagnostics
from unspool.model.message import FactsKind, Message
from unspool.model.transcript import (
    Assistant,
    Attachment,
    Entry,
    Oversize,
    Progress,
    System,
    Unknown,
    Unreadable,
    User,
)

Line: TypeAlias = tuple[int, int, Sequence[Entry]]  # offset, length, and the entries it held
_Read: TypeAlias = tuple[Entry, Message | None]

# Each sub-fold goes through several lines in a row: to go from fold to fold at every line takes
# half as long again.
BATCH: Final = 64


class Views(IntFlag):
    """What a fold keeps beyond facts, status, counts and repeats, which it always does."""

    NONE = 0
    USAGE = 1  # a row for each response
    STORY = 2  # spans, calls, turns, threads and places of lines: what a page shows
    PAGE = USAGE | STORY


class Record(Struct, gc=False):
    """One entry of a line and what was read of it."""

    entry: Entry
    message: Message | None  # None: it is no part of the conversation
    fresh: Message | None  # what of the message did not stand in the file before
    turn: int  # of its thread, counted from 1; 0 before the first


class Delta(Struct):
    """What the last lines brought: one record for each of their entries, in order."""

    first: int  # number of the first line
    lines: Sequence[Line]
    records: list[Record]


class _Places:
    """The lines of a file: how many, and where each lies if somebody reads them back."""

    def __init__(self) -> None:
        self.lines = 0
        self.offsets = array("Q")
        self.lengths = array("Q")


class TranscriptFold:
    """What one transcript says: a session's own, or one of its agents'.

    `inline` are the agents without a file: their lines stand in this one, under its numbers.
    `start` has to be fed the bytes of every line before the line itself.
    """

    def __init__(
        self,
        session_id: str,
        agent_id: str = "",
        *,
        path: str = "",
        kind: FactsKind = "main",
        views: Views = Views.PAGE,
        usage: FileUsage | None = None,
    ) -> None:
        self.session_id = session_id
        self.agent_id = agent_id
        self._views = views
        self._has_usage, self._has_story = Views.USAGE in views, Views.STORY in views
        self.inline: dict[str, TranscriptFold] = {}
        self.chunks = ChunkFold()
        self.tools = ToolFold()
        self.turns = TurnFold()
        self.threads = ThreadFold()
        self.usage = usage or FileUsage(session_id, agent_id)
        self.start = self.usage.start
        self.about = SessionFactsFold(session_id, agent_id)
        self.facts = FactsFold(agent_id, path=path, kind=kind)
        self.status = StatusFold()
        self._counters = Counters()
        self._agents = InlineAgents()
        self._repeats = Repeats()
        self._places = _Places()
        self._numbers: array[int] | None = None  # of an inline agent: its lines among the others
        self._known: tuple[int, SessionFacts] | None = None

    def feed_all(self, lines: Iterable[Line]) -> None:
        """Take in the next lines, however many."""
        for some in batched(lines):
            self.feed(some)

    def feed(self, lines: Sequence[Line]) -> Delta:
        """Take in the next lines, a batch at most; what they brought."""
        first, read_lines = self.lines + 1, self._read(lines)
        about = self.about.feed
        for entry, message in read_lines:
            about(entry, message)
        if self.agent_id or not any(one and one.is_sidechain for _, one in read_lines):
            return Delta(first, lines, self._take(read_lines))
        return Delta(first, lines, self._share(read_lines))

    def _read(self, lines: Sequence[Line]) -> list[_Read]:
        found: list[_Read] = []
        places = self._places
        if self._has_story:
            places.offsets.extend([line[0] for line in lines])
            places.lengths.extend([line[1] for line in lines])
        for number, (_, _, entries) in enumerate(lines, places.lines + 1):
            if len(entries) > 1:
                self._counters.salvaged += sum(type(entry) is not Unreadable for entry in entries)
            for part, entry in enumerate(entries):
                found.append((entry, read(entry, number, part)))
        places.lines += len(lines)
        return found

    def _share(self, lines: Sequence[_Read]) -> list[Record]:
        """Give each inline agent its lines, in the order they stand in."""
        records: list[Record] = []
        named = [(entry, self._name(message)) for entry, message in lines]
        for agent, run in groupby(named, _agent_of):
            if agent:
                records += self._inline(agent)._take_inline(list(run))
            else:
                records += self._take(list(run))
        return records

    def _name(self, message: Message | None) -> Message | None:
        return self._agents.name(message) if message and message.is_sidechain else message

    def _inline(self, agent: str) -> "TranscriptFold":
        fold = self.inline.get(agent)
        if fold is None:
            kind: FactsKind = "inline_subagent"
            fold = TranscriptFold(self.session_id, agent, kind=kind, views=self._views)
            # The file is one: places count from its start, its lines are repeated in it, and a
            # response may be split between its threads.
            fold._places, fold._repeats, fold.usage = self._places, self._repeats, self.usage
            fold._numbers = array("Q")
            self.inline[agent] = fold
        return fold

    def _take_inline(self, lines: Sequence[_Read]) -> list[Record]:
        for entry, message in lines:
            self.about.feed(entry, message)
            number = message.line if message else 0
            if self._numbers is not None and number not in self._numbers[-1:]:
                self._numbers.append(number)
        return self._take(lines)

    def _take(self, lines: Sequence[_Read]) -> list[Record]:
        """Tell a run of one thread's lines to its folds."""
        self._count(lines)
        records, fresh_of, counters = [], self._repeats.fresh, self._counters
        heard: list[_Read] = []
        for entry, message in lines:
            if message is None:
                records.append(Record(entry, None, None, counters.turn))
                if self._is_read(entry):
                    heard.append((entry, None))
                continue
            fresh = fresh_of(message)
            if fresh is not None:
                heard.append((entry, fresh))
                if fresh.category != "ai" or not counters.turn:
                    counters.turn += begins_turn(fresh, counters.turn > 0)
            records.append(Record(entry, message, fresh, counters.turn))
            counters.without_uuid += not message.uuid
        counters.entries += sum(message is not None for _, message in lines)
        self._hear(heard)
        return records

    def _count(self, lines: Sequence[_Read]) -> None:
        """Tell the folds that ask about every line, also one that was written before."""
        if self._has_usage:
            usage = self.usage.feed
            for entry, message in lines:
                usage(message, entry)
        if self._has_story:
            threads = self.threads
            for entry, message in lines:
                if message is not None:
                    threads.feed(message)
                elif type(entry) is Progress:
                    threads.feed_link(entry.uuid, entry.parent_uuid)

    def _is_read(self, entry: Entry) -> bool:
        """Count a line that is no message; whether it is of a kind we read."""
        kind, counters = type(entry), self._counters
        counters.bad += kind is Unreadable
        counters.oversize += kind is Oversize
        if kind is Unreadable or kind is Oversize:
            return False
        counters.entries += 1
        counters.without_uuid += _lacks_uuid(entry)
        if isinstance(entry, Unknown):
            counters.unknown[entry.type] = counters.unknown.get(entry.type, 0) + 1
            return False
        return True

    def _hear(self, lines: Sequence[_Read]) -> None:
        """Tell what is new to the folds that ask about that alone."""
        fresh = [message for _, message in lines if message is not None]
        self._measure(fresh)
        for fold in (self.tools, self.chunks, self.turns) if self._has_story else ():
            feed = fold.feed
            for one in fresh:
                feed(one)
        for entry, message in lines:
            if message is None:
                self.facts.feed_beside(entry)
            else:
                self.facts.feed(message, entry)
        for entry, message in lines:
            if message is None:
                self.status.feed_beside(entry)
            else:
                self.status.feed(message, entry)

    def _measure(self, messages: Sequence[Message]) -> None:
        counters = self._counters
        counters.messages += sum(one.type != "attachment" for one in messages)
        counters.compactions += sum(one.category == "compact" for one in messages)
        for one in reversed(messages):
            prompt = one.tokens.prompt if one.tokens else 0
            prompt = prompt or (one.compaction[2] if one.compaction else 0) or 0
            if prompt:
                counters.context = prompt
                break

    def state(self, line_at: int = 0, version: str = "") -> FoldState:
        """What it remembers beside the uuids of its lines; only a fold without views has all."""
        start = self.start
        return FoldState(
            self.lines,
            self._thread(),
            {id: fold._thread() for id, fold in self.inline.items()},
            self._agents.last,
            self._repeats.open,
            (start.kind, start.first_at, start.is_open),
            line_at,
            version,
        )

    def _thread(self) -> ThreadState:
        return ThreadState(self.about, self.facts, self.status.shortened(), self._counters)

    def resume(self, state: FoldState, uuids: Iterable[tuple[str, str]]) -> None:
        """Go on from a state; `uuids` are those of its messages, each with its inline agent."""
        self._places.lines = state.lines
        self._repeats = Repeats(state.responses)
        self._agents = InlineAgents(last=state.last_agent)
        self.add_uuids(uuids)
        self.start.kind, self.start.first_at, self.start.is_open = state.start
        self._resume_thread(state.thread)
        for agent, thread in state.inline.items():
            self._inline(agent)._resume_thread(thread)

    def add_uuids(self, uuids: Iterable[tuple[str, str]]) -> None:
        """Take in uuids that `resume` was not given, before the next line is fed."""
        self._known = None
        for uuid, agent in uuids:
            self._repeats.add(uuid)
            if agent:
                self._agents.add(uuid, agent)

    def _resume_thread(self, thread: ThreadState) -> None:
        self.about, self.facts, self.status = thread.about, thread.facts, thread.status
        self._counters = thread.counters
        self._known = None

    def drop_story(self) -> None:
        """Forget what only a page shows; everything else goes on."""
        self._views &= ~Views.STORY
        self._has_story = False
        self.chunks, self.tools = ChunkFold(), ToolFold()
        self.turns, self.threads = TurnFold(), ThreadFold()
        self._places.offsets, self._places.lengths = array("Q"), array("Q")
        for fold in self.inline.values():
            fold.drop_story()

    def known(self) -> SessionFacts:
        """The facts about the session this file is part of; the same while no line is fed."""
        lines = len(self.numbers)
        if self._known is None or self._known[0] != lines:
            self._known = lines, self.about.facts(self._repeats)
        return self._known[1]

    def place(self, line: int) -> tuple[int, int]:
        """Offset and length of a line, by its 1-based number."""
        return self._places.offsets[line - 1], self._places.lengths[line - 1]

    @property
    def lines(self) -> int:
        """How many lines the file has so far, blank ones included."""
        return self._places.lines

    @property
    def messages(self) -> int:
        """How many messages there are, attachments not counted."""
        return self._counters.messages

    @property
    def compactions(self) -> int:
        """How often the conversation was compacted."""
        return self._counters.compactions

    @property
    def context(self) -> int:
        """What the model read last: the measured context of the thread."""
        return self._counters.context

    @property
    def bad_lines(self) -> int:
        """How many lines could not be read, or were too long to be."""
        return self._counters.bad + self._counters.oversize

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of its lines: all of the file's, except for an inline agent."""
        return range(1, self.lines + 1) if self._numbers is None else self._numbers

    @property
    def weight(self) -> int:
        """About how many bytes of memory this fold holds."""
        inside = sum(fold.weight for fold in self.inline.values())
        return 1_200 * self.messages + 32 * len(self.numbers) + inside

    @property
    def diagnostics(self) -> Diagnostics:
        """What could be read, and what could not."""
        counters = self._counters
        below = [fold._counters for fold in self.inline.values()]
        return Diagnostics(
            lines=len(self.numbers),
            entries=counters.entries + sum(one.entries for one in below),
            bad_lines=counters.bad,
            salvaged=counters.salvaged,
            oversize=counters.oversize,
            unknown_types=dict(sorted(counters.unknown.items())),
            foreign=self.known().foreign,
            without_uuid=counters.without_uuid + sum(one.without_uuid for one in below),
        )


def batched(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Lines in the portions a fold likes best."""
    waiting = iter(lines)
    while some := list(islice(waiting, BATCH)):
        yield some


def _lacks_uuid(entry: Entry) -> bool:
    """Whether a line would be part of the conversation if it had an id."""
    return isinstance(entry, User | System | Attachment | Assistant) and not entry.uuid


def _agent_of(line: _Read) -> str:
    message = line[1]
    return message.agent_id if message and message.is_sidechain else ""
