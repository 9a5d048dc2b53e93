"""A session's document -> its page: head, outline, reading column, instruments."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from markupsafe import Markup
from msgspec import UNSET, Struct, structs

from unspool.model.document import Context, SessionDocument, StatusName
from unspool.show.charts.context import ContextChart, context
from unspool.show.charts.spool import Live, Spool, spool, tape
from unspool.show.charts.tape import Tape
from unspool.show.links import Links
from unspool.show.pages import drawn
from unspool.show.views.session_found import Found, share
from unspool.show.views.session_head import Head, head
from unspool.show.views.session_instruments import Instruments, instruments
from unspool.show.views.session_outline import Mark, outline, told
from unspool.show.views.shell import Shell
from unspool.show.views.steps import calls
from unspool.show.views.steps.around import Reader, around
from unspool.show.views.steps.items import items
from unspool.show.views.steps.passages import Layout, passages
from unspool.show.views.steps.shapes import Item, Passage, Row, Spot

_LIVE: Final[dict[StatusName, Live]] = {"waiting_for_approval": "wait", "working": "work"}
_ROWS: Final = 30
_POINTS: Final = 100


class Window(Struct, frozen=True, kw_only=True):
    """Which chunks of how many are on the page, and where those before and after begin."""

    first: int = 0
    end: int = 0
    total: int = 0
    before: int = 0
    latest: int = 0
    is_begun: bool = False  # no more of the session was read than this

    @property
    def later(self) -> int:
        """How many come after."""
        return max(self.total - self.end, 0)


class Whole(Struct, frozen=True, kw_only=True):
    """What a page says of the whole session, however little of it is in the column."""

    document: SessionDocument  # without texts, or with all of them
    tape: Tape
    marks: tuple[Mark, ...]
    instruments: Instruments
    context: ContextChart | None = None
    limit: int | None = None  # what fits into the model's context


class SessionPage(Struct, frozen=True, kw_only=True):
    """One session, or a window of it; the other views are pages of the same frame."""

    template: ClassVar[str] = "session/page.html"
    view: ClassVar[str] = "turns"
    shell: Shell
    spot: Spot
    head: Head
    spool: Spool | None = None
    context: ContextChart | None = None
    marks: tuple[Mark, ...] = ()
    marks_told: str = ""
    instruments: Instruments
    passages: tuple[Passage, ...] = ()
    window: Window = Window()
    found: Found | None = None
    place: dict[str, str] = {}  # what keeps the reader's place in another view
    is_live: bool = False
    seq: int = 0  # what was told of on the live channel before this was read
    pinned: bool = False
    hidden: bool = False
    below: Markup | None = None  # all but the head, where that was drawn before


class StepPart(Struct, frozen=True, kw_only=True):
    """All that lies behind one call, for a page that asks for it."""

    template: ClassVar[str] = "session/part_step.html"
    spot: Spot
    row: Row


class AgentPart(Struct, frozen=True, kw_only=True):
    """The steps of one agent, for a page that asks for them."""

    template: ClassVar[str] = "session/part_agent.html"
    spot: Spot
    items: tuple[Item, ...]
    later: int = 0


class WindowPart(Struct, frozen=True, kw_only=True):
    """Passages before or after those a page has."""

    template: ClassVar[str] = "session/part_window.html"
    spot: Spot
    passages: tuple[Passage, ...]
    window: Window = Window()


class SlabPart(Struct, frozen=True, kw_only=True):
    """Some steps of a long answer."""

    template: ClassVar[str] = "session/part_slab.html"
    spot: Spot
    passage: Passage
    number: int


class TailPart(SessionPage, frozen=True, kw_only=True):
    """What a page that follows a session needs when it grew."""

    template: ClassVar[str] = "session/part_tail.html"


def whole(
    document: SessionDocument,
    edited: Mapping[str, tuple[int, int]] | None = None,
    limit: int | None = None,
) -> Whole:
    """A session seen from afar; made once for as long as it does not change."""
    few = sampled(document.context, _POINTS)
    chart = context(few, limit) if few.turns else None
    return Whole(
        document=document,
        tape=tape(document),
        marks=outline(document),
        instruments=instruments(document, edited),
        context=chart and chart._replace(rows=chart.rows[-_ROWS:]),
        limit=limit,
    )


def sampled(found: Context, most: int) -> Context:
    """A context of so many turns at most; where its phases begin and end is kept."""
    every = -(-len(found.turns) // most)
    if every <= 1:
        return found
    edges = {id for phase in found.phases for id in (phase.first_chunk, phase.last_chunk)}
    last = len(found.turns) - 1
    kept = (
        turn
        for at, turn in enumerate(found.turns)
        if at % every == 0 or at == last or turn.chunk_id in edges
    )
    return structs.replace(found, turns=tuple(kept))


def framed(
    found: Whole,
    shell: Shell,
    reader: Reader,
    spot: Spot,
    window: Window | None = None,
    ticks: tuple[float, ...] = (),
) -> dict[str, Any]:
    """What stands around every view of a session, by the names of a page's fields."""
    document = found.document
    return {
        **headed(found, shell, reader, spot),
        "spool": _spool(found, ticks, window),
        "context": found.context,
        "marks": found.marks,
        "marks_told": told(found.marks, len(document.turns)),
    }


def headed(found: Whole, shell: Shell, reader: Reader, spot: Spot) -> dict[str, Any]:
    """The same for a page that was drawn before, all but its head."""
    made = head(found.document, reader)
    return {
        "shell": shell,
        "spot": spot,
        "head": structs.replace(made, parent=spot.id if spot.agent else ""),
        "instruments": found.instruments,
        "is_live": found.document.session.status.state != "ended",
    }


def drawn_below(page: SessionPage, links: Links) -> Markup:
    """All but the head of a session's story, for a page to hold."""
    return drawn("session/below.html", "story", page, links)


def spot_of(document: SessionDocument) -> Spot:
    """A document's own place."""
    return Spot(project=document.session.project_id, id=document.session.id)


def step_part(document: SessionDocument, id: str, reader: Reader, spot: Spot) -> StepPart | None:
    """One call in full; None where the document has no such call."""
    made = around(document, reader)
    one = made.calls.get(id)
    return None if one is None else StepPart(spot=spot, row=calls.row(one, made))


def agent_part(document: SessionDocument, reader: Reader, spot: Spot, later: int = 0) -> AgentPart:
    """The steps of an agent's own document, as they stand inside its session's page."""
    made = around(document, reader)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    found = tuple(item for some in steps for item in items(some, made))
    return AgentPart(spot=spot, items=found, later=later)


def window_part(
    document: SessionDocument,
    reader: Reader,
    spot: Spot | None = None,
    layout: Layout | None = None,
    window: Window | None = None,
) -> WindowPart:
    """The passages of a window alone."""
    made = passages(document, around(document, reader), layout)
    total = len(made)
    return WindowPart(
        spot=spot or spot_of(document),
        passages=made,
        window=window or Window(end=total, total=total),
    )


def _spool(found: Whole, ticks: tuple[float, ...], window: Window | None) -> Spool | None:
    document = found.document
    if not document.chunks:
        return None
    live = _LIVE.get(document.session.status.state, "")
    brush = None
    if window and (window.first or window.later):
        brush = _stretch(document, window)
    return spool(
        found.tape, size="page", live=live, label="The whole session", hits=ticks, brush=brush
    )


def _stretch(document: SessionDocument, window: Window) -> tuple[float, float] | None:
    """Where on the strip a window lies."""
    shown = document.chunks[window.first : window.end]
    times = [one for chunk in shown for one in (chunk.start_time, chunk.end_time) if one]
    if not times:
        return None
    start, end = (share(document, one) for one in (min(times), max(times)))
    return None if start is None or end is None else (start, max(end, start + 0.002))
