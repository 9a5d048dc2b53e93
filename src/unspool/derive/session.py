"""Lines of one transcript, in file order -> all that it says so far.

One fold of folds: each line is read once and told to every fold that asks about it. Feeding a
file in pieces, however cut, ends in the same state as feeding it whole.
"""

from array import array
from collections import Counter
from collections.abc import Sequence

from unspool.derive.about import About, AboutFold
from unspool.derive.agents.facts import FactsFold
from unspool.derive.money.ledger import Ledger
from unspool.derive.reading.messages import read
from unspool.derive.reading.repeats import Repeats
from unspool.derive.status import StatusFold
from unspool.derive.story.chunks import ChunkFold
from unspool.derive.story.ongoing import OngoingFold
from unspool.derive.story.threads import ThreadFold
from unspool.derive.story.tools import ToolFold
from unspool.derive.story.turns import TurnFold
from unspool.model.agents import FactsKind
from unspool.model.document import Diagnostics
from unspool.model.message import Message
from unspool.model.transcript import Entry, Oversize, Progress, Unknown, Unreadable


class SessionFold:
    """What one transcript file says: a session's own, or one of its agents'."""

    def __init__(
        self, session_id: str, agent_id: str = "", *, path: str = "", kind: FactsKind = "main"
    ) -> None:
        self.session_id = session_id
        self.agent_id = agent_id
        self.chunks = ChunkFold(sidechain=bool(agent_id))
        self.tools = ToolFold()
        self.ledger = Ledger()
        self.about = AboutFold(session_id, agent_id)
        self.facts = FactsFold(agent_id, path=path, kind=kind)
        self.turns = TurnFold(sidechain=bool(agent_id))
        self.threads = ThreadFold(sidechain=bool(agent_id))
        self.ongoing = OngoingFold(sidechain=bool(agent_id))
        self.status = StatusFold(sidechain=bool(agent_id))
        self.messages = 0
        self._repeats = Repeats()
        self._offsets = array("Q")
        self._lengths = array("Q")
        self._entries = 0
        self._bad = 0
        self._salvaged = 0
        self._oversize = 0
        self._unknown: Counter[str] = Counter()

    def feed(self, offset: int, length: int, entries: Sequence[Entry]) -> None:
        """Take in the next line: its place, and the entries it held."""
        self._offsets.append(offset)
        self._lengths.append(length)
        line = len(self._offsets)
        if len(entries) > 1:
            self._salvaged += sum(type(entry) is not Unreadable for entry in entries)
        for part, entry in enumerate(entries):
            message = read(entry, line, part)
            self.about.feed(entry, message)
            if message is None:
                self._beside(entry)
            else:
                self._take(message, entry)

    def _take(self, message: Message, entry: Entry) -> None:
        self._entries += 1
        self.ledger.feed(message)
        self.threads.feed(message)
        fresh = self._repeats.fresh(message)
        if fresh is None:
            return
        if message.type != "attachment":
            self.messages += 1
        self.tools.feed(fresh)
        self.facts.feed(fresh, entry)
        self.chunks.feed(fresh)
        self.turns.feed(fresh)
        self.ongoing.feed(fresh)
        self.status.feed(fresh)

    def _beside(self, entry: Entry) -> None:
        kind = type(entry)
        if kind is Unreadable:
            self._bad += 1
            return
        if kind is Oversize:
            self._oversize += 1
            return
        self._entries += 1
        if isinstance(entry, Unknown):
            self._unknown[entry.type] += 1
            return
        if isinstance(entry, Progress):
            self.threads.feed_link(entry.uuid, entry.parent_uuid)
        self.facts.feed_beside(entry)
        self.status.feed_beside(entry)

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
    def weight(self) -> int:
        """About how many bytes of memory this fold holds."""
        return 1_200 * self.messages + 32 * self.lines

    @property
    def diagnostics(self) -> Diagnostics:
        """What could be read, and what could not."""
        return Diagnostics(
            lines=self.lines,
            entries=self._entries,
            bad_lines=self._bad,
            salvaged=self._salvaged,
            oversize=self._oversize,
            unknown_types=dict(sorted(self._unknown.items())),
            foreign=self.known().foreign,
        )
