"""Search results by session, with the matched words marked and ticks on each timeline."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import ClassVar, Final, NamedTuple

from msgspec import Struct, field, structs

from unspool.model.api import SearchResult
from unspool.model.insights import ActivityStrip
from unspool.model.query import SessionKey
from unspool.model.rows import TextKind
from unspool.model.search import MatchedSessions, SessionMatches
from unspool.model.session import SessionSummary
from unspool.show import safe
from unspool.show.charts.spool import Spool, SpoolCache
from unspool.show.charts.spool_data import time_shares
from unspool.show.html.components import SPOOL_ENDS
from unspool.show.html.shell import Shell
from unspool.show.labels import cost_label, title_label
from unspool.show.numbers import plural
from unspool.show.times import ago, clock


class SearchResultRow(Struct, frozen=True, kw_only=True):
    event_id: str
    agent_id: str
    clock: str
    when: str | None
    kind: str
    side: str
    pieces: tuple[tuple[bool, str], ...]
    is_code: bool


class HitTick(NamedTuple):
    """A hit on the timeline of its session: where, in percent, and which event it is."""

    x: float
    event_id: str


class SearchGroup(Struct, frozen=True, kw_only=True):
    """The results in one session."""

    project_id: str
    session_id: str
    title: str
    summary: str
    hits: tuple[SearchResultRow, ...]
    rest: tuple[SearchResultRow, ...] = ()
    more: int = 0  # how many hits are not among the first
    spool: Spool | None = None
    ticks: tuple[HitTick, ...] = ()


class SearchPageQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the search."""

    q: str = ""
    kind: str = ""
    project: str = ""
    machine: str = ""
    session: str = ""
    since: str = ""
    until: str = ""
    order: str = ""
    cursor: str = ""

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters of the first page with some of them changed."""
        return structs.asdict(structs.replace(self, **{"cursor": "", **changed}))


class KindChoice(Struct, frozen=True):
    """A kind of line, and how many hits are of it."""

    value: str
    name: str
    count: str


class SearchPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "search.html"
    shell: Shell
    query: SearchPageQuery
    hits: str
    where: str
    kinds: tuple[KindChoice, ...]
    projects: tuple[tuple[str, str], ...]
    machines: tuple[tuple[str, str], ...]  # where there are several
    jump: tuple[str, str, str] | None  # a session whose id begins so: project, id, title
    groups: tuple[SearchGroup, ...]
    cursor: str


_KINDS: Final[Mapping[TextKind, tuple[str, str]]] = {
    "prompt": ("Prompt", "Prompts"),
    "answer": ("Answer", "Answers"),
    "thinking": ("Thinking", "Thinking"),
    "tool_input": ("Call", "Calls"),
    "tool_result": ("Output", "Output"),
    "summary": ("Summary", "Summaries"),
    "system": ("Note", "Notes"),
}
_CODE: Final = ("tool_input", "tool_result")
# So many characters stand before the first match, at most: it is visible on any screen.
_LEAD: Final = 32


class SearchContext(Struct, frozen=True, kw_only=True):
    """Other data of the page; sessions and strips are those of the results, where known."""

    now: int
    projects: tuple[tuple[str, str], ...] = ()
    machines: tuple[tuple[str, str], ...] = ()
    jump: tuple[str, str, str] | None = None
    sessions: Mapping[SessionKey, SessionSummary] = {}
    strips: Mapping[SessionKey, ActivityStrip] = {}
    spools: SpoolCache = field(default_factory=SpoolCache)
    zone: tzinfo | None = None


def search_page(
    query: SearchPageQuery,
    found: MatchedSessions,
    shell: Shell,
    context: SearchContext,
    cursor: str = "",
) -> SearchPage:
    """Sessions in the given order."""
    least = "At least " if found.is_partial else ""
    return SearchPage(
        shell=shell,
        query=query,
        hits=f"{least}{plural(found.hits, 'hit')}",
        where=f"in {plural(found.sessions, 'session')}",
        kinds=tuple(_choices(query, found)),
        projects=context.projects,
        machines=context.machines,
        jump=context.jump,
        groups=tuple(_group(one, context) for one in found.groups),
        cursor=cursor,
    )


def _choices(query: SearchPageQuery, found: MatchedSessions) -> Iterator[KindChoice]:
    """Kinds that have hits, or the one that was chosen; the counts are of all kinds."""
    more = "+" if found.is_partial else ""
    yield KindChoice("", "All", f"{sum(found.kinds.values()):,}{more}")
    for kind, (_, name) in _KINDS.items():
        count = found.kinds.get(kind, 0)
        if count or kind == query.kind:
            yield KindChoice(kind, name, f"{count:,}{more}")


def _group(found: SessionMatches, context: SearchContext) -> SearchGroup:
    name, first = (found.project_id, found.session_id), found.best[0]
    row, strip = context.sessions.get(name), context.strips.get(name)
    title = title_label(first.title or (row.session.goal if row else "") or first.session_id)
    hits = sum(found.kinds.values())
    ticks = time_shares(strip, [at for at, _ in found.times]) if strip else ()
    return SearchGroup(
        project_id=found.project_id,
        session_id=found.session_id,
        title=title,
        summary=" · ".join(filter(None, _facts(found, row, context))),
        hits=tuple(result_row(one, context.zone) for one in found.best),
        rest=tuple(result_row(one, context.zone) for one in found.others),
        more=hits - len(found.best),
        spool=_spool(row, strip, context, f"{title}: {plural(hits, 'hit')}"),
        ticks=tuple(
            HitTick(round(x * 100, 1), event)
            for x, (_, event) in zip(ticks, found.times, strict=False)
        ),
    )


def _facts(
    found: SessionMatches, row: SessionSummary | None, context: SearchContext
) -> Iterator[str]:
    first = found.best[0]
    yield safe.brief(first.project_name or first.project_id, 100)
    yield ago((row.last_activity if row else None) or first.timestamp, context.now, context.zone)
    if row is not None:
        yield cost_label(row.metrics)
    yield ", ".join(_counts(found.kinds))


def _counts(kinds: Mapping[TextKind, int]) -> Iterator[str]:
    for kind, (one, many) in _KINDS.items():
        if count := kinds.get(kind, 0):
            yield plural(count, one.lower(), many.lower())


def _spool(
    row: SessionSummary | None, strip: ActivityStrip | None, context: SearchContext, label: str
) -> Spool | None:
    if row is None or strip is None:
        return None
    one = row.session
    live = SPOOL_ENDS[one.status.state]
    return context.spools.draw(f"{one.project_id}/{one.id}", strip, "row", live, label)


def result_row(one: SearchResult, zone: tzinfo | None) -> SearchResultRow:
    """One result: the line of its first match, with the matched words marked."""
    kind = next((name for kind, (name, _) in _KINDS.items() if kind == one.kind), "Line")
    side = f"agent {one.agent_id}" if one.agent_id else f"turn {one.turn}" if one.turn else ""
    return SearchResultRow(
        event_id=one.event_id,
        agent_id=one.agent_id,
        clock=clock(one.timestamp, zone),
        when=one.timestamp,
        kind=kind,
        side=side,
        pieces=tuple(_pieces(*matched_line(one.snippet, one.ranges))),
        is_code=one.kind in _CODE,
    )


def matched_line(text: str, ranges: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The line of the first match, cut before a word near it; with the places in it."""
    sane = [(start, end) for start, end in ranges if 0 <= start < end <= len(text)]
    if not sane:
        return next((line for line in text.split("\n") if line.strip()), ""), []
    at = sane[0][0]
    begin, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    stop = len(text) if stop < 0 else stop
    while begin < at and text[begin].isspace():
        begin += 1
    lead = ""
    if at - begin > _LEAD:
        space = text.find(" ", at - _LEAD, at)
        begin, lead = space + 1 if space >= 0 else at - _LEAD, "…"
    shift = len(lead) - begin
    inside = [(start, min(end, stop)) for start, end in sane if begin <= start < stop]
    return lead + text[begin:stop], [(start + shift, end + shift) for start, end in inside]


def _pieces(text: str, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[bool, str]]:
    at = 0
    for start, end in ranges:
        if at <= start < end:
            yield False, safe.line(text[at:start])
            yield True, safe.line(text[start:end])
            at = end
    yield False, safe.line(text[at:])
