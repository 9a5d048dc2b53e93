"""The folds of a session's files -> one session: agents linked, every response counted once."""

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, structs

from unspool.derive.agents.facts import with_journals
from unspool.derive.agents.subagents import AgentTree, ChunkFinder, SpawnedAgents
from unspool.derive.context.attribution import ContextFold
from unspool.derive.context.files import FileSizes
from unspool.derive.decisions import HookIndex
from unspool.derive.session_facts import SessionFacts
from unspool.derive.story.chunks import Span
from unspool.derive.story.span_totals import SpanTotals, SpanTotalsCache
from unspool.derive.story.turns import TurnCache
from unspool.derive.transcript import TranscriptFold
from unspool.derive.usage.file_usage import FileUsage
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.session_usage import SessionUsage, UsageByLine, UsageSum
from unspool.model.document import Context, Metrics, Subagent, Turn
from unspool.model.hooks import HookEvent
from unspool.model.message import AgentLink, LinkFacts
from unspool.model.prices import PriceTable
from unspool.model.sidecars import AgentMeta
from unspool.model.steps import ContextPoint
from unspool.model.usage import Mode, UsageRow

MAIN = ""


class AgentPart(Struct, frozen=True):
    """One agent's transcript as it is now."""

    fold: TranscriptFold
    meta: AgentMeta | None = None
    is_ongoing: bool = False


class Prices(Struct, frozen=True):
    """The table and the rule by which responses are priced."""

    table: PriceTable
    mode: Mode = "billing"


class Ownership(Struct, frozen=True):
    """What other sessions and earlier versions of the files have to do with a session's usage."""

    is_exact: bool  # False: only marks were asked, not an index of all sessions
    elsewhere: Mapping[str, str] = {}  # keys of its responses that another session owns: which
    earlier: Sequence[UsageRow] = ()  # what no file of it says any more, of responses or in part


class TranscriptJoin:
    """What a page asks of one transcript, kept as it grows."""

    def __init__(self, fold: TranscriptFold) -> None:
        self._fold = fold
        self._lines = -1
        self._facts = self._own_facts = LinkFacts()
        self._context = ContextFold(None)
        self.chunk_finder = ChunkFinder(fold.chunks, fold.tools)

    def facts(self, meta: AgentMeta | None = None, *, is_ongoing: bool = False) -> LinkFacts:
        """What it says about agents; the same object while that is the same."""
        lines = len(self._fold.numbers)
        if lines != self._lines:
            self._lines, self._own_facts = lines, self._fold.facts.facts()
            self._facts = self._own_facts
        meta = meta or self._own_facts.meta
        if (self._facts.meta, self._facts.is_ongoing) != (meta, is_ongoing):
            self._facts = structs.replace(self._facts, meta=meta, is_ongoing=is_ongoing)
        return self._facts

    def context(self, sizes: FileSizes | None) -> Context:
        """What filled its context; with other sizes it is counted from the start."""
        if self._context.sizes != sizes:
            self._context = ContextFold(sizes)
        self._context.update(self._fold.chunks.spans)
        return self._context.context

    @property
    def context_points(self) -> Sequence[ContextPoint]:
        """The same for each response, as it was when the context was last asked for."""
        return self._context.points


class TranscriptUsage:
    """What the turns and chunks of one transcript used, summed as responses come and go."""

    def __init__(self, fold: TranscriptFold, lines: UsageByLine) -> None:
        self.fold = fold
        self._lines = lines
        self._turns = TurnCache(fold.turns)
        self._chunks = SpanTotalsCache(fold.chunks)
        lines.drain()
        self._turns.apply((row, 1) for row in lines.rows())

    def update(self) -> None:
        """Take in the responses that came or went since."""
        changes = self._lines.drain()
        self._turns.apply(changes)
        self._chunks.apply(changes)

    def turns(self) -> tuple[Turn, ...]:
        """All turns."""
        return self._turns.turns()

    def chunk(self, span: Span) -> SpanTotals:
        """The totals of one chunk."""
        return self._chunks.of(span, self._lines)


class SessionJoin:
    """What the files of a session say together, kept as they grow: an append costs an append."""

    def __init__(self, prices: Prices, *, by_line: bool = True) -> None:
        self.prices = prices
        self._is_by_line = by_line  # False: nobody asks for turns or for what a line used
        self.pricer = Pricer(prices.table, prices.mode)
        self.tree = AgentTree()
        self._hooks = HookIndex()
        self._reset()

    def _reset(self) -> None:
        self.usage = SessionUsage(self.pricer, by_line=self._is_by_line)
        self._files: dict[int, FileUsage] = {}
        self._transcripts: dict[TranscriptFold, TranscriptJoin] = {}
        self._used: dict[str, TranscriptUsage] = {}

    def update(self, folds: Iterable[TranscriptFold], ownership: Ownership) -> None:
        """Take in what is new in the files; where one was replaced, all of them once more."""
        files = {id(fold.usage): fold.usage for fold in folds}  # inline agents share their file's
        if not self._files.keys() <= files.keys():
            self._reset()
        for name, file in files.items():
            changed = file.drain()
            self.usage.put_all(changed if name in self._files else list(file.rows.values()))
        self._files = files
        self.usage.correct(ownership.elsewhere, ownership.earlier)

    def transcript(self, fold: TranscriptFold) -> TranscriptJoin:
        """What is kept of one of its transcripts."""
        if fold not in self._transcripts:
            self._transcripts[fold] = TranscriptJoin(fold)
        return self._transcripts[fold]

    def usage_of(self, owner: str, fold: TranscriptFold) -> TranscriptUsage:
        """What the turns and chunks of one transcript used."""
        known = self._used.get(owner)
        if known is None or known.fold is not fold:
            known = self._used[owner] = TranscriptUsage(fold, self.usage.lines_of(owner))
        known.update()
        return known

    def hook_index(self, events: Sequence[HookEvent]) -> HookIndex:
        """The session's hook events by call."""
        self._hooks.update(events)
        return self._hooks


class Whole:
    """A session with all its agents, joined at one moment."""

    def __init__(
        self,
        main: TranscriptFold,
        parts: Sequence[AgentPart],
        join: SessionJoin,
        ownership: Ownership,
        *,
        journals: Iterable[LinkFacts] = (),
        at_work: Container[str] = (),  # of the inline agents
    ) -> None:
        inline = [AgentPart(fold, None, id in at_work) for id, fold in main.inline.items()]
        # Where an agent has a file as well, that is its transcript.
        self.folds: dict[str, TranscriptFold] = {MAIN: main, **main.inline}
        self.folds |= {part.fold.agent_id: part.fold for part in parts}
        self.ownership = ownership
        self.join = join
        every = [*parts, *inline]
        join.update([main, *(part.fold for part in every)], ownership)
        transcript = join.transcript
        self.abouts: dict[str, SessionFacts] = {id: fold.known() for id, fold in self.folds.items()}
        join.tree.update(
            with_journals(transcript(main).facts(), journals),
            [transcript(part.fold).facts(part.meta, is_ongoing=part.is_ongoing) for part in every],
        )
        self.facts: list[LinkFacts] = join.tree.facts
        self.links: list[AgentLink] = join.tree.links
        self.agents: tuple[Subagent, ...] = join.tree.subagents(self.metrics)

    def transcript(self, owner: str) -> TranscriptJoin:
        """What is kept of one transcript."""
        return self.join.transcript(self.folds[owner])

    def turns(self, owner: str) -> tuple[Turn, ...]:
        """The turns of one transcript, each with what it used."""
        return self.join.usage_of(owner, self.folds[owner]).turns()

    def chunk(self, owner: str, span: Span) -> SpanTotals:
        """What the messages of one chunk add up to."""
        return self.join.usage_of(owner, self.folds[owner]).chunk(span)

    def agents_by_chunk(self, owner: str) -> dict[str, list[str]]:
        """The agents that each chunk of a transcript shows."""
        return self._spawned.by_chunk(self.transcript(owner).chunk_finder, owner or None)

    def usage(self, owner: str) -> UsageSum:
        """What one transcript is charged for."""
        return self.join.usage.agents.get(owner) or UsageSum()

    def usage_below(self, owner: str) -> UsageSum:
        """What the agents are charged for that a transcript led to.

        Of the main one that is all of them, also those that are not shown: a warm-up, and agents
        whose files are gone, were paid for.
        """
        if owner == MAIN:
            return UsageSum.of(used for id, used in self.join.usage.agents.items() if id != MAIN)
        return UsageSum.of(self.usage(agent.id) for agent in self.below(owner))

    def metrics(self, owner: str) -> Metrics:
        """Counts of one transcript alone."""
        messages, duration = self.folds[owner].messages, self.duration(owner)
        return self.usage(owner).metrics(message_count=messages, duration_ms=duration)

    def duration(self, owner: str) -> int:
        """Milliseconds from the first to the last line of one transcript."""
        about = self.abouts[owner]
        return max(0, (about.end or 0) - (about.start or 0))

    def below(self, owner: str) -> list[Subagent]:
        """The agents that a transcript led to, at any depth."""
        if owner == MAIN:
            return list(self.agents)
        found, waiting = set[int](), [owner]
        while waiting:
            children = self._children.get(waiting.pop(), ())
            new = [place for place in children if place not in found]
            found.update(new)
            waiting += [self.agents[place].id for place in new]
        return [self.agents[place] for place in sorted(found)]

    @cached_property
    def runs(self) -> dict[str, tuple[Subagent, LinkFacts]]:
        """Every agent by its id."""
        agents = {agent.id: agent for agent in self.agents}
        return {facts.id: (agents[facts.id], facts) for facts in self.facts}

    @cached_property
    def agents_by_call(self) -> dict[str, str]:
        """Agents by the call that started them."""
        links = self.links
        return {link.parent_task_id: link.agent_id for link in links if link.parent_task_id}

    @cached_property
    def _spawned(self) -> SpawnedAgents:
        return SpawnedAgents(self.links, self.facts)

    @cached_property
    def _children(self) -> dict[str, list[int]]:
        """By agent: the places of the agents that it started itself."""
        found: dict[str, list[int]] = {}
        for place, agent in enumerate(self.agents):
            if agent.parent_agent_id is not None:
                found.setdefault(agent.parent_agent_id, []).append(place)
        return found
