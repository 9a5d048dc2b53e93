"""Full-text search: the lines that match a query, each with a snippet."""

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from threading import BoundedSemaphore, Lock, local
from time import monotonic
from typing import Final, TypeAlias

from msgspec import Struct, structs

from unspool.derive.reading.clock import iso
from unspool.derive.regex import Regex, compile_pattern
from unspool.engine.archive.reader import Archive, text_of
from unspool.engine.archive.redacted import RedactedArchive
from unspool.engine.search.by_session import SessionSearch, event_id
from unspool.engine.search.literals import Literals, required_literals
from unspool.engine.search.snippets import Snippet, around, patterns, snippet
from unspool.model.api import SearchResult
from unspool.model.query import SearchHit, SessionQuery, TextQuery
from unspool.model.search import MatchedSessions
from unspool.redact import Redactor
from unspool.store import Store

_LONGEST_BODY: Final = 1_000_000
_MOST_MATCHES: Final = 20
_WINDOW: Final = 500
# Literals that are in more words than this are in most lines.
_MOST_WORDS: Final = 1_000
# An ASCII letter written as its number; and the two letters that match k and s, but are not ASCII.
_HIDDEN: Final = re.compile(rb"(?i)\\u(?:00|017f|212a)|\xc5\xbf|\xe2\x84\xaa")
_MAX_CACHED: Final = 2_000
# Each search may read many files; a long one must not keep all others waiting.
_AT_ONCE: Final = 3
# Files that have grown are read from the archive for this long, which is a little slower.
_FRESH_SECONDS: Final = 2.0

# Reads the text of a line by its place: source, generation, offset, length.
ReadText: TypeAlias = Callable[[int, int, int, int], str | None]


class Results(Struct, frozen=True, kw_only=True):
    """A page of results; `cursor` is the `before` of the next one."""

    items: tuple[SearchResult, ...] = ()
    cursor: int | None = None
    is_partial: bool = False


class SnippetCache:
    """Snippets and project names of earlier searches: the line at a place never changes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._snippets: OrderedDict[Hashable, Snippet] = OrderedDict()
        self._names: OrderedDict[tuple[str, str], str] = OrderedDict()

    def snippet(self, terms: str, hit: SearchHit, make: Callable[[], Snippet]) -> Snippet:
        """The snippet of a line."""
        key = terms, hit.source_id, hit.generation, hit.offset, hit.length
        with self._lock:
            known = self._snippets.get(key)
            if known is not None:
                self._snippets.move_to_end(key)
                return known
        fresh = make()
        if fresh.text:  # an unreadable line may be readable later
            with self._lock:
                self._snippets[key] = fresh
                _trim(self._snippets)
        return fresh

    def name(self, key: tuple[str, str], find: Callable[[], str]) -> str:
        """A project's name, by project and session; an empty one is looked up again."""
        with self._lock:
            known = self._names.get(key, "")
        if not known and (known := find()):
            with self._lock:
                self._names[key] = known
                _trim(self._names)
        return known


class Search:
    """Searches what the index holds of some roots; bodies come from files and archive."""

    def __init__(
        self,
        store: Store,
        archive: Archive,
        roots: Sequence[str] = (),
        snippets: SnippetCache | None = None,
    ) -> None:
        self._store = store
        self._archive = archive
        self._roots = roots
        self._snippets = snippets or SnippetCache()
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

    def find_sessions(self, query: TextQuery, first: int = 0) -> MatchedSessions:
        """Sessions that have such lines, each with its best hits; `first` is how many to skip."""
        wanted = patterns(query.terms)

        def read(hits: Sequence[SearchHit]) -> list[SearchResult]:
            return [self._found(hit, self._piece(hit, query.terms, wanted)) for hit in hits]

        return SessionSearch(self._store, self._roots, read).page(query, first)

    def scan(self, query: TextQuery, tell: Callable[[int], None] = lambda done: None) -> Results:
        """Lines that a pattern matches; `tell` hears how many bytes were read."""
        regex, required = compile_pattern(query.regex), required_literals(query.regex)
        query = structs.replace(query, one_of=self._words_of(required))
        items: list[SearchResult] = []
        last: SearchHit | None = None
        done = 0
        for hit in chain.from_iterable(self._pages(query, _WINDOW, to_the_end=True)):
            if len(items) == query.limit:
                return Results(items=tuple(items), cursor=last.line_id if last else None)
            last = hit
            if self._may_match(hit, regex, required):
                body = self._body(hit)[:_LONGEST_BODY]
                if spans := regex.spans(body, _MOST_MATCHES):
                    items.append(self._found(hit, around(body, spans)))
            done += hit.length
            tell(done)
        cursor = last.line_id if last and self._is_partial else None
        return Results(items=tuple(items), cursor=cursor, is_partial=self._is_partial)

    def _words_of(self, required: Sequence[Literals]) -> tuple[tuple[str, ...], ...]:
        """For each, the words that a line must have one of, where they are few enough to ask."""
        found = self._store.words_with(set[str]().union(*required), _MOST_WORDS)
        groups = [[found[literal] for literal in literals] for literals in required]
        return tuple(
            tuple(chain.from_iterable(filter(None, group))) for group in groups if None not in group
        )

    def _may_match(self, hit: SearchHit, regex: Regex, required: Sequence[Literals]) -> bool:
        """Whether a line as written matches: most do not, and finding secrets takes far longer."""
        line = self._archive.raw(hit.source_id, hit.generation, hit.offset, hit.length) or b""
        return _may_have(line, required) and regex.occurs_in(text_of(line)[:_LONGEST_BODY])

    def _pages(
        self, query: TextQuery, size: int, *, to_the_end: bool = False
    ) -> Iterator[list[SearchHit]]:
        """All that the index finds, a page at a time, as far as it is of our roots.

        A page whose time was up is the last one, unless asked `to_the_end`.
        """
        before = query.before
        self._is_partial = False
        while True:
            page_query = structs.replace(query, regex="", limit=size, before=before)
            hits = self._store.search(page_query)
            is_cut = hits.partial
            goes_on = len(hits) == size or (is_cut and to_the_end and bool(hits))
            self._is_partial = is_cut and not goes_on
            yield [hit for hit in hits if self._is_ours(hit)]
            if not goes_on:
                return
            before = hits[-1].line_id

    def _piece(self, hit: SearchHit, terms: str, regexes: Sequence[re.Pattern[str]]) -> Snippet:
        return self._snippets.snippet(terms, hit, lambda: snippet(self._body(hit), regexes))

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
            event_id=event_id(hit),
            kind=hit.text_kind,
            timestamp=iso(hit.timestamp),
            snippet=shown.text,
            ranges=shown.ranges,
        )

    def _project_name(self, hit: SearchHit) -> str:
        return self._snippets.name((hit.project_id, hit.session_id), lambda: self._asked_name(hit))

    def _asked_name(self, hit: SearchHit) -> str:
        key = hit.project_id, hit.session_id
        query = SessionQuery(session=hit.session_id, everything=True, limit=10)
        rows = self._store.sessions(query)
        cwd = next((row.cwd for row in rows if (row.project_id, row.session_id) == key), "")
        return re.split(r"[/\\]", cwd.rstrip("/\\"))[-1]


class _Worker:
    """An archive for one search at a time: it knows files as of its start."""

    def __init__(self, archive: RedactedArchive, head: int) -> None:
        self.archive, self._head = archive, head
        self._since = monotonic()

    def is_stale(self, head: int) -> bool:
        """Whether files may have changed since."""
        return head != self._head and monotonic() - self._since > _FRESH_SECONDS


class SearchPool:
    """Redacted searches from any thread, a few at a time."""

    def __init__(
        self, open_store: Callable[[ReadText], Store], redactor: Redactor, roots: Sequence[str]
    ) -> None:
        self._redactor, self._roots = redactor, roots
        # Where the full-text index is not exact, the store reads the text itself.
        self._store = open_store(self._text)
        self._snippets = SnippetCache()
        self._lock, self._slots = Lock(), BoundedSemaphore(_AT_ONCE)
        self._idle: list[_Worker] = []
        self._thread = local()

    def find(self, query: TextQuery) -> Results:
        """A page of lines that have all the words."""
        with self._archive() as archive:
            return Search(self._store, archive, self._roots, self._snippets).find(query)

    def find_sessions(self, query: TextQuery, first: int = 0) -> MatchedSessions:
        """A page of sessions that have such lines."""
        with self._archive() as archive:
            search = Search(self._store, archive, self._roots, self._snippets)
            return search.find_sessions(query, first)

    @contextmanager
    def _archive(self) -> Iterator[RedactedArchive]:
        with self._slots:
            worker = self._worker(self._store.head())
            self._thread.archive = worker.archive
            try:
                yield worker.archive
            finally:
                with self._lock:
                    self._idle.append(worker)

    def _worker(self, head: int) -> _Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is not None and worker.is_stale(head):
            worker.archive.close()
            worker = None
        return worker or _Worker(RedactedArchive(self._store, self._redactor), head)

    def _text(self, source_id: int, generation: int, offset: int, length: int) -> str | None:
        archive: RedactedArchive = self._thread.archive  # the thread that searches
        return archive.text(source_id, generation, offset, length)

    def close(self) -> None:
        """Close files and index."""
        with self._lock:
            for worker in self._idle:
                worker.archive.close()
            self._store.close()


def _may_have(line: bytes, required: Sequence[Literals]) -> bool:
    """Whether a line of JSON may have what a match contains."""
    plain = [literals for literals in required if all(map(str.isascii, literals))]
    if not plain or _HIDDEN.search(line):
        return True
    lower = line.lower()
    return all(any(one.encode() in lower for one in literals) for literals in plain)


def _trim(cache: "OrderedDict[Hashable, Snippet] | OrderedDict[tuple[str, str], str]") -> None:
    if len(cache) > _MAX_CACHED:
        cache.popitem(last=False)
