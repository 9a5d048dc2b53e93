"""What the steps of one session have in common: its calls, its agents, its reader's clock."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from msgspec import UNSET, Struct, structs

from unspool.model.document import SessionDocument, Status, Subagent, ToolExecution
from unspool.show.text.calls import Story
from unspool.show.text.frame import Frame
from unspool.show.viewers.pieces import Amount
from unspool.show.views.steps.agents import children

_DEEPEST = 4


class Reader(Struct, frozen=True, kw_only=True):
    """Who reads, and what is at hand for them."""

    now: int
    zone: tzinfo | None = None
    is_whole: bool = False  # all of it on one page, as an export has it
    documents: Mapping[str, SessionDocument] = {}  # agents whose own steps are shown in place


class Around(Struct, frozen=True, kw_only=True):
    """A document, taken apart so that a step finds what belongs to it."""

    reader: Reader
    story: Story
    calls: Mapping[str, ToolExecution]
    agents: Mapping[str, Subagent]
    started: Mapping[str, Sequence[str]]  # agent -> those it started
    spawns: frozenset[str]  # calls that an agent came of
    status: Status
    waiting: str = ""  # the call that waits for an answer
    depth: int = 0

    @property
    def amount(self) -> Amount:
        """How much of a long text is shown at once."""
        return Amount(self.reader.is_whole)

    @property
    def zone(self) -> tzinfo | None:
        """Where the reader's clock stands."""
        return self.reader.zone

    def inside(self, agent: str) -> SessionDocument | None:
        """An agent's own document, where it is to be shown in place."""
        return self.reader.documents.get(agent) if self.depth < _DEEPEST else None


def around(document: SessionDocument, reader: Reader) -> Around:
    """A session, ready to be told."""
    session = document.session
    waits = session.pending_tool if session.status.state == "waiting_for_approval" else None
    return Around(
        reader=reader,
        story=Story(Frame(None, reader.now, reader.zone), session.project_path),
        calls={one.tool_use_id: one for one in document.tool_executions},
        agents={agent.id: agent for agent in document.subagents},
        started=children(document.subagents),
        spawns=frozenset(agent.parent_task_id or "" for agent in document.subagents),
        status=session.status,
        waiting=waits.tool_use_id if waits else "",
    )


def within(outer: Around, document: SessionDocument) -> Around:
    """An agent's own session, told inside another."""
    return structs.replace(around(document, outer.reader), depth=outer.depth + 1)


def text_of(text: object) -> str:
    """A text that may not be there."""
    return "" if text is UNSET else str(text)
