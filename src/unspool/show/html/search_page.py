"""Search results by session, with the matched words marked."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import ClassVar, Final

from msgspec import Struct, structs

from unspool.model.api import SearchAnswer, SearchResult
from unspool.show import safe
from unspool.show.html.shell import Shell
from unspool.show.labels import title_label
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


class SearchGroup(Struct, frozen=True, kw_only=True):
    """The results in one session."""

    project_id: str
    session_id: str
    title: str
    summary: str
    hits: tuple[SearchResultRow, ...]


class SearchPageQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the search."""

    q: str = ""
    kind: str = ""
    project: str = ""
    session: str = ""
    since: str = ""
    until: str = ""
    order: str = ""
    cursor: str = ""

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters of the first page with some of them changed."""
        return structs.asdict(structs.replace(self, **{"cursor": "", **changed}))


class SearchPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "search.html"
    shell: Shell
    query: SearchPageQuery
    summary: str
    kinds: tuple[tuple[str, str], ...]
    projects: tuple[tuple[str, str], ...]
    jump: tuple[str, str, str] | None  # a session whose id begins so: project, id, title
    groups: tuple[SearchGroup, ...]
    cursor: str


KINDS: Final = (
    ("", "Everything"),
    ("prompt", "Your prompts"),
    ("answer", "Answers"),
    ("thinking", "Thinking"),
    ("tool_input", "Calls"),
    ("tool_result", "Results"),
    ("summary", "Summaries"),
)


_KINDS: Final = {
    "user": "You",
    "prompt": "You",
    "assistant": "Claude",
    "ai": "Claude",
    "thinking": "Thinking",
    "tool_input": "Tool input",
    "tool_result": "Tool output",
    "tool_output": "Tool output",
}
_CODE: Final = ("Tool input", "Tool output")


class SearchContext(Struct, frozen=True, kw_only=True):
    """Other data of the page."""

    now: int
    projects: tuple[tuple[str, str], ...] = ()
    jump: tuple[str, str, str] | None = None
    zone: tzinfo | None = None


def search_page(
    query: SearchPageQuery, answer: SearchAnswer, shell: Shell, context: SearchContext
) -> SearchPage:
    """Sessions in the order of their first result."""
    sessions: dict[tuple[str, str], list[SearchResult]] = {}
    for one in answer.items:
        sessions.setdefault((one.project_id, one.session_id), []).append(one)
    return SearchPage(
        shell=shell,
        query=query,
        summary=_say(len(answer.items), len(sessions), answer),
        kinds=KINDS,
        projects=context.projects,
        jump=context.jump,
        groups=tuple(_found(lines, context.now, context.zone) for lines in sessions.values()),
        cursor=answer.next_cursor or "",
    )


def _say(hits: int, sessions: int, answer: SearchAnswer) -> str:
    more = " so far" if answer.next_cursor else ""
    part = "; the search timed out, results are incomplete" if answer.is_partial else ""
    return f"{plural(hits, 'result')} in {plural(sessions, 'session')}{more}{part}"


def _found(lines: Sequence[SearchResult], now: int, zone: tzinfo | None) -> SearchGroup:
    first = lines[0]
    facts = (
        safe.brief(first.project_name or first.project_id, 100),
        ago(first.timestamp, now, zone),
    )
    return SearchGroup(
        project_id=first.project_id,
        session_id=first.session_id,
        title=title_label(first.title or first.session_id),
        summary=" · ".join([*filter(None, facts), plural(len(lines), "result")]),
        hits=tuple(result_row(one, zone) for one in lines),
    )


def result_row(one: SearchResult, zone: tzinfo | None) -> SearchResultRow:
    """One result with the matched words marked."""
    kind = _KINDS.get(one.kind, one.kind.replace("_", " ").capitalize() or "Line")
    side = f"agent {one.agent_id}" if one.agent_id else f"turn {one.turn}" if one.turn else ""
    return SearchResultRow(
        event_id=one.event_id,
        agent_id=one.agent_id,
        clock=clock(one.timestamp, zone),
        when=one.timestamp,
        kind=kind,
        side=side,
        pieces=tuple(_pieces(one.snippet, one.ranges)),
        is_code=kind in _CODE,
    )


def _pieces(text: str, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[bool, str]]:
    at = 0
    for start, end in ranges:
        if at <= start < end:
            yield False, _clean(text[at:start])
            yield True, _clean(text[start:end])
            at = end
    yield False, _clean(text[at:])


def _clean(text: str) -> str:
    return "\n".join(map(safe.line, text.split("\n")))
