"""What all transcripts of a session say -> the subagents of its document."""

from collections.abc import Mapping, Sequence

from unspool.derive.agents.links import link
from unspool.derive.agents.tree import depths, parallel, processes
from unspool.derive.reading.clock import iso
from unspool.model.document import Metrics, Subagent
from unspool.model.message import LinkFacts


def subagents(
    main: LinkFacts, agents: Sequence[LinkFacts], metrics_by_id: Mapping[str, Metrics]
) -> tuple[Subagent, ...]:
    """Every agent of a session once, in the order they began."""
    agents = processes(agents)
    links = link(main, agents)
    depth, side_by_side, ended = depths(links), parallel(agents), _ended((main, *agents))
    return tuple(
        Subagent(
            id=facts.id,
            file_path=facts.path,
            parent_task_id=tied.parent_task_id,
            parent_agent_id=tied.parent_agent_id,
            depth=depth[facts.id],
            proof=tied.proof,
            description=tied.description,
            subagent_type=tied.subagent_type,
            is_parallel=facts.id in side_by_side,
            is_ongoing=_is_ongoing(facts, ended),
            team=tied.team,
            start_time=iso(facts.start),
            end_time=iso(facts.end),
            duration_ms=(facts.end or 0) - (facts.start or 0),
            metrics=metrics_by_id.get(facts.id, Metrics()),
        )
        for facts, tied in zip(agents, links, strict=True)
    )


def _ended(files: Sequence[LinkFacts]) -> dict[str, int | None]:
    """Agent -> when another transcript last said that it was over."""
    found: dict[str, int | None] = {}
    for facts in files:
        for agent, at in facts.finished.items():
            if agent not in found or (at or 0) > (found[agent] or 0):
                found[agent] = at
    return found


def _is_ongoing(facts: LinkFacts, ended: Mapping[str, int | None]) -> bool:
    """An agent killed in mid-call looks busy for ever, unless somebody noted its end."""
    if not facts.is_ongoing or (facts.meta and facts.meta.stopped_by_user):
        return False
    at = ended.get(facts.id)
    return facts.id not in ended or (at is not None and at < (facts.end or 0))
