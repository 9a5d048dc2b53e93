"""The folds of a session's files -> one session: agents linked, every response counted once."""

from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec import Struct

from unspool.derive.about import About
from unspool.derive.agents.facts import with_journals
from unspool.derive.agents.links import link_agents, processes
from unspool.derive.agents.subagents import subagents
from unspool.derive.transcript import TranscriptFold
from unspool.derive.usage.prices import Pricer
from unspool.derive.usage.session_usage import session_rows, sum_usage
from unspool.model.document import Metrics, Subagent
from unspool.model.message import AgentLink, LinkFacts
from unspool.model.prices import PriceTable
from unspool.model.sidecars import AgentMeta
from unspool.model.usage import Mode, Price, UsageRow

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


class Whole:
    """A session with all its agents, joined at one moment."""

    def __init__(
        self,
        main: TranscriptFold,
        parts: Sequence[AgentPart],
        prices: Prices,
        ownership: Ownership = _ALONE,
        *,
        journals: Iterable[LinkFacts] = (),
        at_work: Container[str] = (),  # of the inline agents
    ) -> None:
        inline = [AgentPart(fold, None, id in at_work) for id, fold in main.inline.items()]
        # Where an agent has a file as well, that is its transcript.
        self.folds: dict[str, TranscriptFold] = {MAIN: main, **main.inline}
        self.folds |= {part.fold.agent_id: part.fold for part in parts}
        self.abouts: dict[str, About] = {id: fold.known() for id, fold in self.folds.items()}
        self._main_facts = with_journals(main.facts.facts(), journals)
        told = [
            part.fold.facts.facts(meta=part.meta, is_ongoing=part.is_ongoing)
            for part in (*parts, *inline)
        ]
        self.facts: list[LinkFacts] = processes(told)
        self.links: list[AgentLink] = link_agents(self._main_facts, self.facts)
        self.ownership = ownership
        self.repeated: list[UsageRow] = []
        self._owned: dict[str, list[UsageRow]] = {}
        self._by_line: dict[str, dict[int, list[UsageRow]]] = {}
        self._credit(Pricer(prices.table, prices.mode).price_of)
        self.agents: tuple[Subagent, ...] = subagents(
            self._main_facts, self.facts, {facts.id: self.metrics(facts.id) for facts in self.facts}
        )

    def _credit(self, price: Price) -> None:
        """Say who is charged for what; a warm-up is no agent to show, but it was paid for."""
        # Inline agents share their file's.
        rows = session_rows({id(one.usage): one.usage for one in self.folds.values()}.values())
        for row in [*rows, *self.ownership.earlier]:
            priced = row._replace(usd_pico=price(row))
            if row.message_key in self.ownership.elsewhere:
                self.repeated.append(priced)
                continue
            owner = row.agent_id if row.agent_id in self.folds else MAIN
            self._owned.setdefault(owner, []).append(priced)
            self._by_line.setdefault(owner, {}).setdefault(row.line_id, []).append(priced)

    def responses(self, owner: str) -> list[UsageRow]:
        """What one transcript is charged for."""
        return self._owned.get(owner, [])

    def responses_below(self, owner: str) -> list[UsageRow]:
        """What the agents are charged for that a transcript led to, hidden ones included."""
        if owner == MAIN:
            agents = [id for id in self._owned if id != MAIN]
        else:
            agents = [agent.id for agent in self.below(owner)]
        return [response for id in agents for response in self.responses(id)]

    def metrics(self, owner: str) -> Metrics:
        """Counts of one transcript alone."""
        fold = self.folds[owner]
        return self.sum(
            self.responses(owner),
            message_count=fold.messages,
            duration_ms=self.duration(owner),
        )

    def duration(self, owner: str) -> int:
        """Milliseconds from the first to the last line of one transcript."""
        about = self.abouts[owner]
        return max(0, (about.end or 0) - (about.start or 0))

    def metrics_of_lines(self, owner: str, lines: Iterable[int], *, count: int = 0) -> Metrics:
        """Counts of the responses that begin on these lines."""
        known = self._by_line.get(owner, {})
        return self.sum(
            [response for line in lines for response in known.get(line, ())], message_count=count
        )

    def sum(
        self, responses: Iterable[UsageRow], *, message_count: int = 0, duration_ms: int = 0
    ) -> Metrics:
        """Add up responses of this session."""
        return sum_usage(responses, message_count=message_count, duration_ms=duration_ms)

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
