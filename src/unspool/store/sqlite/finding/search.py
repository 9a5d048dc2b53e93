"""A search -> lines that hold its terms, newest or best first, within the time it may take."""

from collections.abc import Iterator
from itertools import islice

import apsw

from unspool.model.query import Hit, TextQuery
from unspool.store.sqlite.connection import Readers, Row
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.finding.walk import Found, newest, ranked
from unspool.store.sqlite.functions import Bodies, Lines
from unspool.store.sqlite.running import deadline
from unspool.store.sqlite.writing.texts import OUTPUT
from unspool.store.terms import terms

_HIT = """
    SELECT l.id, s.source_id, s.generation, l."offset", l.length, l.number, e.project_id,
        e.session_id, coalesce(nullif(k.agent_id, ''), s.agent_id), l.turn, k.type, k.text_kind,
        l.at + l.moment, coalesce(nullif(m.title, ''), e.title)
    FROM line AS l
    JOIN source AS s ON s.id = l.source
    JOIN session AS e ON e.id = s.session
    JOIN kind AS k ON k.id = l.kind
    LEFT JOIN mark AS m ON m.project_id = e.project_id AND m.session_id = e.session_id
    WHERE l.id = ?
"""
# Where a body is, and of what kind: most of those that are looked at for a phrase have none.
_BODY = """
    SELECT s.source_id, s.generation, l."offset", l.length, k.text_kind
    FROM line AS l JOIN source AS s ON s.id = l.source JOIN kind AS k ON k.id = l.kind
    WHERE l.id = ?
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
        hits = Hits()
        with self._readers.take() as connection, deadline(connection, seconds) as is_late:
            matching = Matching(connection, terms(query.terms))
            if query.terms.strip() and not matching.is_asked:
                return hits
            walk = ranked if query.order == "ranked" and matching.is_asked else newest
            try:
                found = self._seen(connection, walk(connection, query, matching), matching)
                for hit in islice(found, max(0, query.limit)):
                    hits.append(hit)
                    if is_late():
                        raise apsw.InterruptError
            except apsw.InterruptError:
                hits.partial = True
        return hits

    def _seen(
        self, connection: apsw.Connection, found: Iterator[Found], matching: Matching
    ) -> Iterator[Hit]:
        for rank, *_, number in found:
            if matching.phrases and not self._has(connection, number, matching):
                continue
            row: Row | None = connection.execute(_HIT, (number,)).fetchone()
            if row is not None:
                *place, title = row
                yield Hit(**dict(zip(_PLACE, place, strict=True)), title=title, rank=rank)

    def _has(self, connection: apsw.Connection, number: int, matching: Matching) -> bool:
        """Without the body nobody can say that it has no such phrase."""
        row: Row | None = connection.execute(_BODY, (number,)).fetchone()
        if row is None or row[-1] != OUTPUT:
            return row is not None
        place = row[:-1]
        line = self._lines(*place) if self._lines else None
        if line is not None and not matching.may_have(line):
            return False
        body = self._bodies(*place) if self._bodies else None
        return body is None or matching.has_phrases(body)
