"""A session's page: head, outline, conversation, sidebar, and its parts for live updates."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import UTC, tzinfo
from typing import Any, ClassVar, Final

from markupsafe import Markup
from msgspec import UNSET, Struct, field, structs

from unspool.model.api import SearchAnswer, SearchResult
from unspool.model.document import SessionDocument, SessionInfo, StatusName, TotalMetrics
from unspool.model.insights import ActivityStrip
from unspool.model.steps import NO_FIGURES, ContextPoint, SessionStep, StepFigures
from unspool.show import times
from unspool.show.charts.context import ContextChart, context, turn_points
from unspool.show.charts.spool import Live, Spool, over_spool, spool
from unspool.show.charts.spool_data import SpoolData, session_axis, spool_data, strip_data
from unspool.show.charts.time_axis import Tick, TimeAxis
from unspool.show.html import call_items
from unspool.show.html.components import Number, cost_number
from unspool.show.html.cost_panel import step_place, turn_numbers
from unspool.show.html.files_panel import EditCall
from unspool.show.html.links import PageLinks
from unspool.show.html.passages import Layout, passages
from unspool.show.html.render import markup_of_macro
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.search_page import SearchResultRow, result_row
from unspool.show.html.session_head import SessionHead, loading_head, session_head
from unspool.show.html.session_outline import OutlineMark, outline, outline_summary
from unspool.show.html.session_sidebar import SessionSidebar, narrowed_sidebar, session_sidebar
from unspool.show.html.shell import Shell
from unspool.show.html.step_items import step_items
from unspool.show.html.step_range import StepRange
from unspool.show.html.step_types import CallItem, PageLocation, Passage, StepItem
from unspool.show.numbers import plural


class SessionHits(Struct, frozen=True, kw_only=True):
    """A search within the session and its results."""

    words: str
    summary: str
    hits: tuple[SearchResultRow, ...] = ()


def session_hits(words: str, answer: SearchAnswer, zone: tzinfo | None = None) -> SessionHits:
    """The results in the order of the session."""
    lines = sorted(answer.items, key=lambda one: (one.timestamp or "", one.line))
    more = ", newest only" if answer.next_cursor else ""
    part = "; the search timed out, so results are incomplete" if answer.is_partial else ""
    return SessionHits(
        words=words,
        summary=f"{plural(len(lines), 'result')} for {words!r}{more}{part}",
        hits=tuple(result_row(one, zone) for one in lines),
    )


def hit_ticks(axis: TimeAxis | None, lines: Iterable[SearchResult]) -> tuple[float, ...]:
    """Their positions on the timeline."""
    places = (times.moment(one.timestamp, UTC) for one in lines if axis)
    return tuple(axis.at(int(at.timestamp() * 1_000)) for at in places if at and axis)


_LIVE: Final[dict[StatusName, Live]] = {"waiting_for_approval": "wait", "working": "work"}
_ROWS: Final = 30  # of a chart beside something else; the view of the context has all


class PageWindow(Struct, frozen=True, kw_only=True):
    """The chunks on the page, and where the previous and the last window begin."""

    first: int = 0
    end: int = 0
    total: int = 0
    before: int = 0
    latest: int = 0
    is_begun: bool = False  # no more of the session was read than this

    @property
    def later(self) -> int:
        """Chunks after the window."""
        return max(self.total - self.end, 0)


class SessionOverview(Struct, frozen=True, kw_only=True):
    """What a page shows of the whole session, whatever the window."""

    document: SessionDocument  # without texts, or with all of them
    steps: tuple[SessionStep, ...] = ()
    points: tuple[ContextPoint, ...] = ()
    axis: TimeAxis | None = None
    tape: SpoolData
    marks: tuple[OutlineMark, ...]
    instruments: SessionSidebar
    context: ContextChart | None = None
    limit: int | None = None  # what fits into the model's context
    exits: Mapping[str, int] = {}  # of commands that failed, by call
    drawn: dict[Live, Spool] = field(default_factory=dict)  # the spool, once it was asked for


class SessionPage(Struct, frozen=True, kw_only=True):
    """One session, or a window of it; the other views share its frame."""

    template: ClassVar[str] = "session/page.html"
    view: ClassVar[str] = "turns"
    shell: Shell
    spot: PageLocation
    head: SessionHead
    spool: Spool | None = None
    ticks: tuple[Tick, ...] = ()
    range: StepRange | None = None
    context: ContextChart | None = None
    marks: tuple[OutlineMark, ...] = ()
    outline_summary: str = ""
    instruments: SessionSidebar
    passages: tuple[Passage, ...] = ()
    window: PageWindow = PageWindow()
    hits: SessionHits | None = None
    place: dict[str, str] = {}  # what keeps the reader's place in another view
    seq: int = 0  # the last live update included
    version: str = ""  # of all that it shows, as its tail has it; "" if that is not known
    again: int = 0  # milliseconds after which its figures can be newer; 0 if they are current
    pinned: bool = False
    hidden: bool = False
    below: Markup | None = None  # all but the head, where that was drawn before


class StepPart(Struct, frozen=True, kw_only=True):
    """All details of one call, loaded on demand."""

    template: ClassVar[str] = "session/part_step.html"
    spot: PageLocation
    row: CallItem


class AgentStepsPart(Struct, frozen=True, kw_only=True):
    """The steps of one agent, loaded on demand."""

    template: ClassVar[str] = "session/part_agent.html"
    spot: PageLocation
    items: tuple[StepItem, ...]
    spool: Spool | None = None
    later: int = 0


class WindowPart(Struct, frozen=True, kw_only=True):
    """Passages before or after a window."""

    template: ClassVar[str] = "session/part_window.html"
    spot: PageLocation
    passages: tuple[Passage, ...]
    window: PageWindow = PageWindow()
    range: StepRange | None = None


class SlabPart(Struct, frozen=True, kw_only=True):
    """Some steps of a long answer."""

    template: ClassVar[str] = "session/part_slab.html"
    spot: PageLocation
    passage: Passage
    number: int


class TailPart(SessionPage, frozen=True, kw_only=True):
    """The update for a page whose session has grown."""

    template: ClassVar[str] = "session/part_tail.html"


class RangeStartPart(WindowPart, frozen=True, kw_only=True):
    """The first screen of a range of steps."""

    template: ClassVar[str] = "session/part_range_start.html"


class RangePart(SessionPage, frozen=True, kw_only=True):
    """What a range of steps changes on a page."""

    template: ClassVar[str] = "session/part_range.html"


def session_overview(
    document: SessionDocument,
    edits: Iterable[EditCall] | None = None,
    limit: int | None = None,
    figures: StepFigures = NO_FIGURES,
) -> SessionOverview:
    """The overview of a session, computed once per version."""
    steps, points, failures, exits = figures
    axis = session_axis(document, steps)
    overview = SessionOverview(
        document=document,
        steps=steps,
        points=points or tuple(turn_points(document.context)),
        axis=axis,
        tape=spool_data(document, steps, axis),
        marks=outline(document, failures, turn_numbers(steps)),
        instruments=session_sidebar(document, edits, steps),
        limit=limit,
        exits=exits,
    )
    return structs.replace(overview, context=session_context(overview))


def narrowed(
    overview: SessionOverview, chosen: StepRange, reader: ReaderOptions
) -> SessionOverview:
    """The overview of some of its steps: outline, costs and files are of these alone.

    The chart of the context marks them, and says what they added.
    """
    steps, numbers = overview.steps, chosen.numbers
    inside = steps[chosen.first - 1 : chosen.last]
    ids = {step.id for step in inside}
    turns = {str(step.turn) for step in inside}
    marks = (mark for mark in overview.marks if mark.at in ids or mark.number in turns)
    return structs.replace(
        overview,
        marks=tuple(marks),
        instruments=narrowed_sidebar(overview.instruments, steps, numbers, reader.zone),
        context=session_context(overview, chosen=numbers),
    )


def session_context(
    overview: SessionOverview, size: str = "s", chosen: range = range(0)
) -> ContextChart | None:
    """The chart of the context; each column leads to the step that was made with it.

    `chosen` are the numbers of steps that are looked at.
    """
    usage, points = overview.document.context, overview.points
    if not points:
        return None
    lines = [step.line for step in overview.steps]
    made = [min(bisect_left(lines, one.line), len(lines) - 1) for one in points if lines]
    places = [step_place(overview.steps[at]) for at in made]
    within = [n for n, at in enumerate(made) if at + 1 in chosen]
    compactions = {phase.number: phase.compaction for phase in usage.phases if phase.compaction}
    chart = context(points, compactions, overview.limit, size, places, within)
    return chart._replace(rows=chart.rows[-_ROWS:]) if size == "s" else chart


def frame_fields(
    overview: SessionOverview,
    shell: Shell,
    reader: ReaderOptions,
    spot: PageLocation,
    window: PageWindow | None = None,
    ticks: tuple[float, ...] = (),
) -> dict[str, Any]:
    """The fields that every view of a session has, by name."""
    document = overview.document
    return {
        **head_fields(overview, shell, reader, spot),
        "spool": _spool(overview, ticks, window),
        "ticks": tuple(overview.axis.ticks(reader.zone)) if overview.axis else (),
        "context": overview.context,
        "marks": overview.marks,
        "outline_summary": outline_summary(overview.marks, len(document.turns)),
    }


def head_fields(
    overview: SessionOverview, shell: Shell, reader: ReaderOptions, spot: PageLocation
) -> dict[str, Any]:
    """The fields of a page whose body is already rendered."""
    head = session_head(overview.document, reader)
    return {
        "shell": shell,
        "spot": spot,
        "head": structs.replace(head, parent=spot.id if spot.agent else ""),
        "instruments": overview.instruments,
    }


def render_below(page: SessionPage, links: PageLinks) -> Markup:
    """The conversation without its head, as markup."""
    return markup_of_macro("session/below.html", "story", page, links)


def location_of(document: SessionDocument) -> PageLocation:
    """The location of a document's own page."""
    return PageLocation(project=document.session.project_id, id=document.session.id)


def step_part(
    document: SessionDocument, id: str, reader: ReaderOptions, spot: PageLocation
) -> StepPart | None:
    """One call, opened; None if the document has no such call."""
    context = render_context(document, reader)
    one = context.calls.get(id)
    if one is None:
        return None
    return StepPart(spot=spot, row=call_items.call_item(one, context, is_opened=True))


def agent_part(
    document: SessionDocument,
    reader: ReaderOptions,
    spot: PageLocation,
    tape: SpoolData | None = None,
    later: int = 0,
) -> AgentStepsPart:
    """The steps of an agent's own document, as shown inside its session."""
    context = render_context(document, reader)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    items = tuple(item for some in steps for item in step_items(some, context))
    picture = spool(tape, size="card", label="What this agent did") if tape else None
    return AgentStepsPart(spot=spot, items=items, spool=picture, later=later)


def window_part(
    document: SessionDocument,
    reader: ReaderOptions,
    spot: PageLocation | None = None,
    layout: Layout | None = None,
    window: PageWindow | None = None,
) -> WindowPart:
    """Only the passages of a window."""
    entries = passages(document, render_context(document, reader), layout)
    total = len(entries)
    return WindowPart(
        spot=spot or location_of(document),
        passages=entries,
        window=window or PageWindow(end=total, total=total),
    )


def _spool(
    overview: SessionOverview, ticks: tuple[float, ...], window: PageWindow | None
) -> Spool | None:
    document = overview.document
    if not document.chunks:
        return None
    live = _LIVE.get(document.session.status.state, "")
    brush = None
    if window and (window.first or window.later):
        brush = _stretch(overview, window)
    drawn = overview.drawn.get(live)
    if drawn is None:
        drawn = spool(overview.tape, size="page", live=live, label="Session timeline")
        overview.drawn[live] = drawn
    return over_spool(drawn, ticks, brush)


def _stretch(overview: SessionOverview, window: PageWindow) -> tuple[float, float] | None:
    """The part of the timeline that a window covers."""
    chunks = overview.document.chunks[window.first : window.end]
    stamps = [one for chunk in chunks for one in (chunk.start_time, chunk.end_time) if one]
    moments = [at for one in stamps if (at := times.moment(one, UTC))]
    if not moments or overview.axis is None:
        return None
    # In file order they need not be in the order of time.
    start, end = (
        overview.axis.at(int(one.timestamp() * 1_000)) for one in (min(moments), max(moments))
    )
    return start, max(end, start + 0.002)


class LoadingPage(SessionPage, frozen=True, kw_only=True):
    """The beginning of a long session; a script loads the rest, or a link does."""

    template: ClassVar[str] = "session/begun.html"


class RestPart(SessionPage, frozen=True, kw_only=True):
    """The rest of a loading page, with final figures."""

    template: ClassVar[str] = "session/part_rest.html"


def loading_page(
    session: SessionInfo,
    metrics: TotalMetrics,
    strip: ActivityStrip | None,
    reader: ReaderOptions,
    **more: Any,
) -> LoadingPage:
    """Figures of the index stand in for those of the transcript."""
    return LoadingPage(
        head=loading_head(session, metrics, reader),
        spool=spool(strip_data(strip), size="page", label="Session timeline") if strip else None,
        instruments=SessionSidebar(cost=cost_number(metrics), agents_cost=Number("")),
        **more,
    )


def export_page(
    bare: SessionDocument,
    reader: ReaderOptions,
    edits: Iterable[EditCall] = (),
    figures: StepFigures = NO_FIGURES,
) -> SessionPage:
    """The page of an export, without passages."""
    overview = session_overview(bare, edits, None, figures)
    spot = structs.replace(location_of(bare), level=reader.level)
    return SessionPage(**frame_fields(overview, Shell(title="Session"), reader, spot))
