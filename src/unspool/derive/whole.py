"""The folds of a session's files -> one session: agents linked, every response counted once."""

from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec import Struct

from unspool.derive.agents.facts import with_journals
from unspool.derive.agents.links import link_agents, processes
from unspool.derive.agents.subagents import subagents
from unspool.derive.context.attribution import ContextFold
from unspool.derive.context.files import FileSizes
from unspool.derive.session_facts import SessionFacts
from unspool.derive.story.chunks import ChunkFold
from unspool.derive.story.turns import TurnCache, TurnFold
from unspool.derive.transcript import TranscriptFold
from unspool.derive.usage.file_usage import FileUsage
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.session_usage import SessionUsage, UsageSum, sum_usage
from unspool.model.document import Context, Metrics, Subagent, Turn
from unspool.model.message import AgentLink, LinkFacts
from unspool.model.prices import PriceTable
from unspool.model.sidecars import AgentMeta
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

    elsewhere: Mapping[str, str] = {}  # keys of its responses that another session owns: which
    earlier: Sequence[UsageRow] = ()  # responses that no file of it has any more
    is_exact: bool = True  # False: only marks were asked, not an index of all sessions


_ALONE = Ownership()


class SessionJoin:
    """What the files of a session say together, kept as they grow: an append costs an append."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self._pricer = Pricer(prices.table, prices.mode)
        self._reset()

    def _reset(self) -> None:
        self.usage = SessionUsage(self._pricer)
        self._files: dict[int, FileUsage] = {}
        self._turns: dict[str, tuple[TurnFold, TurnCache]] = {}
        self._contexts: dict[str, tuple[ChunkFold, ContextFold]] = {}

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

    def turns(self, owner: str, fold: TurnFold) -> tuple[Turn, ...]:
        """The turns of one transcript, each with what it used."""
        known = self._turns.get(owner)
        lines = self.usage.lines_of(owner)
        if known is None or known[0] is not fold:
            known = self._turns[owner] = fold, TurnCache(fold)
        changed, lines.changed = lines.changed, set()
        return known[1].turns(lambda span: sum_usage(lines.within(span)), changed)

    def context(self, owner: str, chunks: ChunkFold, sizes: FileSizes | None) -> Context:
        """What filled the context of one transcript; other sizes are counted from the start."""
        known = self._contexts.get(owner)
        if known is None or known[0] is not chunks or known[1].sizes != sizes:
            known = self._contexts[owner] = chunks, ContextFold(sizes)
        known[1].update(chunks.spans)
        return known[1].context


class Whole:
    """A session with all its agents, joined at one moment."""

    def __init__(
        self,
        main: TranscriptFold,
        parts: Sequence[AgentPart],
        join: SessionJoin,
        ownership: Ownership = _ALONE,
        *,
        journals: Iterable[LinkFacts] = (),
        at_work: Container[str] = (),  # of the inline agents
    ) -> None:
        inline = [AgentPart(fold, None, id in at_work) for id, fold in main.inline.items()]
        # Where an agent has a file as well, that is its transcript.
        self.folds: dict[str, TranscriptFold] = {MAIN: main, **main.inline}
        self.folds |= {part.fold.agent_id: part.fold for part in parts}
        self.abouts: dict[str, SessionFacts] = {id: fold.known() for id, fold in self.folds.items()}
        self._main_facts = with_journals(main.facts.facts(), journals)
        told = [
            part.fold.facts.facts(meta=part.meta, is_ongoing=part.is_ongoing)
            for part in (*parts, *inline)
        ]
        self.facts: list[LinkFacts] = processes(told)
        self.links: list[AgentLink] = link_agents(self._main_facts, self.facts)
        self.ownership = ownership
        self.join = join
        join.update(self.folds.values(), ownership)
        self.agents: tuple[Subagent, ...] = subagents(
            self._main_facts, self.facts, {facts.id: self.metrics(facts.id) for facts in self.facts}
        )

    def usage(self, owner: str) -> UsageSum:
        """What one transcript is charged for; what no transcript is here for is the main one's."""
        agents = self.join.usage.agents
        mine = [id for id in agents if id == owner or (owner == MAIN and id not in self.folds)]
        return UsageSum.of(agents[id] for id in mine)

    def usage_below(self, owner: str) -> UsageSum:
        """What the agents are charged for that a transcript led to.

        Of the main one that is all of them: a warm-up is no agent to show, but it was paid for.
        """
        shown = self.folds if owner == MAIN else [agent.id for agent in self.below(owner)]
        return UsageSum.of(self.usage(id) for id in shown if id != MAIN)

    def metrics(self, owner: str) -> Metrics:
        """Counts of one transcript alone."""
        messages, duration = self.folds[owner].messages, self.duration(owner)
        return self.usage(owner).metrics(message_count=messages, duration_ms=duration)

    def duration(self, owner: str) -> int:
        """Milliseconds from the first to the last line of one transcript."""
        about = self.abouts[owner]
        return max(0, (about.end or 0) - (about.start or 0))

    def metrics_of_lines(self, owner: str, lines: Iterable[int], *, count: int = 0) -> Metrics:
        """Counts of the responses that begin on these lines."""
        known = self.join.usage.lines_of(owner)
        return sum_usage((row for line in lines for row in known.at(line)), message_count=count)

    def below(self, owner: str) -> list[Subagent]:
        """The agents that a transcript led to, at any depth."""
        if owner == MAIN:
            return list(self.agents)
        parents = {agent.id: agent.parent_agent_id for agent in self.agents}
        return [agent for agent in self.agents if owner in _above(agent.id, parents)]


def _above(agent: str, parents: Mapping[str, str | None]) -> list[str]:
    path: list[str] = []
    at = parents.get(agent)
    while at is not None and at not in path:
        path.append(at)
        at = parents.get(at)
    return path
