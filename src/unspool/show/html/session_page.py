"""A session's page: head, outline, conversation, sidebar, and its parts for live updates."""

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Any, ClassVar, Final

from markupsafe import Markup
from msgspec import UNSET, Struct, structs

from unspool.model.api import SearchAnswer, SearchResult
from unspool.model.document import Context, SessionDocument, SessionInfo, StatusName, TotalMetrics
from unspool.model.insights import ActivityStrip
from unspool.show import times
from unspool.show.charts.context import ContextChart, context
from unspool.show.charts.spool import Live, Spool, spool
from unspool.show.charts.spool_data import SpoolData, spool_data, strip_data
from unspool.show.html import call_items
from unspool.show.html.components import Number, cost_number
from unspool.show.html.links import PageLinks
from unspool.show.html.passages import Layout, passages
from unspool.show.html.render import markup_of_macro
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.search_page import SearchResultRow, result_row
from unspool.show.html.session_head import SessionHead, loading_head, session_head
from unspool.show.html.session_outline import OutlineMark, outline, outline_summary
from unspool.show.html.session_sidebar import SessionSidebar, session_sidebar
from unspool.show.html.shell import Shell
from unspool.show.html.step_items import step_items
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
    part = "; the search timed out, results are incomplete" if answer.is_partial else ""
    return SessionHits(
        words=words,
        summary=f"{plural(len(lines), 'result')} for {words!r}{more}{part}",
        hits=tuple(result_row(one, zone) for one in lines),
    )


def hit_ticks(document: SessionDocument, lines: Iterable[SearchResult]) -> tuple[float, ...]:
    """Their positions on the timeline."""
    places = (time_share(document, one.timestamp) for one in lines)
    return tuple(one for one in places if one is not None)


def time_share(document: SessionDocument, iso: str | None) -> float | None:
    """A timestamp as a share of the session's duration."""
    timestamps = [
        one for chunk in document.chunks for one in (chunk.start_time, chunk.end_time) if one
    ]
    at = _ms(iso)
    # They are all written alike: the order of the words is the order of time.
    start, end = _ms(min(timestamps, default=None)), _ms(max(timestamps, default=None))
    if at is None or start is None or end is None:
        return None
    return min(max((at - start) / max(end - start, 1), 0.0), 1.0)


def _ms(iso: str | None) -> int | None:
    at = times.moment(iso)
    return int(at.timestamp() * 1_000) if at else None


_LIVE: Final[dict[StatusName, Live]] = {"waiting_for_approval": "wait", "working": "work"}
_ROWS: Final = 30
_POINTS: Final = 100


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
    tape: SpoolData
    marks: tuple[OutlineMark, ...]
    instruments: SessionSidebar
    context: ContextChart | None = None
    limit: int | None = None  # what fits into the model's context


class SessionPage(Struct, frozen=True, kw_only=True):
    """One session, or a window of it; the other views share its frame."""

    template: ClassVar[str] = "session/page.html"
    view: ClassVar[str] = "turns"
    shell: Shell
    spot: PageLocation
    head: SessionHead
    spool: Spool | None = None
    context: ContextChart | None = None
    marks: tuple[OutlineMark, ...] = ()
    outline_summary: str = ""
    instruments: SessionSidebar
    passages: tuple[Passage, ...] = ()
    window: PageWindow = PageWindow()
    hits: SessionHits | None = None
    place: dict[str, str] = {}  # what keeps the reader's place in another view
    is_live: bool = False
    seq: int = 0  # the last live update included
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
    later: int = 0


class WindowPart(Struct, frozen=True, kw_only=True):
    """Passages before or after a window."""

    template: ClassVar[str] = "session/part_window.html"
    spot: PageLocation
    passages: tuple[Passage, ...]
    window: PageWindow = PageWindow()


class SlabPart(Struct, frozen=True, kw_only=True):
    """Some steps of a long answer."""

    template: ClassVar[str] = "session/part_slab.html"
    spot: PageLocation
    passage: Passage
    number: int


class TailPart(SessionPage, frozen=True, kw_only=True):
    """The update for a page whose session has grown."""

    template: ClassVar[str] = "session/part_tail.html"


def session_overview(
    document: SessionDocument,
    edited: Mapping[str, tuple[int, int]] | None = None,
    limit: int | None = None,
) -> SessionOverview:
    """The overview of a session, computed once per version."""
    few = sample_context(document.context, _POINTS)
    chart = context(few, limit) if few.turns else None
    return SessionOverview(
        document=document,
        tape=spool_data(document),
        marks=outline(document),
        instruments=session_sidebar(document, edited),
        context=chart and chart._replace(rows=chart.rows[-_ROWS:]),
        limit=limit,
    )


def sample_context(usage: Context, most: int) -> Context:
    """A context reduced to `most` turns, including the ends of its phases."""
    every = -(-len(usage.turns) // most)
    if every <= 1:
        return usage
    edges = {id for phase in usage.phases for id in (phase.first_chunk, phase.last_chunk)}
    last = len(usage.turns) - 1
    sample = (
        turn
        for at, turn in enumerate(usage.turns)
        if at % every == 0 or at == last or turn.chunk_id in edges
    )
    return structs.replace(usage, turns=tuple(sample))


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
        "is_live": overview.document.session.status.state != "ended",
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
    """One call in full; None if the document has no such call."""
    context = render_context(document, reader)
    one = context.calls.get(id)
    return None if one is None else StepPart(spot=spot, row=call_items.call_item(one, context))


def agent_part(
    document: SessionDocument, reader: ReaderOptions, spot: PageLocation, later: int = 0
) -> AgentStepsPart:
    """The steps of an agent's own document, as shown inside its session."""
    context = render_context(document, reader)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    items = tuple(item for some in steps for item in step_items(some, context))
    return AgentStepsPart(spot=spot, items=items, later=later)


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
        brush = _stretch(document, window)
    return spool(
        overview.tape, size="page", live=live, label="Session timeline", hits=ticks, brush=brush
    )


def _stretch(document: SessionDocument, window: PageWindow) -> tuple[float, float] | None:
    """The part of the timeline that a window covers."""
    chunks = document.chunks[window.first : window.end]
    times = [one for chunk in chunks for one in (chunk.start_time, chunk.end_time) if one]
    if not times:
        return None
    start, end = (time_share(document, one) for one in (min(times), max(times)))
    return None if start is None or end is None else (start, max(end, start + 0.002))


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
    edited: Mapping[str, tuple[int, int]] | None = None,
) -> SessionPage:
    """The page of an export, without passages; `edited` has the changed lines by file."""
    overview = session_overview(bare, edited or {})
    return SessionPage(**frame_fields(overview, Shell(title="Session"), reader, location_of(bare)))
