"""Facts and links of agents -> the subagents of a document, and the chunks that show them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from unspool.derive.agents.links import by_start, depths, link_agents, processes
from unspool.derive.reading.clock import iso
from unspool.derive.story.chunks import Span
from unspool.model.document import Metrics, Subagent
from unspool.model.message import AgentLink, LinkFacts

_PARALLEL_MS: Final = 100  # between the starts of agents that one answer called together


def subagents(
    main: LinkFacts, agents: Sequence[LinkFacts], metrics_by_id: Mapping[str, Metrics]
) -> tuple[Subagent, ...]:
    """Every agent of a session once, in the order they began."""
    agents = processes(agents)
    links = link_agents(main, agents)
    depth, parallel, ends = depths(links), parallel_agents(agents), _ends((main, *agents))
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
            metrics=metrics_by_id.get(facts.id, Metrics()),
        )
        for facts, link in zip(agents, links, strict=True)
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


def agents_by_chunk(
    spans: Sequence[Span],
    links: Iterable[AgentLink],
    facts: Iterable[LinkFacts],
    *,
    of: str | None = None,
) -> dict[str, list[str]]:
    """AI chunk -> the agents it shows: by their call, or without one by their start.

    `of` is the agent whose own transcript the spans are from; None is the main conversation.
    """
    answers = [span for span in spans if span.type == "ai"]
    calls = _chunks_by_call(answers)
    times = [(span.start, span.end, span.id) for span in answers]
    by_agent = {link.agent_id: link for link in links}
    chunks: dict[str, list[str]] = {}
    for agent in sorted(facts, key=by_start):
        link = by_agent.get(agent.id)
        chunk = None
        if link is not None and link.parent_task_id is not None:
            chunk = calls.get(link.parent_task_id)
        elif link is not None and link.parent_agent_id == of:
            chunk = _chunk_at(times, agent.start)
        if chunk is not None:
            chunks.setdefault(chunk, []).append(agent.id)
    return chunks


def _chunks_by_call(answers: Iterable[Span]) -> dict[str, str]:
    chunks: dict[str, str] = {}
    for span in answers:
        for message in span.messages:
            for piece in message.pieces:
                if piece.kind == "call":
                    chunks.setdefault(piece.id, span.id)
    return chunks


def _chunk_at(times: Iterable[tuple[int | None, int | None, str]], at: int | None) -> str | None:
    """The first chunk whose time includes this moment; two may share a boundary."""
    if at is None:
        return None
    for start, end, chunk in times:
        if start is not None and end is not None and start <= at <= end:
            return chunk
    return None
