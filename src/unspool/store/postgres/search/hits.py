"""A search -> its hits: back in time, one partition after the other, until there are enough."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from time import monotonic
from typing import Any, Final, NamedTuple

from msgspec import structs
from psycopg import errors

from unspool.model.query import HitCount, HitCounts, SearchHit, SearchHits, TextQuery
from unspool.model.rows import TextKind
from unspool.store.postgres.database import Connection, Database, Row
from unspool.store.postgres.partitions import Partitions
from unspool.store.postgres.search.conditions import SearchConditions, conditions
from unspool.store.postgres.search.vectors import CUT
from unspool.store.postgres.sessions import MARKED, TITLE
from unspool.store.terms import terms, words

# Of the newest lines that match, so many are ranked, and so many and those of their week counted.
_RANKED: Final = 500
# A common word is found among so many of the newest texts: its index would name most of a week.
_LATEST: Final = 4_000
_FEW: Final = 8  # owners, each of whom may have that many
_COUNTED: Final = 10_000
_FIELDS: Final = SearchHit.__struct_fields__
# A sum is in no index: the planner must not walk through times and look into every text.
_NEWEST: Final = 'f.at + 0 DESC, f.source_id DESC, f."offset" DESC'
_RANK: Final = """coalesce((
    SELECT max(ts_rank_cd(p.words, %(all)s::tsquery)) FROM body AS p
    WHERE p.owner = f.owner AND p.source = f.source AND p."offset" = f."offset" AND p.at = f.at
        AND p.at >= %(since)s AND p.at < %(until)s), 0)
"""
_HITS: Final = f"""
    SELECT l.line, s.source_id, s.generation, l."offset", l.length, l.number, e.project_id,
        e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id), l.turn, k.type, f.text_kind,
        l.timestamp, {TITLE}, {{rank}}
    FROM (
        SELECT * FROM ({{lines}}) AS f ORDER BY {_NEWEST} LIMIT %(limit)s
    ) AS f
    JOIN line AS l ON l.owner = f.owner AND l.source = f.source AND l."offset" = f."offset"
        AND l.at = f.at AND l.at >= %(since)s AND l.at < %(until)s
    JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
    JOIN source AS s ON s.owner = f.owner AND s.source = f.source
    JOIN session AS e ON e.owner = f.owner AND e.session = f.session {MARKED}
    ORDER BY f.at DESC, f.source_id DESC, f."offset" DESC
"""  # noqa: S608
# Texts of a window, as far as it takes to know whether there are many.
_COUNT: Final = """
    SELECT count(*) FROM (
        SELECT 1 FROM body AS b WHERE b.owner = ANY(%(visible)s)
            AND b.at >= %(since)s AND b.at < %(until)s LIMIT %(texts)s) AS b
"""
_CURSOR: Final = """
    SELECT l.at, s.source_id, l."offset"
    FROM line AS l JOIN source AS s ON s.owner = l.owner AND s.source = l.source
    WHERE l.owner = ANY(%(visible)s) AND l.line = %(before)s
"""
_TIMES: Final = """
    SELECT min(s.first_at), max(s.last_at)
    FROM session AS e JOIN source AS s ON s.owner = e.owner AND s.session = e.session
    WHERE e.owner = ANY(%(visible)s) AND starts_with(e.session_id, %(session)s)
"""
_COUNTS: Final = """
    SELECT e.project_id, e.session_id, f.text_kind, count(*), max(f.at)
    FROM ({}) AS f JOIN session AS e ON e.owner = f.owner AND e.session = f.session
    JOIN source AS s ON s.owner = f.owner AND s.source = f.source
    WHERE %(roots)s::text[] = '{{}}' OR s.root = ANY(%(roots)s::text[]) GROUP BY 1, 2, 3
"""
# A word of a line that was taken back may still be listed: it counts if some text has it.
_WORDS: Final = """
    SELECT w.word FROM word AS w
    WHERE w.owner = ANY(%(visible)s) AND position(%(part)s in w.word) > 0 AND EXISTS (
        SELECT 1 FROM body AS b
        WHERE b.owner = w.owner AND b.words @@ ('''' || w.word || '''')::tsquery)
    GROUP BY w.word LIMIT %(limit)s
"""
# Before a new week was analysed, the planner would read and sort all of it for its newest texts.
_SORTS: Final = "SELECT set_config('enable_sort', %(may)s, true)"
_PATIENCE: Final = "SELECT set_config('statement_timeout', %(ms)s, true)"
# Characters of a word; what is longer stands as a prefix.
_LONGEST: Final = 100


class _Statements(NamedTuple):
    """Lines of a window that match: among its newest texts, and all of them."""

    latest: str
    whole: str


class VectorSearch(Database):
    """Runs searches, each for a limited time."""

    viewer: int
    partitions: Partitions

    def search(self, query: TextQuery, seconds: float = 2.0) -> SearchHits:
        """Lines that hold the terms."""
        hits, asked = SearchHits(), conditions(query)
        if asked is None or query.limit <= 0:
            return hits
        is_ranked = query.order == "ranked" and bool(asked.terms)
        with self.connected() as connection:
            try:
                with connection.transaction():
                    self.ask(connection, _PATIENCE, ms=_milliseconds(seconds))
                    found = self._newest(connection, query, asked, seconds, is_ranked)
                    hits.extend(found)
            except errors.QueryCanceled:
                hits.partial = True
        return _by_rank(hits, query) if is_ranked else hits

    def _newest(
        self,
        connection: Connection,
        query: TextQuery,
        asked: SearchConditions,
        seconds: float,
        is_ranked: bool,
    ) -> Iterator[SearchHit]:
        """Lines by time; of those that are to be ranked more than are asked for."""
        place = () if is_ranked else self._cursor(connection, query)
        most, until = _RANKED if is_ranked else query.limit, query.until
        names = "last_at", "last_source", "last_offset"
        cursor = dict(zip(names, place, strict=bool(place)))
        if place:
            until = min(place[0], until) if until is not None else place[0]
        ask = self._statements(asked, is_next_page=bool(place), is_ranked=is_ranked)
        late, since, is_common = monotonic() + seconds, query.since, bool(asked.terms)
        if query.session:
            since, until = self._narrowed(connection, query.session, since, until)
        for window in self.partitions.windows(since, until):
            values = {**window._asdict(), **cursor, "texts": _LATEST, "limit": most}
            ((texts,),) = self.ask(connection, _COUNT, **values)
            if not texts:
                continue  # to plan a search takes longer
            rows = list[Row]()
            if is_common and texts == _LATEST:
                self.ask(connection, _SORTS, may="off")
                rows = self._ask(connection, ask.latest, asked, values)
                self.ask(connection, _SORTS, may="on")
                is_common = len(rows) == most
            if len(rows) < most:
                rows = self._ask(connection, ask.whole, asked, values)
            yield from (SearchHit(**dict(zip(_FIELDS, row, strict=True))) for row in rows)
            most -= len(rows)
            if most <= 0:
                return
            if monotonic() > late:
                raise errors.QueryCanceled

    def _statements(
        self, asked: SearchConditions, *, is_next_page: bool, is_ranked: bool
    ) -> _Statements:
        few = len(self.visible) <= _FEW
        latest = asked.among_latest(are_few=few, is_next_page=is_next_page)
        rank = _RANK if is_ranked else "0::float8"
        lines = latest, asked.lines(is_next_page=is_next_page)
        return _Statements(*(_HITS.format(lines=one, rank=rank) for one in lines))

    def _narrowed(
        self, connection: Connection, session: str, since: int | None, until: int | None
    ) -> tuple[int | None, int | None]:
        """The time of a search within a session: other partitions have nothing of it."""
        ((first, last),) = self.ask(connection, _TIMES, session=session)
        if first is None:
            return since, until
        return max(first, since or first), last if until is None else min(last, until)

    def _ask(
        self, connection: Connection, ask: str, asked: SearchConditions, values: dict[str, Any]
    ) -> list[Row]:
        return self.ask(connection, ask, viewer=self.viewer, **asked.values, **values)

    def _cursor(self, connection: Connection, query: TextQuery) -> Row:
        """Where the line stands that the page goes on after; (): the page is the first."""
        if query.before is None:
            return ()
        return next(iter(self.ask(connection, _CURSOR, before=query.before)), ())

    def count_hits(
        self, query: TextQuery, roots: Collection[str] = (), seconds: float = 1.0
    ) -> HitCounts:
        """How many lines a search finds, by session and kind; the newest are counted first."""
        asked = conditions(structs.replace(query, kinds=(), before=None))
        if asked is None or not terms(query.terms):
            return HitCounts()
        ask = _COUNTS.format(asked.lines())
        sums: dict[tuple[str, str, TextKind], tuple[int, int]] = defaultdict(lambda: (0, 0))
        is_partial, late = False, monotonic() + seconds
        with self.connected() as connection:
            try:
                with connection.transaction():
                    self.ask(connection, _PATIENCE, ms=_milliseconds(seconds))
                    for window in self.partitions.windows(query.since, query.until):
                        values = {**window._asdict(), "roots": list(roots)}
                        for row in self._ask(connection, ask, asked, values):
                            count, newest = sums[row[0], row[1], row[2]]
                            sums[row[0], row[1], row[2]] = count + row[3], max(newest, row[4])
                        counted = sum(count for count, _ in sums.values())
                        if monotonic() > late or counted > _COUNTED:
                            raise errors.QueryCanceled
            except errors.QueryCanceled:
                is_partial = True
        rows = tuple(HitCount(*name, count, newest) for name, (count, newest) in sums.items())
        return HitCounts(rows, is_partial=is_partial)

    def words_with(self, parts: Collection[str], limit: int) -> dict[str, list[str] | None]:
        """The words that contain each part; None if there are more than `limit`, or a part is
        none of a word.
        """
        return {part: self._words_with(part, limit) for part in parts}

    def _words_with(self, part: str, limit: int) -> list[str] | None:
        folded = words(part)
        if len(folded) != 1:
            return None
        rows = self.every(_WORDS, part=folded[0], limit=limit + 1)
        found = {_listed(word) for (word,) in rows}
        return sorted(found) if len(rows) <= limit else None


def _milliseconds(seconds: float) -> str:
    """A time limit for PostgreSQL, where 0 would mean no limit."""
    return str(max(1, int(seconds * 1000)))


def _listed(word: str) -> str:
    return word if len(word) <= _LONGEST else f"{word[:_LONGEST].removesuffix(CUT)}*"


def _by_rank(hits: SearchHits, query: TextQuery) -> SearchHits:
    """The best first, of equals the newest; the last of a page says where the next goes on."""
    best = SearchHits(sorted(hits, key=lambda hit: -hit.rank))
    best.partial = hits.partial
    places = [hit.line_id for hit in best]
    start = places.index(query.before) + 1 if query.before in places else 0
    page = SearchHits(best[start : start + query.limit])
    page.partial = best.partial
    return page
