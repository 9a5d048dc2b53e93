"""A session's document -> its page: head, outline, reading column, instruments."""

from typing import ClassVar, Final

from msgspec import UNSET, Struct

from unspool.model.api import Window
from unspool.model.document import SessionDocument, StatusName
from unspool.show.charts.context import ContextChart, context
from unspool.show.charts.spool import Live, Spool, spool, tape
from unspool.show.views.session_head import Head, head
from unspool.show.views.session_instruments import Instruments, instruments
from unspool.show.views.session_outline import Mark, outline, told
from unspool.show.views.shell import Shell
from unspool.show.views.steps import calls
from unspool.show.views.steps.around import Reader, around
from unspool.show.views.steps.items import items
from unspool.show.views.steps.passages import passages
from unspool.show.views.steps.shapes import Item, Passage, Row

_LIVE: Final[dict[StatusName, Live]] = {"waiting_for_approval": "wait", "working": "work"}


class SessionPage(Struct, frozen=True, kw_only=True):
    """One session, or a window of it."""

    template: ClassVar[str] = "session/page.html"
    shell: Shell
    project: str
    id: str
    head: Head
    spool: Spool | None = None
    context: ContextChart | None = None
    marks: tuple[Mark, ...] = ()
    marks_told: str = ""
    passages: tuple[Passage, ...] = ()
    instruments: Instruments
    earlier: int = 0  # chunks before this window
    later: int = 0
    first: int = 0
    limit: int = 0


class StepPart(Struct, frozen=True, kw_only=True):
    """All that lies behind one call, for a page that asks for it."""

    template: ClassVar[str] = "session/part_step.html"
    project: str
    id: str
    row: Row


class AgentPart(Struct, frozen=True, kw_only=True):
    """The steps of one agent, for a page that asks for them."""

    template: ClassVar[str] = "session/part_agent.html"
    project: str
    id: str
    items: tuple[Item, ...]


class WindowPart(Struct, frozen=True, kw_only=True):
    """Passages before or after those a page has."""

    template: ClassVar[str] = "session/part_window.html"
    project: str
    id: str
    passages: tuple[Passage, ...]


def session_page(
    document: SessionDocument, shell: Shell, reader: Reader, window: Window | None = None
) -> SessionPage:
    """The page of a session; of a window the spool, agents and cost are still the whole's."""
    made = around(document, reader)
    told_so_far = passages(document, made)
    marks = outline(told_so_far, document.turns)
    session = document.session
    last = window.first + len(document.chunks) if window else 0
    return SessionPage(
        shell=shell,
        project=session.project_id,
        id=session.id,
        head=head(document, reader),
        spool=_spool(document),
        context=context(document.context) if document.context.turns else None,
        marks=marks,
        marks_told=told(marks),
        passages=told_so_far,
        instruments=instruments(document),
        earlier=window.first if window else 0,
        later=max(window.total - last, 0) if window else 0,
        first=window.first if window else 0,
        limit=window.limit if window else 0,
    )


def step_part(document: SessionDocument, id: str, reader: Reader) -> StepPart | None:
    """One call in full; None where the document has no such call."""
    made = around(document, reader)
    one = made.calls.get(id)
    if one is None:
        return None
    session = document.session
    return StepPart(project=session.project_id, id=session.id, row=calls.row(one, made))


def agent_part(document: SessionDocument, project: str, session: str, reader: Reader) -> AgentPart:
    """The steps of an agent's own document, as they stand inside its session's page."""
    made = around(document, reader)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    found = tuple(item for some in steps for item in items(some, made))
    return AgentPart(project=project, id=session, items=found)


def window_part(document: SessionDocument, reader: Reader) -> WindowPart:
    """The passages of a window alone."""
    session = document.session
    told = passages(document, around(document, reader))
    return WindowPart(project=session.project_id, id=session.id, passages=told)


def _spool(document: SessionDocument) -> Spool | None:
    if not document.chunks:
        return None
    live = _LIVE.get(document.session.status.state, "")
    return spool(tape(document), size="page", live=live, label="The whole session")
