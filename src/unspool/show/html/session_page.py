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
from unspool.show.html.search_page import SearchHit, search_hit
from unspool.show.html.session_head import SessionHead, loading_head, session_head
from unspool.show.html.session_outline import OutlineMark, outline, outline_summary
from unspool.show.html.session_sidebar import SessionSidebar, session_sidebar
from unspool.show.html.shell import Shell
from unspool.show.html.step_items import step_items
from unspool.show.html.step_types import CallItem, PageLocation, Passage, StepItem
from unspool.show.numbers import plural


class SessionHits(Struct, frozen=True, kw_only=True):
    """What was looked for, and what there is."""

    words: str
    say: str
    hits: tuple[SearchHit, ...] = ()


def session_hits(words: str, answer: SearchAnswer, zone: tzinfo | None = None) -> SessionHits:
    """The hits in the order of the session."""
    lines = sorted(answer.items, key=lambda one: (one.timestamp or "", one.line))
    more = ", newest only" if answer.next_cursor else ""
    part = "; the search timed out, results are incomplete" if answer.is_partial else ""
    return SessionHits(
        words=words,
        say=f"{plural(len(lines), 'result')} for {words!r}{more}{part}",
        hits=tuple(search_hit(one, zone) for one in lines),
    )


def hit_ticks(document: SessionDocument, lines: Iterable[SearchResult]) -> tuple[float, ...]:
    """Where on the session's spool they lie."""
    places = (time_share(document, one.timestamp) for one in lines)
    return tuple(one for one in places if one is not None)


def time_share(document: SessionDocument, iso: str | None) -> float | None:
    """A moment as a part of the session's whole length."""
    told = [one for chunk in document.chunks for one in (chunk.start_time, chunk.end_time) if one]
    at = _ms(iso)
    # They are all written alike: the order of the words is the order of time.
    start, end = _ms(min(told, default=None)), _ms(max(told, default=None))
    if at is None or start is None or end is None:
        return None
    return min(max((at - start) / max(end - start, 1), 0.0), 1.0)


def _ms(iso: str | None) -> int | None:
    found = times.moment(iso)
    return int(found.timestamp() * 1_000) if found else None


_LIVE: Final[dict[StatusName, Live]] = {"waiting_for_approval": "wait", "working": "work"}
_ROWS: Final = 30
_POINTS: Final = 100


class PageWindow(Struct, frozen=True, kw_only=True):
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


class SessionOverview(Struct, frozen=True, kw_only=True):
    """What a page says of the whole session, however little of it is in the column."""

    document: SessionDocument  # without texts, or with all of them
    tape: SpoolData
    marks: tuple[OutlineMark, ...]
    instruments: SessionSidebar
    context: ContextChart | None = None
    limit: int | None = None  # what fits into the model's context


class SessionPage(Struct, frozen=True, kw_only=True):
    """One session, or a window of it; the other views are pages of the same frame."""

    template: ClassVar[str] = "session/page.html"
    view: ClassVar[str] = "turns"
    shell: Shell
    spot: PageLocation
    head: SessionHead
    spool: Spool | None = None
    context: ContextChart | None = None
    marks: tuple[OutlineMark, ...] = ()
    marks_told: str = ""
    instruments: SessionSidebar
    passages: tuple[Passage, ...] = ()
    window: PageWindow = PageWindow()
    found: SessionHits | None = None
    place: dict[str, str] = {}  # what keeps the reader's place in another view
    is_live: bool = False
    seq: int = 0  # what was told of on the live channel before this was read
    pinned: bool = False
    hidden: bool = False
    below: Markup | None = None  # all but the head, where that was drawn before


class StepPart(Struct, frozen=True, kw_only=True):
    """All that lies behind one call, for a page that asks for it."""

    template: ClassVar[str] = "session/part_step.html"
    spot: PageLocation
    row: CallItem


class AgentStepsPart(Struct, frozen=True, kw_only=True):
    """The steps of one agent, for a page that asks for them."""

    template: ClassVar[str] = "session/part_agent.html"
    spot: PageLocation
    items: tuple[StepItem, ...]
    later: int = 0


class WindowPart(Struct, frozen=True, kw_only=True):
    """Passages before or after those a page has."""

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
    """What a page that follows a session needs when it grew."""

    template: ClassVar[str] = "session/part_tail.html"


def session_overview(
    document: SessionDocument,
    edited: Mapping[str, tuple[int, int]] | None = None,
    limit: int | None = None,
) -> SessionOverview:
    """A session seen from afar; made once for as long as it does not change."""
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


def sample_context(found: Context, most: int) -> Context:
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


def frame_fields(
    found: SessionOverview,
    shell: Shell,
    reader: ReaderOptions,
    spot: PageLocation,
    window: PageWindow | None = None,
    ticks: tuple[float, ...] = (),
) -> dict[str, Any]:
    """What stands around every view of a session, by the names of a page's fields."""
    document = found.document
    return {
        **head_fields(found, shell, reader, spot),
        "spool": _spool(found, ticks, window),
        "context": found.context,
        "marks": found.marks,
        "marks_told": outline_summary(found.marks, len(document.turns)),
    }


def head_fields(
    found: SessionOverview, shell: Shell, reader: ReaderOptions, spot: PageLocation
) -> dict[str, Any]:
    """The same for a page that was drawn before, all but its head."""
    made = session_head(found.document, reader)
    return {
        "shell": shell,
        "spot": spot,
        "head": structs.replace(made, parent=spot.id if spot.agent else ""),
        "instruments": found.instruments,
        "is_live": found.document.session.status.state != "ended",
    }


def render_below(page: SessionPage, links: PageLinks) -> Markup:
    """All but the head of a session's story, for a page to hold."""
    return markup_of_macro("session/below.html", "story", page, links)


def location_of(document: SessionDocument) -> PageLocation:
    """A document's own place."""
    return PageLocation(project=document.session.project_id, id=document.session.id)


def step_part(
    document: SessionDocument, id: str, reader: ReaderOptions, spot: PageLocation
) -> StepPart | None:
    """One call in full; None where the document has no such call."""
    made = render_context(document, reader)
    one = made.calls.get(id)
    return None if one is None else StepPart(spot=spot, row=call_items.call_item(one, made))


def agent_part(
    document: SessionDocument, reader: ReaderOptions, spot: PageLocation, later: int = 0
) -> AgentStepsPart:
    """The steps of an agent's own document, as they stand inside its session's page."""
    made = render_context(document, reader)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    found = tuple(item for some in steps for item in step_items(some, made))
    return AgentStepsPart(spot=spot, items=found, later=later)


def window_part(
    document: SessionDocument,
    reader: ReaderOptions,
    spot: PageLocation | None = None,
    layout: Layout | None = None,
    window: PageWindow | None = None,
) -> WindowPart:
    """The passages of a window alone."""
    made = passages(document, render_context(document, reader), layout)
    total = len(made)
    return WindowPart(
        spot=spot or location_of(document),
        passages=made,
        window=window or PageWindow(end=total, total=total),
    )


def _spool(
    found: SessionOverview, ticks: tuple[float, ...], window: PageWindow | None
) -> Spool | None:
    document = found.document
    if not document.chunks:
        return None
    live = _LIVE.get(document.session.status.state, "")
    brush = None
    if window and (window.first or window.later):
        brush = _stretch(document, window)
    return spool(
        found.tape, size="page", live=live, label="Session timeline", hits=ticks, brush=brush
    )


def _stretch(document: SessionDocument, window: PageWindow) -> tuple[float, float] | None:
    """Where on the strip a window lies."""
    shown = document.chunks[window.first : window.end]
    times = [one for chunk in shown for one in (chunk.start_time, chunk.end_time) if one]
    if not times:
        return None
    start, end = (time_share(document, one) for one in (min(times), max(times)))
    return None if start is None or end is None else (start, max(end, start + 0.002))


class LoadingPage(SessionPage, frozen=True, kw_only=True):
    """A page that fetches all else when it is there; without scripts a link leads to all of it."""

    template: ClassVar[str] = "session/begun.html"


class RestPart(SessionPage, frozen=True, kw_only=True):
    """All that such a page lacks, and what is on it as it should be."""

    template: ClassVar[str] = "session/part_rest.html"


def loading_page(
    session: SessionInfo,
    metrics: TotalMetrics,
    strip: ActivityStrip | None,
    reader: ReaderOptions,
    **more: Any,
) -> LoadingPage:
    """What the index knows stands where the whole will be told of."""
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
    """The page of a session, its column still empty; `edited` has the lines of each file."""
    seen = session_overview(bare, edited or {})
    return SessionPage(**frame_fields(seen, Shell(title="Session"), reader, location_of(bare)))
