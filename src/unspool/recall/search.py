"""A query -> the lines it finds, newest first, each with the words around what was asked for."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from msgspec import Struct, structs

from unspool.derive.reading.clock import iso
from unspool.model.query import Hit, SessionQuery, TextQuery
from unspool.model.search import FoundLine
from unspool.recall.archive import Archive, text_of
from unspool.recall.regex import TimeUp, compiled, needles
from unspool.recall.shown import Shown
from unspool.recall.snippets import Snippet, around, patterns, snippet
from unspool.store import Store

_LONGEST_BODY: Final = 1_000_000
_MOST_MATCHES: Final = 20
_WINDOW: Final = 500


class Results(Struct, frozen=True, kw_only=True):
    """What was found; `cursor` begins the next page, `reached` says how far back a pattern got."""

    items: tuple[FoundLine, ...] = ()
    cursor: int | None = None
    is_partial: bool = False
    reached: str | None = None


class Search:
    """Searches what the index holds of some roots; bodies come from files and archive."""

    def __init__(
        self,
        store: Store,
        archive: Archive,
        roots: Sequence[str] = (),
        shown: Shown | None = None,
    ) -> None:
        self._store = store
        self._archive = archive
        self._roots = roots
        self._shown = shown or Shown()
        self._is_partial = False

    def find(self, query: TextQuery) -> Results:
        """Lines that have all the words."""
        wanted, terms = patterns(query.terms), query.terms
        pages = self._pages(query, query.limit + 1)
        hits = list(islice(chain.from_iterable(pages), query.limit + 1))
        shown = hits[: query.limit]
        return Results(
            items=tuple(self._found(hit, self._piece(hit, terms, wanted)) for hit in shown),
            cursor=shown[-1].line_id if shown and len(hits) > len(shown) else None,
            is_partial=self._is_partial,
        )

    def scan(self, query: TextQuery, is_over: Callable[[], bool]) -> Results:
        """Lines that a pattern fits, read one by one until there are enough or it `is_over`."""
        wanted, sure = compiled(query.regex), needles(query.regex)
        items: list[FoundLine] = []
        last: Hit | None = None
        is_done = False
        try:
            for hit in chain.from_iterable(self._pages(query, _WINDOW)):
                if is_over() or len(items) >= query.limit:
                    break
                last = hit
                body = self._body(hit, sure)[:_LONGEST_BODY]
                spans = _spans(wanted, body)
                if spans:
                    items.append(self._found(hit, around(body, spans)))
            else:
                is_done = not self._is_partial
        except TimeUp:
            pass
        return Results(
            items=tuple(items),
            cursor=None if is_done or last is None else last.line_id,
            is_partial=not is_done and len(items) < query.limit,
            reached=iso(last.timestamp) if last else None,
        )

    def _pages(self, query: TextQuery, size: int) -> Iterator[list[Hit]]:
        """All that the index finds, a page at a time, as far as it is of our roots."""
        before = query.before
        self._is_partial = False
        while True:
            asked = structs.replace(query, regex="", limit=size, before=before)
            hits = self._store.search(asked)
            self._is_partial |= getattr(hits, "partial", False)
            yield [hit for hit in hits if self._is_ours(hit)]
            if len(hits) < size:
                return
            before = hits[-1].line_id

    def _piece(self, hit: Hit, terms: str, wanted: Sequence[re.Pattern[str]]) -> Snippet:
        return self._shown.snippet(terms, hit, lambda: snippet(self._body(hit), wanted))

    def _is_ours(self, hit: Hit) -> bool:
        source = self._archive.source(hit.source_id)
        return not self._roots or (source is not None and source.root in self._roots)

    def _body(self, hit: Hit, sure: Sequence[bytes] = ()) -> str:
        """A line's text; none where it lacks what is sure to be in every text that is wanted."""
        line = self._archive.line(hit.source_id, hit.generation, hit.offset, hit.length) or b""
        if sure and b"\\u00" not in line:  # a letter written as its number could hide
            low = line.lower()
            if not all(letters in low for letters in sure):
                return ""
        return text_of(line)

    def _found(self, hit: Hit, shown: Snippet) -> FoundLine:
        return FoundLine(
            session_id=hit.session_id,
            project_id=hit.project_id,
            project_name=self._project_name(hit),
            title=hit.title,
            agent_id=hit.agent_id,
            turn=hit.turn,
            line=hit.line_number,
            event_id=f"{hit.source_id}.{hit.generation}.{hit.offset}",
            kind=hit.text_kind,
            timestamp=iso(hit.timestamp),
            snippet=shown.text,
            ranges=shown.ranges,
        )

    def _project_name(self, hit: Hit) -> str:
        return self._shown.name((hit.project_id, hit.session_id), lambda: self._asked_name(hit))

    def _asked_name(self, hit: Hit) -> str:
        key = hit.project_id, hit.session_id
        asked = SessionQuery(session=hit.session_id, everything=True, limit=10)
        rows = self._store.sessions(asked)
        cwd = next((row.cwd for row in rows if (row.project_id, row.session_id) == key), "")
        return re.split(r"[/\\]", cwd.rstrip("/\\"))[-1]


def _spans(wanted: re.Pattern[str], body: str) -> Sequence[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for match in wanted.finditer(body):
        if match.end() > match.start():
            found.append(match.span())
        if len(found) == _MOST_MATCHES:
            break
    return found
