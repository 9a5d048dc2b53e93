"""Rows of the index: those of a run of lines, and the agents of a session."""

from collections.abc import Iterable
from typing import Any

from msgspec.msgpack import Decoder

from unspool.derive.agents.facts import with_journals
from unspool.derive.agents.links import depths, link_agents, processes
from unspool.model.message import LinkFacts
from unspool.model.rows import (
    AgentRow,
    BadLine,
    Batch,
    CallRow,
    CauseRow,
    HookRow,
    OddityRow,
    ResultRow,
    SourceRow,
    StoredLine,
    TextRow,
    TouchedFile,
)
from unspool.model.usage import UsageRow
from unspool.store import Store

_facts = Decoder(LinkFacts)


class RowBatch:
    """One list a table, in the order of the lines."""

    def __init__(self) -> None:
        self.lines: list[StoredLine] = []
        self.texts: list[TextRow] = []
        self.usage: list[UsageRow] = []
        self.calls: list[CallRow] = []
        self.results: list[ResultRow] = []
        self.files: list[TouchedFile] = []
        self.causes: list[CauseRow] = []
        self.bad: list[BadLine] = []
        self.hooks: list[HookRow] = []
        self.oddities: list[OddityRow] = []

    def batch(self, source: SourceRow, begins: int, **about: Any) -> Batch:
        """All of them, as what one segment of a source changes; `about` are its other fields."""
        return Batch(
            source=source,
            begins=begins,
            lines=self.lines,
            texts=self.texts,
            usage=self.usage,
            calls=self.calls,
            results=self.results,
            files=self.files,
            causes=self.causes,
            bad=self.bad,
            hooks=self.hooks,
            oddities=self.oddities,
            **about,
        )


def relink(store: Store) -> int:
    """Link the agents of sessions that have new facts; returns how many sessions."""
    sessions = store.unlinked()
    for project_id, session_id in sessions:
        packed = store.facts(project_id, session_id)
        store.put_agents(project_id, session_id, agent_rows(packed.values()))
    return len(sessions)


def agent_rows(packed: Iterable[bytes]) -> list[AgentRow]:
    """The agents of one session, from the facts of its files."""
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
