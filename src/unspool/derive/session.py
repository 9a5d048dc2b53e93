"""Lines of one transcript, in file order -> all that it says so far.

One fold of folds: each line is read once and told to every fold that asks about it. Feeding a
file in pieces, however cut, ends in the same state as feeding it whole.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import Final, TypeAlias

from unspool.derive.about import About, AboutFold
from unspool.derive.agents.facts import FactsFold
from unspool.derive.agents.inline import InlineAgents
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.status import StatusFold
from unspool.derive.story.chunks import ChunkFold
from unspool.derive.story.threads import ThreadFold
from unspool.derive.story.tools import ToolFold
from unspool.derive.story.turns import TurnFold
from unspool.derive.usage.lines import FileUsage
from unspool.model.document import Diagnostics
from unspool.model.message import FactsKind, Message
from unspool.model.transcript import Entry, Oversize, Progress, Unknown, Unreadable

Line: TypeAlias = tuple[int, int, Sequence[Entry]]  # offset, length, and the entries it held
Told: TypeAlias = tuple[Entry, Message | None]

_AT_ONCE: Final = 64


class SessionFold:
    """What one transcript says: a session's own, or one of its agents'.

    `inline` are the agents without a file: their lines stand in this one, under its numbers.
    """

    def __init__(
        self, session_id: str, agent_id: str = "", *, path: str = "", kind: FactsKind = "main"
    ) -> None:
        self.session_id = session_id
        self.agent_id = agent_id
        self.inline: dict[str, SessionFold] = {}
        self.chunks = ChunkFold()
        self.tools = ToolFold()
        self.usage = FileUsage(session_id, agent_id)
        self.about = AboutFold(session_id, agent_id)
        self.facts = FactsFold(agent_id, path=path, kind=kind)
        self.turns = TurnFold()
        self.threads = ThreadFold()
        self.status = StatusFold()
        self.messages = 0
        self._agents = InlineAgents()
        self._repeats = Repeats()
        self._offsets = array("Q")
        self._lengths = array("Q")
        self._numbers: array[int] | None = None  # of an inline agent: its lines among the others
        self._entries = 0
        self._bad = 0
        self._salvaged = 0
        self._oversize = 0
        self._unknown: Counter[str] = Counter()

    def feed(self, offset: int, length: int, entries: Sequence[Entry]) -> None:
        """Take in the next line: its place, and the entries it held."""
        self.feed_all([(offset, length, entries)])

    def feed_all(self, lines: Iterable[Line]) -> None:
        """Take in the next lines.

        Each fold goes through several in a row: to go from fold to fold at every line takes half
        as long again.
        """
        waiting = iter(lines)
        while some := list(islice(waiting, _AT_ONCE)):
            told = self._told(some)
            about = self.about.feed
            for entry, message in told:
                about(entry, message)
            if self.agent_id or not any(one and one.is_sidechain for _, one in told):
                self._take(told)
            else:
                self._share(told)

    def _told(self, lines: Sequence[Line]) -> list[Told]:
        told: list[Told] = []
        for offset, length, entries in lines:
            self._offsets.append(offset)
            self._lengths.append(length)
            line = len(self._offsets)
            if len(entries) > 1:
                self._salvaged += sum(type(entry) is not Unreadable for entry in entries)
            for part, entry in enumerate(entries):
                told.append((entry, read(entry, line, part)))
        return told

    def _share(self, told: Sequence[Told]) -> None:
        """Give each inline agent its lines, in the order they stand in."""
        named = [(entry, self._name(message)) for entry, message in told]
        for agent, run in groupby(named, _agent_of):
            if agent:
                self._inline(agent)._take_inline(list(run))
            else:
                self._take(list(run))

    def _name(self, message: Message | None) -> Message | None:
        return self._agents.name(message) if message and message.is_sidechain else message

    def _inline(self, agent: str) -> "SessionFold":
        fold = self.inline.get(agent)
        if fold is None:
            fold = SessionFold(self.session_id, agent, kind="inline_subagent")
            # The file is one: places count from its start, and its lines are repeated in it.
            fold._offsets, fold._lengths = self._offsets, self._lengths
            fold._repeats = self._repeats
            fold.usage = FileUsage(self.session_id, agent, start=self.usage.start)
            fold._numbers = array("Q")
            self.inline[agent] = fold
        return fold

    def _take_inline(self, told: Sequence[Told]) -> None:
        for entry, message in told:
            self.about.feed(entry, message)
            number = message.line if message else 0
            if self._numbers is not None and number not in self._numbers[-1:]:
                self._numbers.append(number)
        self._take(told)

    def _take(self, told: Sequence[Told]) -> None:
        self._count(told)
        self._hear(self._new(told))

    def _count(self, told: Sequence[Told]) -> None:
        """Tell the folds that ask about every line, also one that was written before."""
        usage, threads = self.usage.feed, self.threads
        for entry, message in told:
            if message is not None:
                usage(message, entry)
        for entry, message in told:
            if message is not None:
                threads.feed(message)
            elif type(entry) is Progress:
                threads.feed_link(entry.uuid, entry.parent_uuid)

    def _new(self, told: Sequence[Told]) -> list[Told]:
        """The lines that say anything, and of each what is new in it."""
        found: list[Told] = []
        for entry, message in told:
            if message is None:
                if self._is_read(entry):
                    found.append((entry, None))
                continue
            self._entries += 1
            fresh = self._repeats.fresh(message)
            if fresh is not None:
                found.append((entry, fresh))
        return found

    def _is_read(self, entry: Entry) -> bool:
        """Count a line that is no message; whether it is of a kind we read."""
        kind = type(entry)
        self._bad += kind is Unreadable
        self._oversize += kind is Oversize
        if kind is Unreadable or kind is Oversize:
            return False
        self._entries += 1
        if isinstance(entry, Unknown):
            self._unknown[entry.type] += 1
            return False
        return True

    def _hear(self, told: Sequence[Told]) -> None:
        fresh = [message for _, message in told if message is not None]
        self.messages += sum(one.type != "attachment" for one in fresh)
        for fold in (self.tools, self.chunks, self.turns):
            feed = fold.feed
            for one in fresh:
                feed(one)
        for entry, message in told:
            if message is None:
                self.facts.feed_beside(entry)
            else:
                self.facts.feed(message, entry)
        for entry, message in told:
            if message is None:
                self.status.feed_beside(entry)
            else:
                self.status.feed(message, entry)

    def known(self) -> About:
        """The facts about the session this file is part of."""
        return self.about.about(self._repeats)

    def place(self, line: int) -> tuple[int, int]:
        """Offset and length of a line, by its 1-based number."""
        return self._offsets[line - 1], self._lengths[line - 1]

    @property
    def lines(self) -> int:
        """How many lines the file has so far, blank ones included."""
        return len(self._offsets)

    @property
    def bad_lines(self) -> int:
        """How many of them could not be read, or were too long to be."""
        return self._bad + self._oversize

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of its lines: all of the file's, but for an inline agent."""
        return range(1, self.lines + 1) if self._numbers is None else self._numbers

    @property
    def weight(self) -> int:
        """About how many bytes of memory this fold holds."""
        inside = sum(fold.weight for fold in self.inline.values())
        return 1_200 * self.messages + 32 * len(self.numbers) + inside

    @property
    def diagnostics(self) -> Diagnostics:
        """What could be read, and what could not."""
        return Diagnostics(
            lines=len(self.numbers),
            entries=self._entries + sum(fold._entries for fold in self.inline.values()),
            bad_lines=self._bad,
            salvaged=self._salvaged,
            oversize=self._oversize,
            unknown_types=dict(sorted(self._unknown.items())),
            foreign=self.known().foreign,
        )


def _agent_of(told: Told) -> str:
    message = told[1]
    return message.agent_id if message and message.is_sidechain else ""
