"""A search -> its hits: back in time step by step, or the newest lines by rank."""

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import heapify, heappop, merge
from itertools import chain, dropwhile, islice
from math import log
from operator import itemgetter
from typing import TypeAlias

import apsw
from msgspec.structs import replace

from unspool.model.query import HitCounts, SearchHit, SearchHits, TextQuery
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.sqlite.functions import Bodies, Lines
from unspool.store.sqlite.marks import MarkStore
from unspool.store.sqlite.running import deadline
from unspool.store.sqlite.search.candidates import Candidates
from unspool.store.sqlite.search.counts import count_hits
from unspool.store.sqlite.search.matching import TermMatcher
from unspool.store.terms import Term, terms

# About this many of the newest lines are ranked.
_RANKED = 10_000
_HIT = """
    SELECT l.id, s.source_id, s.generation, l."offset", l.length, l.number, e.project_id,
        e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id), l.turn, k.type, k.text_kind,
        l.at + l.moment, e.title
    FROM line AS l
    JOIN source AS s ON s.id = l.source
    JOIN session AS e ON e.id = s.session
    JOIN kind AS k ON k.id = l.kind
    WHERE l.id IN (SELECT value FROM json_each(?))
"""
_BODY = """
    SELECT s.source_id, s.generation, l."offset", l.length
    FROM line AS l JOIN source AS s ON s.id = l.source WHERE l.id = ?
"""
_FIELDS = [name for name in SearchHit.__struct_fields__ if name not in ("title", "rank")]

# Rank and number of a line; for tool output also where its body is, or () if unknown.
RankedLine: TypeAlias = tuple[float, int, Row | None]


class TextSearch:
    """Runs searches on read-only connections.

    `bodies` and `lines` read the text and the bytes of a line: they decide about phrases in tool
    output, where the index has no word positions. `marks` has the titles that the user gave.
    """

    def __init__(
        self,
        readers: ReaderPool,
        marks: MarkStore,
        bodies: Bodies | None = None,
        lines: Lines | None = None,
    ) -> None:
        self._readers, self._marks, self._bodies, self._lines = readers, marks, bodies, lines

    def search(self, query: TextQuery, seconds: float = 2.0) -> SearchHits:
        """Find lines. What the user typed is words to look for, never syntax."""
        hits, ranks = SearchHits(), dict[int, float]()
        with self._readers.take() as connection:
            with deadline(connection, seconds) as is_late:
                wanted, groups = terms(query.terms), [_terms(group) for group in query.one_of]
                matcher = TermMatcher(connection, wanted, groups)
                if (query.terms.strip() and not matcher.word_count) or not all(groups):
                    return hits
                walk = _by_rank if query.order == "ranked" and matcher.word_count else _newest_first
                try:
                    lines = walk(connection, query, matcher)
                    if matcher.phrases:
                        lines = self._with_phrases(connection, lines, matcher, is_late)
                    for rank, number, _ in islice(lines, max(0, query.limit)):
                        ranks[number] = rank
                        if is_late():
                            raise apsw.InterruptError
                except apsw.InterruptError:
                    hits.partial = True
            hits.extend(self._hits(connection, ranks))
        return hits

    def count(
        self, query: TextQuery, roots: Collection[str] = (), seconds: float = 0.25
    ) -> HitCounts:
        """How many lines it finds; not all of them, if that takes longer."""
        with self._readers.take() as connection:
            return count_hits(connection, query, self._numbered_has_phrases, roots, seconds)

    def _numbered_has_phrases(
        self, connection: apsw.Connection, number: int, matcher: TermMatcher
    ) -> bool:
        place: Row | None = connection.execute(_BODY, (number,)).fetchone()
        return place is not None and self._has_phrases(place, matcher)

    def _with_phrases(
        self,
        connection: apsw.Connection,
        lines: Iterator[RankedLine],
        matcher: TermMatcher,
        is_late: Callable[[], bool],
    ) -> Iterator[RankedLine]:
        """Lines that have every phrase; the index has checked all but tool output."""
        for line in lines:
            _, number, body = line
            if body is not None:
                place: Row | None = body or connection.execute(_BODY, (number,)).fetchone()
                if place is None or not self._has_phrases(place, matcher):
                    if is_late():
                        raise apsw.InterruptError
                    continue
            yield line

    def _has_phrases(self, place: Row, matcher: TermMatcher) -> bool:
        """A line whose body is lost is kept: it may have had them."""
        line = self._lines(*place) if self._lines else None
        if line is not None and not matcher.may_have_phrases(line):
            return False
        body = self._bodies(*place) if self._bodies else None
        return body is None or matcher.has_phrases(body)

    def _hits(self, connection: apsw.Connection, ranks: dict[int, float]) -> Iterator[SearchHit]:
        """All in one query: to start one takes longer than to answer it."""
        rows = {row[0]: row for row in connection.execute(_HIT, (str([*ranks]),))}
        marks = self._marks.all()
        for number, rank in ranks.items():
            if number in rows:
                *fields, title = rows[number]
                values = dict(zip(_FIELDS, fields, strict=True))
                hit = SearchHit(**values, title=title, rank=rank)
                given = marks.get((hit.project_id, hit.session_id))
                yield replace(hit, title=given.title) if given and given.title else hit


def _terms(group: Iterable[str]) -> list[Term]:
    return list(chain.from_iterable(map(terms, group)))


def _newest_first(
    connection: apsw.Connection, query: TextQuery, matcher: TermMatcher
) -> Iterator[RankedLine]:
    """Lines by time."""
    candidates = Candidates(connection, query, matcher)
    waiting: list[Row] = []
    for ranges, newest in candidates.steps():
        while waiting and -waiting[0][0] > newest:
            yield _pop_newest(waiting)
        waiting += candidates.lines(ranges)
        heapify(waiting)
    while waiting:
        yield _pop_newest(waiting)


def _pop_newest(waiting: list[Row]) -> RankedLine:
    _, source, offset, number, is_output, generation, length = heappop(waiting)
    return 0.0, -number, (-source, generation, -offset, length) if is_output else None


def _by_rank(
    connection: apsw.Connection, query: TextQuery, matcher: TermMatcher
) -> Iterator[RankedLine]:
    """The newest lines by rank; the last line of a page says where the next goes on."""
    best = _best_first(Candidates(connection, query, matcher, is_paged=False))
    if query.before is not None:
        best = islice(dropwhile(lambda line: line[1] != query.before, best), 1, None)
    return best


def _best_first(candidates: Candidates) -> Iterator[RankedLine]:
    few, many = candidates.split_tables(_RANKED)
    # Ranking all of a few lines is less work than finding out first which.
    is_all = "said" in few and not candidates.is_selective
    ranks = candidates.ranks_of_all() if is_all else []
    said = set(() if is_all else candidates.said(few, candidates.spans))
    output, line_count = set(candidates.output(few, candidates.spans)), 0
    for ranges, lines in candidates.strides() if many else ():
        line_count += lines
        said.update(candidates.said(many, ranges))
        output.update(candidates.output(many, ranges))
        if len(ranks) + len(said) + len(output) >= _RANKED:
            break
    matches = len(ranks) + len(said) + len(output)
    rarity = log(1 + ((line_count or candidates.last_number) + 0.5) / (matches + 0.5))
    indexed = ((rank, number, None) for rank, number in _pop_least(ranks + candidates.ranks(said)))
    estimated = _estimate([*output], rarity * candidates.word_count)
    for rank, number, body in merge(indexed, estimated):
        yield -rank, -number, body


def _estimate(lines: list[Row], weight: float) -> Iterator[RankedLine]:
    """BM25 as if each word occurred once: the index of tool output does not count them."""
    usual = sum(map(itemgetter(0), lines)) / max(1, len(lines))
    for length, number in _pop_least(lines):
        yield -weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * length / usual)), number, ()


def _pop_least(lines: list[Row]) -> Iterator[Row]:
    """Only the first few of many are wanted, so they are not all sorted."""
    heapify(lines)
    while lines:
        yield heappop(lines)
