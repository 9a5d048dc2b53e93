"""A session that is open, and where its reader wants to be -> the page of its story."""

from collections.abc import Hashable, Sequence

from msgspec import Struct, structs

from unspool.errors import NotFound
from unspool.model.api import SearchResult
from unspool.model.query import TextQuery
from unspool.serve.api.search import search_answer
from unspool.serve.pages.session import places
from unspool.serve.pages.session.opened import Read
from unspool.serve.pages.session.places import StepLocation
from unspool.serve.pages.session.wholes import is_current
from unspool.serve.pages.session.windows import CHUNKS, Plan, plan
from unspool.show.html.passages import passages
from unspool.show.html.render_context import render_context
from unspool.show.html.session_page import (
    SessionHits,
    SessionPage,
    frame_fields,
    head_fields,
    hit_ticks,
    render_below,
    session_hits,
)
from unspool.show.html.shell import Shell
from unspool.show.html.step_types import AgentItem, AnswerBlock, CallGroup, Passage, StepItem

_HITS = 50


class Asked(Struct, frozen=True, kw_only=True):
    """Where a reader wants to be in a session."""

    first: int = 0
    limit: int = CHUNKS
    begin: int = -1  # the first chunk of a page that has some before these already
    at: str = ""
    words: str = ""
    line: int = 0  # of the transcript, to be shown whole
    start: int = 0  # the first line of a list of them


class Story(Struct, frozen=True, kw_only=True):
    """A window of a session, told."""

    plan: Plan
    passages: tuple[Passage, ...]
    at: str = ""  # what the reader came for: it, or what shows it
    branch: int = 0


def placed(read: Read, at: str) -> StepLocation | None:
    """Where something stands; nothing is at the beginning."""
    if not at:
        return None
    if places.is_event(at):
        return places.of_event(read.session, at)
    place = places.of_id(read.session, read.whole.document, at)
    if place is None:
        raise NotFound("This session has no such step.")
    return place


def told(read: Read, asked: Asked) -> Story:
    """The window that is asked for: from a chunk on, or the one in which a step stands."""
    place = placed(read, asked.at)
    if place is None:
        return _window(read, plan(read.session, asked.first, asked.limit))
    first = _begin(read, place.chunk)
    story = _window(read, plan(read.session, first, wanted={place.chunk: place.slab}))
    here = next(one for one in story.passages if one.number == place.chunk)
    return structs.replace(story, at=_nearest(here, place), branch=here.block.branch)


def kept(read: Read, shell: Shell, asked: Asked) -> SessionPage:
    """The page of a session's story; all but its head is drawn once while nothing changes."""
    key = _version(read, asked)
    below = read.desk.rendered.get(key)
    if below is None:
        made = page(read, shell, asked)
        below = render_below(made, read.links)
        if not asked.words and is_current(read.held, read.agent):
            read.desk.rendered.put(key, below)
    marks = read.desk.marks.of(read.project, read.id)
    return SessionPage(
        **head_fields(read.whole, shell, read.reader(), read.spot()),
        pinned=marks.pinned,
        hidden=marks.hidden,
        seq=read.seq,
        below=below,
    )


def _version(read: Read, asked: Asked) -> Hashable:
    """What is another where all but the head of a page may be.

    That is the session, who is still at work on it, what is read of it, and whether the index
    knows its lines by name; of a session that waits it says for how many minutes.
    """
    session = read.session
    at_work = session.is_ongoing, *(one.id for one in session.agents if one.is_ongoing)
    waits = session.info().status.state == "waiting_for_approval"
    minute = read.desk.around.now() // 60_000 if waits else 0
    named = read.desk.lines.event_id(session.path, 0)
    return read.tag, at_work, read.agent, asked, named, minute


def page(read: Read, shell: Shell, asked: Asked) -> SessionPage:
    """The same, made again and not rendered yet."""
    lines, seen = search(read, asked.words)
    story = told(read, asked)
    whole, window = read.whole, story.plan.window
    hits = frozenset(one.line for one in lines if one.agent_id == read.agent)
    spot = read.spot(at=story.at, hits=hits, branch=story.branch)
    shown = window if asked.begin < 0 else structs.replace(window, first=asked.begin)
    frame = frame_fields(whole, shell, read.reader(), spot, shown, hit_ticks(whole.document, lines))
    marks = read.desk.marks.of(read.project, read.id)
    return SessionPage(
        **frame,
        passages=story.passages,
        window=window,
        hits=seen,
        place={"at": story.at} if story.at else {"from": str(window.first or "")},
        pinned=marks.pinned,
        hidden=marks.hidden,
        seq=read.seq,
    )


def search(read: Read, words: str) -> tuple[Sequence[SearchResult], SessionHits | None]:
    """Lines of this session with some words in them."""
    if not words.strip():
        return (), None
    query = TextQuery(terms=words, project=read.project, session=read.id, limit=_HITS)
    answer = read.desk.around.redactor.value(search_answer(read.desk, query))
    return answer.items, session_hits(words, answer)


def _window(read: Read, made: Plan) -> Story:
    document, layout = read.document(made)
    story = passages(document, render_context(document, read.reader()), layout)
    return Story(plan=made, passages=story)


def _begin(read: Read, chunk: int) -> int:
    """A window opens with the prompt, where that is near."""
    spans = read.session.fold.chunks.spans
    return chunk - 1 if chunk and spans[chunk - 1].type == "user" else chunk


def _nearest(passage: Passage, place: StepLocation) -> str:
    """The element of what was asked for, or of what stands before it."""
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
    return item.rows if isinstance(item, CallGroup) else (item,)
