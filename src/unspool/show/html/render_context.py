"""What the steps of one session share: calls, agents, options of the reader."""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

from msgspec import UNSET, Raw, Struct, structs

from unspool.model.document import SessionDocument, SessionLinks, Status, Subagent, ToolExecution
from unspool.show.html.agent_lines import agent_children
from unspool.show.text.calls import TextContext
from unspool.show.text.layout import Frame
from unspool.show.tools import values
from unspool.show.tools.details import DetailBuilder, images

_DEEPEST = 4
_LONGEST = 200_000
_MARK = "[redacted: "  # replaces a secret


def _unnamed(agent: str, line: int) -> str:
    return ""


class ReaderOptions(Struct, frozen=True, kw_only=True):
    """Clock, time zone and extent of what is rendered."""

    now: int
    zone: tzinfo | None = None
    is_whole: bool = False  # all of it on one page, as an export has it
    level: str = "normal"  # how much of an export is shown: see `levels`
    documents: Mapping[str, SessionDocument] = {}  # agents whose own steps are shown in place
    events: Callable[[str, int], str] = _unnamed  # agent, line -> the line's name for the server


class RenderContext(Struct, frozen=True, kw_only=True):
    """A document, indexed for its steps."""

    reader: ReaderOptions
    text: TextContext
    calls: Mapping[str, ToolExecution]
    agents: Mapping[str, Subagent]
    started: Mapping[str, Sequence[str]]  # agent -> those it started
    spawns: frozenset[str]  # calls that started an agent
    status: Status
    waiting: str = ""  # the call that waits for an answer
    depth: int = 0
    agent: str = ""  # whose steps these are
    links: SessionLinks = SessionLinks()
    first_images: Mapping[str, int] = {}  # of calls that are not the first answered on a line

    @property
    def build(self) -> DetailBuilder:
        """Cuts long texts as the reader wants."""
        return DetailBuilder(self.reader.is_whole)

    @property
    def zone(self) -> tzinfo | None:
        """The reader's time zone."""
        return self.reader.zone

    def inside(self, agent: str) -> SessionDocument | None:
        """An agent's own document, if it is shown inline."""
        is_near = self.reader.is_whole or self.depth < _DEEPEST
        return self.reader.documents.get(agent) if is_near else None

    def limited(self, text: str) -> tuple[str, str]:
        """A text as long as a page may hold it, and the note that it was cut."""
        if self.reader.is_whole or len(text) <= _LONGEST:
            return text, ""
        return text[:_LONGEST], f"First {_LONGEST:,} of {len(text):,} characters"

    def secrets(self, *told: tuple[int, object]) -> tuple[str, ...]:
        """Event ids of the lines that had something redacted."""
        lines = (line for line, text in told if line and _MARK in _told(text))
        names = (self.reader.events(self.agent, line) for line in lines)
        return tuple(name for name in dict.fromkeys(names) if name)


def render_context(document: SessionDocument, reader: ReaderOptions) -> RenderContext:
    """The context of a session."""
    session = document.session
    waits = session.pending_tool if session.status.state == "waiting_for_approval" else None
    return RenderContext(
        reader=reader,
        text=TextContext(Frame(None, reader.now, reader.zone), session.project_path),
        calls={one.tool_use_id: one for one in document.tool_executions},
        agents={agent.id: agent for agent in document.subagents},
        started=agent_children(document.subagents),
        spawns=frozenset(agent.parent_task_id or "" for agent in document.subagents),
        status=session.status,
        waiting=waits.tool_use_id if waits else "",
        agent=session.id if session.is_subagent else "",
        links=session.links,
        first_images=_first_images(document.tool_executions),
    )


def _first_images(executions: Sequence[ToolExecution]) -> dict[str, int]:
    """Results on one line number their images together."""
    by_line: dict[int, list[ToolExecution]] = {}
    for one in executions:
        if one.result_line is not None:
            by_line.setdefault(one.result_line, []).append(one)
    first: dict[str, int] = {}
    for shared in by_line.values():
        count = 0
        for one in shared if len(shared) > 1 else ():
            first[one.tool_use_id] = count
            count += len(images(None if one.result is UNSET else values.read(one.result)))
    return first


def _told(text: object) -> str:
    if isinstance(text, Raw):
        return bytes(text).decode("utf-8", "replace")
    return text if isinstance(text, str) else ""


def agent_context(outer: RenderContext, document: SessionDocument) -> RenderContext:
    """The context of an agent shown inside its session."""
    return structs.replace(render_context(document, outer.reader), depth=outer.depth + 1)


def text_of(text: object) -> str:
    """A text, or "" if it is unset."""
    return "" if text is UNSET else str(text)
