"""Sessions of several files, brought to the folds as the engine brings them."""

from tests.derive.reads import entries_of
from unspool.demo import Transcript
from unspool.derive.agents.facts import FactsFold
from unspool.derive.agents.links import link_agents
from unspool.derive.agents.subagents import AgentTree
from unspool.derive.reading.messages import read
from unspool.model.document import Metrics, Subagent
from unspool.model.message import AgentLink, FactsKind, LinkFacts
from unspool.model.sidecars import AgentMeta


def agent(id: str, prompt: object = "go", *, at: str = "00:01:00.000", **fields: str) -> Transcript:
    """An agent's transcript that opens with a prompt and ends with an answer."""
    made = Transcript(agent=id, uuid_prefix=f"{id}-", start=f"2026-01-01T{at}Z")
    return made.user(prompt, **fields).says("done")  # type: ignore[arg-type]


def facts_of(
    made: Transcript | bytes,
    id: str | None = None,
    *,
    path: str = "",
    kind: FactsKind | None = None,
    meta: AgentMeta | None = None,
    is_ongoing: bool = False,
) -> LinkFacts:
    """What one file says."""
    name = id if id is not None else "" if isinstance(made, bytes) else made.agent or ""
    fold = FactsFold(name, path=path, kind=kind or ("subagent" if name else "main"))
    for number, entries in enumerate(entries_of(made), 1):
        for entry in entries:
            message = read(entry, number)
            if message is None:
                fold.feed_beside(entry)
            else:
                fold.feed(message, entry)
    return fold.facts(meta=meta, is_ongoing=is_ongoing)


def links_of(main: Transcript, *agents: Transcript | LinkFacts) -> dict[str, AgentLink]:
    """The link of every agent."""
    files = [one if isinstance(one, LinkFacts) else facts_of(one) for one in agents]
    return {found.agent_id: found for found in link_agents(facts_of(main), files)}


def tree_of(main: Transcript, *agents: Transcript | LinkFacts) -> AgentTree:
    """The agents of a session and their links."""
    tree = AgentTree()
    files = [one if isinstance(one, LinkFacts) else facts_of(one) for one in agents]
    tree.update(facts_of(main), files)
    return tree


def subagents_of(main: Transcript, *agents: Transcript | LinkFacts) -> list[Subagent]:
    """The subagents as the document has them."""
    return list(tree_of(main, *agents).subagents(lambda _: Metrics()))
