"""The page of a session's conversation, at the reader's place."""

from bisect import bisect_right
from collections.abc import Hashable, Sequence

from markupsafe import Markup
from msgspec import Struct, structs

from unspool.errors import NotFound
from unspool.model.api import SearchResult
from unspool.model.query import TextQuery
from unspool.serve.api.search import search_answer
from unspool.serve.pages.session import locations
from unspool.serve.pages.session.locations import StepLocation
from unspool.serve.pages.session.source import PageSource
from unspool.serve.pages.session.windows import (
    CHUNKS,
    LATEST,
    MESSAGES,
    SCREEN,
    Plan,
    plan_range,
    plan_window,
)
from unspool.show.html.levels import Level
from unspool.show.html.passages import passages
from unspool.show.html.render_context import render_context
from unspool.show.html.session_page import (
    SessionHits,
    SessionPage,
    frame_fields,
    head_fields,
    hit_ticks,
    narrowed,
    render_below,
    session_hits,
)
from unspool.show.html.shell import Shell
from unspool.show.html.step_range import StepRange, step_range
from unspool.show.html.step_types import (
    AgentItem,
    AnswerBlock,
    CallGroup,
    NoiseItem,
    Passage,
    StepItem,
)

_HITS = 50


class PageQuery(Struct, frozen=True, kw_only=True):
    """Where a reader wants to be in a session."""

    first: int = 0
    limit: int = CHUNKS
    begin: int = -1  # the first chunk on a page that already shows earlier ones
    at: str = ""
    words: str = ""
    line: int = 0  # of the transcript, to be shown whole
    start: int = 0  # the first line of a list of them
    ends: tuple[str, str] = ("", "")  # the first and the last step of a range
    is_start_preferred: bool = False  # the window from the beginning, if that has the step
    short: bool = False  # of a range no more than a screen shows
    level: Level = "normal"


class StoryWindow(Struct, frozen=True, kw_only=True):
    """A window of a session, as passages."""

    plan: Plan
    passages: tuple[Passage, ...]
    at: str = ""  # the step asked for, or the one that shows it
    branch: int = 0
    range: StepRange | None = None


def locate(source: PageSource, at: str) -> StepLocation | None:
    """The location of a step or event; None without one."""
    if not at:
        return None
    if locations.is_event(at):
        return locations.event_location(source.session, at)
    place = locations.step_location(source.session, source.overview.document, at)
    if place is None:
        raise NotFound("This session has no such step.")
    return place


def story_window(source: PageSource, query: PageQuery) -> StoryWindow:
    """The window of a query: from a chunk on, around a step, or some steps alone."""
    chosen = _range(source, query.ends)
    if chosen is not None:
        return _range_window(source, chosen, SCREEN if query.short else MESSAGES)
    place = locate(source, query.at)
    if place is None:
        return _window(source, plan_window(source.session, query.first, query.limit))
    targets = {place.chunk: place.slab}
    plan = plan_window(source.session, 0, targets=targets) if query.is_start_preferred else None
    if plan is None or place.chunk >= plan.window.end:
        plan = plan_window(source.session, _begin(source, place.chunk), targets=targets)
    story = _window(source, plan)
    here = next(one for one in story.passages if one.number == place.chunk)
    return structs.replace(story, at=_nearest(here, place), branch=here.block.branch)


def _range_window(source: PageSource, chosen: StepRange, most: int) -> StoryWindow:
    """Some steps alone, as far as there is room for them; what heads them is a ghost."""
    steps = source.overview.steps
    end = steps[chosen.last].line if chosen.last < len(steps) else LATEST
    first, last = steps[chosen.first - 1], steps[chosen.last - 1]
    plan = plan_range(source.session, first, last, end, most)
    after, until = plan.window.end, plan.cuts[-1].end or LATEST
    left_out = (
        number
        for number in chosen.numbers
        if steps[number - 1].chunk >= after or steps[number - 1].line >= until
    )
    following = next(left_out, 0)
    story = _window(source, plan)
    return structs.replace(
        story,
        range=structs.replace(
            chosen, next=following, next_id=steps[following - 1].id if following else ""
        ),
        passages=tuple(
            structs.replace(one, is_ghost=one.number < first.chunk) for one in story.passages
        ),
    )


def _range(source: PageSource, ends: tuple[str, str]) -> StepRange | None:
    """The steps from one to another; None if either is missing."""
    first, last = (_number(source, id) if all(ends) else 0 for id in ends)
    if not (first and last):
        return None
    return step_range(source.overview.steps, first, last, source.reader().zone)


def _number(source: PageSource, id: str) -> int:
    """The number of a step, or of the one that shows it; 0 if there is none."""
    steps = source.overview.steps
    for number, step in enumerate(steps, 1):
        if step.id == id:
            return number
    place = locations.step_location(source.session, source.overview.document, id)
    if place is None:
        return 0
    return bisect_right(steps, (place.chunk, place.line), key=lambda one: (one.chunk, one.line))


def cached_page(source: PageSource, shell: Shell, query: PageQuery) -> SessionPage:
    """The page; all but its head is rendered once while nothing changes."""
    key = _version(source, query)
    rendered = source.context.rendered.get(key)
    if rendered is None:
        below = render_below(page(source, shell, query), source.links)
        if not query.words and not source.outdated_ms:
            source.context.rendered.put(key, below.encode("utf-8", "replace"))
    else:
        below = Markup(rendered.decode())  # noqa: S704 - it was markup when it was kept
    marks = source.context.marks.of(source.project, source.id)
    return SessionPage(
        **head_fields(source.overview, shell, source.reader(), source.spot()),
        pinned=marks.pinned,
        hidden=marks.hidden,
        **source.feed,
        below=below,
    )


def _version(source: PageSource, query: PageQuery) -> Hashable:
    """A value that changes when anything below the head of a page may.

    That is the session, what is still running, the query, and whether the index has its lines;
    for a waiting session also the minutes it waits.
    """
    session = source.session
    at_work = session.is_ongoing, *(one.id for one in session.agents if one.is_ongoing)
    waits = session.info().status.state == "waiting_for_approval"
    minute = source.context.now() // 60_000 if waits else 0
    named = source.context.lines.event_id(session.source_id, 0)
    return source.tag, at_work, source.agent, query, named, minute


def page(source: PageSource, shell: Shell, query: PageQuery) -> SessionPage:
    """The page, not rendered yet."""
    lines, seen = search(source, query.words)
    story = story_window(source, query)
    whole, window = source.overview, story.plan.window
    if story.range is not None:
        whole = narrowed(whole, story.range, source.reader())
    hits = frozenset(one.line for one in lines if one.agent_id == source.agent)
    level = _level(story, query.level)
    spot = source.spot(at=story.at, hits=hits, branch=story.branch, level=level)
    shown = window if query.begin < 0 else structs.replace(window, first=query.begin)
    frame = frame_fields(whole, shell, source.reader(), spot, shown, hit_ticks(whole.axis, lines))
    marks = source.context.marks.of(source.project, source.id)
    return SessionPage(
        **frame,
        passages=story.passages,
        window=window,
        range=story.range,
        hits=seen,
        place=_place(story),
        pinned=marks.pinned,
        hidden=marks.hidden,
        **source.feed,
    )


def _place(story: StoryWindow) -> dict[str, str]:
    """What keeps the reader's place in another view, and at another level."""
    if story.at:
        return {"at": story.at}
    ends = {"from": story.range.first_id, "to": story.range.last_id} if story.range else {}
    return {"chunk": str(story.plan.window.first or ""), **ends}


def _level(story: StoryWindow, level: Level) -> Level:
    """A step that the story leaves out raises the level."""
    items = (item for passage in story.passages for item in _items(passage))
    hidden = any(
        inner.id == story.at and not (item.in_story and inner.in_story)
        for item in items
        for inner in (item, *_inside(item))
    )
    return "normal" if level == "story" and hidden else level


def search(source: PageSource, words: str) -> tuple[Sequence[SearchResult], SessionHits | None]:
    """Lines of this session with some words in them."""
    if not words.strip():
        return (), None
    query = TextQuery(terms=words, projects=(source.project,), session=source.id, limit=_HITS)
    answer = search_answer(source.context, query)  # its snippets are of lines without secrets
    return answer.items, session_hits(words, answer)


def _window(source: PageSource, plan: Plan) -> StoryWindow:
    document, layout = source.document(plan)
    story = passages(document, render_context(document, source.reader()), layout)
    return StoryWindow(plan=plan, passages=story)


def _begin(source: PageSource, chunk: int) -> int:
    """A window begins with the prompt, if that is the chunk before."""
    spans = source.session.fold.chunks.spans
    return chunk - 1 if chunk and spans[chunk - 1].type == "user" else chunk


def _nearest(passage: Passage, place: StepLocation) -> str:
    """The element of a location, or the one before it."""
    items = [inner for item in _items(passage) for inner in _inside(item)]
    ids = {item.id for item in items} | {passage.block.id}
    ids |= {line.id for item in items if isinstance(item, AgentItem) for line in item.below}
    if place.id in ids:
        return place.id
    for item in items:
        if isinstance(item, AgentItem) and item.call and item.call.id == place.id:
            return item.id
    before = [item for item in items if item.lines and min(item.lines) <= place.line]
    exact = [item for item in before if place.line in item.lines]
    return (exact or before)[-1].id if before else passage.block.id


def _items(passage: Passage) -> tuple[StepItem, ...]:
    return passage.block.items if isinstance(passage.block, AnswerBlock) else ()


def _inside(item: StepItem) -> tuple[StepItem, ...]:
    if isinstance(item, NoiseItem):
        return item.notes
    return item.rows if isinstance(item, CallGroup) else (item,)
