"""Facts and links of agents -> the subagents of a document, and the chunks that show them."""

from collections.abc import Callable, Iterable, KeysView, Mapping, Sequence
from typing import Final

from unspool.derive.agents.links import by_start, depths, link_agents, processes
from unspool.derive.reading.clock import iso
from unspool.derive.story.chunks import ChunkFold
from unspool.derive.story.tools import ToolFold
from unspool.model.document import Metrics, Subagent
from unspool.model.message import AgentLink, LinkFacts

_PARALLEL_MS: Final = 100  # between the starts of agents that one answer called together


class AgentTree:
    """The agents of a session and their links, which are kept while nothing changes them."""

    def __init__(self) -> None:
        self.facts: list[LinkFacts] = []
        self.links: list[AgentLink] = []
        self._main = LinkFacts()
        self._linked_by: object = None

    def update(self, main: LinkFacts, agents: Iterable[LinkFacts]) -> None:
        """Take in what all transcripts of the session say now."""
        self._main, self.facts = main, processes(agents)
        # Of the main transcript nothing else counts: not when it ends, nor how long it is.
        linked_by = main.calls, main.claims, main.labels, self.facts
        if linked_by != self._linked_by:
            self.links, self._linked_by = link_agents(main, self.facts), linked_by

    def subagents(self, metrics_of: Callable[[str], Metrics]) -> tuple[Subagent, ...]:
        """Every agent once, in the order they began."""
        depth, parallel = depths(self.links), parallel_agents(self.facts)
        ends = _ends((self._main, *self.facts))
        return tuple(
            Subagent(
                id=facts.id,
                file_path=facts.path,
                parent_task_id=link.parent_task_id,
                parent_agent_id=link.parent_agent_id,
                depth=depth[facts.id],
                proof=link.proof,
                description=link.description,
                subagent_type=link.subagent_type,
                is_parallel=facts.id in parallel,
                is_ongoing=_is_ongoing(facts, ends),
                team=link.team,
                start_time=iso(facts.start),
                end_time=iso(facts.end),
                duration_ms=(facts.end or 0) - (facts.start or 0),
                metrics=metrics_of(facts.id),
            )
            for facts, link in zip(self.facts, self.links, strict=True)
        )


def parallel_agents(agents: Sequence[LinkFacts]) -> frozenset[str]:
    """Agents that began within 100 ms of the first of their group, if there are several."""
    starts = sorted((facts.start, facts.id) for facts in agents if facts.start is not None)
    parallel: set[str] = set()
    first: tuple[int, str] | None = None
    for start, agent in starts:
        if first is not None and start - first[0] <= _PARALLEL_MS:
            parallel |= {first[1], agent}
        else:
            first = (start, agent)
    return frozenset(parallel)


def _ends(files: Sequence[LinkFacts]) -> dict[str, int | None]:
    """Agent -> when another transcript last said that it ended."""
    ends: dict[str, int | None] = {}
    for facts in files:
        for agent, at in facts.finished.items():
            if agent not in ends or (at or 0) > (ends[agent] or 0):
                ends[agent] = at
    return ends


def _is_ongoing(facts: LinkFacts, ends: Mapping[str, int | None]) -> bool:
    """An agent killed in mid-call looks busy for ever, unless another transcript has its end."""
    if not facts.is_ongoing or (facts.meta and facts.meta.stopped_by_user):
        return False
    at = ends.get(facts.id)
    return facts.id not in ends or (at is not None and at < (facts.end or 0))


class ChunkFinder:
    """Finds the AI chunk of a transcript in which a call was made, or that a time falls into."""

    def __init__(self, chunks: ChunkFold, tools: ToolFold) -> None:
        self._chunks = chunks
        self._tools = tools
        self._found: dict[int, str] = {}  # by time
        self._searched: dict[int, int] = {}  # by time: spans that cannot include it any more

    @property
    def calls(self) -> KeysView[str]:
        """The calls of the transcript."""
        return self._tools.calls.keys()

    def by_call(self, id: str) -> str | None:
        """The chunk that made a call."""
        call = self._tools.calls.get(id)
        span = self._chunks.span_of(call.message) if call else None
        return span.id if span and span.type == "ai" else None

    def at(self, time: int | None) -> str | None:
        """The first chunk whose time includes this moment; two may share a boundary."""
        if time is None or time in self._found:
            return None if time is None else self._found[time]
        spans = self._chunks.spans
        for n in range(self._searched.get(time, 0), len(spans)):
            if spans[n].type == "ai" and spans[n].includes(time):
                self._found[time] = spans[n].id
                return spans[n].id
        self._searched[time] = max(0, len(spans) - 1)  # only the last one still grows
        return None


class SpawnedAgents:
    """The agents of a session by what shows them: the call that started each, or whose agent it is.

    Made once for all transcripts: each then asks only for its own calls.
    """

    def __init__(self, links: Iterable[AgentLink], facts: Iterable[LinkFacts]) -> None:
        by_agent = {link.agent_id: link for link in links}
        self._by_call: dict[str, list[tuple[int, str]]] = {}
        self._by_parent: dict[str | None, list[tuple[int, LinkFacts]]] = {}
        for place, agent in enumerate(sorted(facts, key=by_start)):
            link = by_agent.get(agent.id)
            if link is not None and link.parent_task_id is not None:
                self._by_call.setdefault(link.parent_task_id, []).append((place, agent.id))
            elif link is not None:
                self._by_parent.setdefault(link.parent_agent_id, []).append((place, agent))

    def by_chunk(self, finder: ChunkFinder, of: str | None = None) -> dict[str, list[str]]:
        """AI chunk -> the agents it shows: by their call, or without one by their start.

        `of` is the agent whose own transcript the chunks are of; None is the main conversation.
        """
        found = [
            (place, agent, finder.by_call(call))
            for call in finder.calls & self._by_call.keys()
            for place, agent in self._by_call[call]
        ]
        others = self._by_parent.get(of, ())
        found += [(place, agent.id, finder.at(agent.start)) for place, agent in others]
        chunks: dict[str, list[str]] = {}
        for _, agent, chunk in sorted(found, key=lambda one: one[0]):
            if chunk is not None:
                chunks.setdefault(chunk, []).append(agent)
        return chunks
