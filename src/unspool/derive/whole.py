"""The folds of a session's files -> one session: agents linked, every response counted once."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from unspool.derive.about import About
from unspool.derive.agents.facts import with_journals
from unspool.derive.agents.links import link
from unspool.derive.agents.subagents import subagents
from unspool.derive.agents.tree import depths, processes
from unspool.derive.money.ledger import by_line, merge
from unspool.derive.money.metrics import summed
from unspool.derive.money.pricer import Pricer
from unspool.derive.session import SessionFold
from unspool.model.agents import Facts, Link
from unspool.model.document import Metrics, Subagent
from unspool.model.prices import PriceTable
from unspool.model.sidecars import AgentMeta
from unspool.model.usage import Mode, Response

MAIN = ""


class AgentPart(Struct, frozen=True):
    """One agent's transcript as it is now."""

    fold: SessionFold
    meta: AgentMeta | None = None
    is_ongoing: bool = False


class Prices(Struct, frozen=True):
    """The table and the rule by which responses are priced."""

    table: PriceTable
    mode: Mode = "billing"


class Whole:
    """A session with all its agents, joined at one moment."""

    def __init__(
        self,
        main: SessionFold,
        parts: Sequence[AgentPart],
        prices: Prices,
        journals: Iterable[Facts] = (),
    ) -> None:
        self.folds: dict[str, SessionFold] = {MAIN: main}
        self.folds |= {part.fold.agent_id: part.fold for part in parts}
        self.abouts: dict[str, About] = {id: fold.known() for id, fold in self.folds.items()}
        self._main_facts = with_journals(main.facts.facts(), journals)
        told = [part.fold.facts.facts(meta=part.meta, is_ongoing=part.is_ongoing) for part in parts]
        self.facts: list[Facts] = processes(told)
        self.links: list[Link] = link(self._main_facts, self.facts)
        self._owned = self._credit()
        self._by_line = {owner: by_line(found) for owner, found in self._owned.items()}
        price = Pricer(prices.table, prices.mode).price
        self._prices = {
            response.key: price(response.tokens, response.model, response.at)
            for found in self._owned.values()
            for response in found
        }
        self.agents: tuple[Subagent, ...] = subagents(
            self._main_facts, self.facts, {facts.id: self.metrics(facts.id) for facts in self.facts}
        )

    def _credit(self) -> dict[str, list[Response]]:
        """Who is charged for what; a warm-up is no agent to show, but it was paid for."""
        depth = depths(self.links)
        shown = [MAIN, *(facts.id for facts in self.facts)]
        hidden = sorted(self.folds.keys() - set(shown))
        return merge(
            [
                (id, 0 if id == MAIN else depth.get(id, 1), self.folds[id].ledger)
                for id in (*shown, *hidden)
            ]
        )

    def responses(self, owner: str) -> list[Response]:
        """What one transcript is charged for."""
        return self._owned.get(owner, [])

    def responses_below(self, owner: str) -> list[Response]:
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
        self, responses: Iterable[Response], *, message_count: int = 0, duration_ms: int = 0
    ) -> Metrics:
        """Add up responses of this session at its prices."""
        return summed(
            ((response, self._prices[response.key]) for response in responses),
            message_count=message_count,
            duration_ms=duration_ms,
        )

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
