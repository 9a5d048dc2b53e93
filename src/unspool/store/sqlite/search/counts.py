"""A search -> how many lines of each file and kind it finds, added up by the database."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Final, TypeAlias

import apsw
from msgspec import structs

from unspool.model.query import HitCount, HitCounts, TextQuery
from unspool.model.rows import TextKind
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.running import deadline
from unspool.store.sqlite.search.candidates import Candidates
from unspool.store.sqlite.search.matching import TermMatcher
from unspool.store.sqlite.search.ranges import Range
from unspool.store.terms import terms

# So many numbers of lines are asked for at first; each further question is for twice as many.
_FIRST_LINES: Final = 65_536
_SOURCES = """
    SELECT s.id, s.root, e.project_id, e.session_id
    FROM source AS s JOIN session AS e ON e.id = s.session
    WHERE s.id IN (SELECT value FROM json_each(?))
"""

# Whether the line at a place has the phrases of the search, by its number.
HasPhrases: TypeAlias = Callable[[apsw.Connection, int, TermMatcher], bool]
# Of a file and a kind: how many lines, and when the newest was written.
_Sums: TypeAlias = dict[tuple[int, int], tuple[int, int]]


def count_hits(
    connection: apsw.Connection,
    query: TextQuery,
    has_phrases: HasPhrases,
    roots: Collection[str],
    seconds: float,
) -> HitCounts:
    """Count until the time is up; the lines that were written last are counted first."""
    query = structs.replace(query, kinds=(), before=None)
    sums: _Sums = defaultdict(lambda: (0, 0))
    is_partial = False
    with deadline(connection, seconds) as is_late:
        matcher = TermMatcher(connection, terms(query.terms))
        if not matcher.word_count:
            return HitCounts()
        try:
            for source, kind, count, newest in _counted(connection, query, matcher, has_phrases):
                known, last = sums[source, kind]
                sums[source, kind] = known + count, max(last, newest)
                if is_late():
                    raise apsw.InterruptError
        except apsw.InterruptError:
            is_partial = True
    return HitCounts(tuple(_by_session(connection, sums, roots)), is_partial=is_partial)


def _counted(
    connection: apsw.Connection, query: TextQuery, matcher: TermMatcher, has_phrases: HasPhrases
) -> Iterator[Row]:
    candidates = Candidates(connection, query, matcher)
    for part in _parts(candidates):
        yield from candidates.counts("said", part)
        if not matcher.phrases:
            yield from candidates.counts("output", part)
            continue
        for source, kind, at, number in candidates.places("output", part):
            found = has_phrases(connection, number, matcher)
            yield source, kind, int(found), at if found else 0


def _parts(candidates: Candidates) -> Iterator[Range]:
    """The numbers that lines may have, in parts that grow, the last numbers first."""
    if not candidates.spans:
        return
    first, last = candidates.spans[0].first, candidates.spans[-1].last
    size = _FIRST_LINES
    while last >= first:
        yield Range(max(first, last - size + 1), last)
        last, size = last - size, size * 2


def _by_session(
    connection: apsw.Connection, sums: _Sums, roots: Collection[str]
) -> Iterator[HitCount]:
    kinds = dict(connection.execute("SELECT id, text_kind FROM kind"))
    names = {row[0]: row[1:] for row in connection.execute(_SOURCES, (str([s for s, _ in sums]),))}
    totals: dict[tuple[str, str, TextKind], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for (source, kind), (count, newest) in sums.items():
        root, project, session = names.get(source, ("", "", ""))
        if count and session and (not roots or root in roots):
            known, last = totals[project, session, kinds[kind]]
            totals[project, session, kinds[kind]] = known + count, max(last, newest)
    for name, (count, newest) in totals.items():
        yield HitCount(*name, count, newest)
