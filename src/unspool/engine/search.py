"""A query -> the lines it finds, newest first, each with the words around what was asked for."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from msgspec import Struct, structs

from unspool.derive.reading.clock import iso
from unspool.derive.regex import Regex, compile_pattern, required_letters
from unspool.engine.archive import Archive, text_of
from unspool.engine.shown import Shown
from unspool.engine.snippets import Snippet, around, patterns, snippet
from unspool.model.api import SearchResult
from unspool.model.query import SearchHit, SessionQuery, TextQuery
from unspool.store import Store

_LONGEST_BODY: Final = 1_000_000
_MOST_MATCHES: Final = 20
_WINDOW: Final = 500


class Results(Struct, frozen=True, kw_only=True):
    """What was found; `cursor` begins the next page."""

    items: tuple[SearchResult, ...] = ()
    cursor: int | None = None
    is_partial: bool = False


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

    def scan(self, query: TextQuery, tell: Callable[[int], None] = lambda done: None) -> Results:
        """Lines that a pattern matches; `tell` hears how many bytes were read."""
        regex, letters = compile_pattern(query.regex), required_letters(query.regex)
        items: list[SearchResult] = []
        last: SearchHit | None = None
        done = 0
        for hit in chain.from_iterable(self._pages(query, _WINDOW, to_the_end=True)):
            if len(items) == query.limit:
                return Results(items=tuple(items), cursor=last.line_id if last else None)
            last = hit
            if self._may_match(hit, regex, letters):
                body = self._body(hit)[:_LONGEST_BODY]
                if spans := regex.spans(body, _MOST_MATCHES):
                    items.append(self._found(hit, around(body, spans)))
            done += hit.length
            tell(done)
        cursor = last.line_id if last and self._is_partial else None
        return Results(items=tuple(items), cursor=cursor, is_partial=self._is_partial)

    def _may_match(self, hit: SearchHit, regex: Regex, letters: Sequence[bytes]) -> bool:
        """Whether a line as written matches: most do not, and finding secrets takes far longer."""
        line = self._archive.raw(hit.source_id, hit.generation, hit.offset, hit.length) or b""
        if letters and b"\\u00" not in line:  # a letter written as its number could hide
            low = line.lower()
            if not all(run in low for run in letters):
                return False
        return regex.occurs_in(text_of(line)[:_LONGEST_BODY])

    def _pages(
        self, query: TextQuery, size: int, *, to_the_end: bool = False
    ) -> Iterator[list[SearchHit]]:
        """All that the index finds, a page at a time, as far as it is of our roots.

        A page whose time was up is the last one, unless asked `to_the_end`.
        """
        before = query.before
        self._is_partial = False
        while True:
            asked = structs.replace(query, regex="", limit=size, before=before)
            hits = self._store.search(asked)
            is_cut = hits.partial
            goes_on = len(hits) == size or (is_cut and to_the_end and bool(hits))
            self._is_partial = is_cut and not goes_on
            yield [hit for hit in hits if self._is_ours(hit)]
            if not goes_on:
                return
            before = hits[-1].line_id

    def _piece(self, hit: SearchHit, terms: str, wanted: Sequence[re.Pattern[str]]) -> Snippet:
        return self._shown.snippet(terms, hit, lambda: snippet(self._body(hit), wanted))

    def _is_ours(self, hit: SearchHit) -> bool:
        source = self._archive.source(hit.source_id)
        return not self._roots or (source is not None and source.root in self._roots)

    def _body(self, hit: SearchHit) -> str:
        line = self._archive.line(hit.source_id, hit.generation, hit.offset, hit.length) or b""
        return text_of(line)

    def _found(self, hit: SearchHit, shown: Snippet) -> SearchResult:
        return SearchResult(
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

    def _project_name(self, hit: SearchHit) -> str:
        return self._shown.name((hit.project_id, hit.session_id), lambda: self._asked_name(hit))

    def _asked_name(self, hit: SearchHit) -> str:
        key = hit.project_id, hit.session_id
        asked = SessionQuery(session=hit.session_id, everything=True, limit=10)
        rows = self._store.sessions(asked)
        cwd = next((row.cwd for row in rows if (row.project_id, row.session_id) == key), "")
        return re.split(r"[/\\]", cwd.rstrip("/\\"))[-1]
