"""The page of a session's conversation, at the reader's place."""

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
    steps: str = ""  # a range of them by number, "12-46"
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
    chosen = _range(source, query.steps)
    if chosen is not None:
        steps = source.overview.steps
        end = steps[chosen.last].line if chosen.last < len(steps) else LATEST
        begin, last = steps[chosen.first - 1], steps[chosen.last - 1]
        plan = plan_range(source.session, begin, last, end, SCREEN if query.short else MESSAGES)
        after, until = plan.window.end, plan.cuts[-1].end or LATEST
        left_out = (
            number
            for number in chosen.numbers
            if steps[number - 1].chunk >= after or steps[number - 1].line >= until
        )
        shown = structs.replace(chosen, next=next(left_out, 0))
        return structs.replace(_window(source, plan), range=shown)
    place = locate(source, query.at)
    if place is None:
        return _window(source, plan_window(source.session, query.first, query.limit))
    first = _begin(source, place.chunk)
    story = _window(source, plan_window(source.session, first, targets={place.chunk: place.slab}))
    here = next(one for one in story.passages if one.number == place.chunk)
    return structs.replace(story, at=_nearest(here, place), branch=here.block.branch)


def _range(source: PageSource, text: str) -> StepRange | None:
    if not text:
        return None
    first, _, last = text.partition("-")
    whole = source.overview
    return step_range(whole.steps, int(first), int(last), source.reader().zone)


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
        place={"at": story.at} if story.at else {"from": str(window.first or "")},
        pinned=marks.pinned,
        hidden=marks.hidden,
        **source.feed,
    )


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
