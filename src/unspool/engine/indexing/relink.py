"""Sessions that changed -> their agents, linked again from the facts of all their files."""

from collections.abc import Iterable

from msgspec.msgpack import Decoder

from unspool.derive.agents.facts import with_journals
from unspool.derive.agents.links import depths, link_agents, processes
from unspool.model.message import LinkFacts
from unspool.model.rows import AgentRow
from unspool.store import Store

_facts = Decoder(LinkFacts)


def relink(store: Store) -> int:
    """Link the sessions that have new facts; how many there were."""
    sessions = store.unlinked()
    for project_id, session_id in sessions:
        packed = store.facts(project_id, session_id)
        store.put_agents(project_id, session_id, agent_rows(packed.values()))
    return len(sessions)


def agent_rows(packed: Iterable[bytes]) -> list[AgentRow]:
    """The agents of one session, from what each of its files says."""
    known = sorted((_facts.decode(one) for one in packed if one), key=lambda facts: facts.path)
    known += [agent for facts in known for agent in facts.inline]
    agents = processes(facts for facts in known if facts.id)
    others = [facts for facts in known if not facts.id]
    main = next((facts for facts in others if facts.path), LinkFacts())
    links = link_agents(with_journals(main, (facts for facts in others if not facts.path)), agents)
    depth = depths(links)
    return [
        AgentRow(
            facts.id,
            tied.parent_agent_id or "",
            tied.parent_task_id or "",
            depth[facts.id],
            tied.proof,
            tied.subagent_type,
            tied.description,
            facts.start,
            facts.end,
            facts.row,
        )
        for facts, tied in zip(agents, links, strict=True)
    ]
