"""A search -> lines that hold its terms, newest or best first, within the time it may take."""

from collections.abc import Callable, Iterator
from itertools import islice

import apsw

from unspool.model.query import Hit, TextQuery
from unspool.store.sqlite.connection import Readers, Row
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.finding.walk import Found, newest, ranked
from unspool.store.sqlite.functions import Bodies, Lines
from unspool.store.sqlite.running import deadline
from unspool.store.terms import terms

_HIT = """
    SELECT l.id, s.source_id, s.generation, l."offset", l.length, l.number, e.project_id,
        e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id), l.turn, k.type, k.text_kind,
        l.at + l.moment, coalesce(nullif(mark_title(e.project_id, e.session_id), ''), e.title)
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
_PLACE = [name for name in Hit.__struct_fields__ if name not in ("title", "rank")]


class Hits(list[Hit]):
    """Lines found; `partial` when the time was up before all were looked at."""

    partial = False


class Search:
    """Searches on connections that cannot write; bodies decide where an index cannot."""

    def __init__(self, readers: Readers, bodies: Bodies | None, lines: Lines | None = None) -> None:
        self._readers, self._bodies, self._lines = readers, bodies, lines

    def search(self, query: TextQuery, seconds: float = 2.0) -> Hits:
        """Find lines. Whatever the user typed is words to look for, never syntax."""
        hits, found = Hits(), dict[int, float]()
        with self._readers.take() as connection:
            with deadline(connection, seconds) as is_late:
                matching = Matching(connection, terms(query.terms))
                if query.terms.strip() and not matching.is_asked:
                    return hits
                walk = ranked if query.order == "ranked" and matching.is_asked else newest
                try:
                    lines = walk(connection, query, matching)
                    if matching.phrases:
                        lines = self._having(connection, lines, matching, is_late)
                    for rank, number, _ in islice(lines, max(0, query.limit)):
                        found[number] = rank
                        if is_late():
                            raise apsw.InterruptError
                except apsw.InterruptError:
                    hits.partial = True
            hits.extend(_hits(connection, found))
        return hits

    def _having(
        self,
        connection: apsw.Connection,
        lines: Iterator[Found],
        matching: Matching,
        is_late: Callable[[], bool],
    ) -> Iterator[Found]:
        """Lines that have every phrase; of what was said the index knows it."""
        for line in lines:
            _, number, body = line
            if body is not None:
                place: Row | None = body or connection.execute(_BODY, (number,)).fetchone()
                if place is None or not self._has(place, matching):
                    if is_late():
                        raise apsw.InterruptError
                    continue
            yield line

    def _has(self, place: Row, matching: Matching) -> bool:
        """Without the body nobody can say that it has no such phrase."""
        line = self._lines(*place) if self._lines else None
        if line is not None and not matching.may_have(line):
            return False
        body = self._bodies(*place) if self._bodies else None
        return body is None or matching.has_phrases(body)


def _hits(connection: apsw.Connection, found: dict[int, float]) -> Iterator[Hit]:
    """All in one go: to begin a question takes longer than the answer."""
    rows = {row[0]: row for row in connection.execute(_HIT, (str([*found]),))}
    for number, rank in found.items():
        if number in rows:
            *place, title = rows[number]
            yield Hit(**dict(zip(_PLACE, place, strict=True)), title=title, rank=rank)
