"""Texts that commits have put down -> words that searches find, some at a time.

Making words costs ten times as much as all else that a commit does, so no commit waits for it.
"""

from collections.abc import Sequence
from typing import Final

import psycopg
from psycopg import errors

from unspool.store.postgres.database import Connection, Database, Row
from unspool.store.postgres.search.vectors import vectors

# What one step takes, so that nobody waits long for its transaction.
_MOST_TEXTS: Final = 1_000
_MOST_STALE: Final = 200
_MOST_BYTES: Final = 4 * 1024 * 1024  # as they are stored
_WAITING: Final = """
    SELECT text, source, "offset", at, text_kind, bodies FROM (
        SELECT *, sum(pg_column_size(bodies)) OVER (ORDER BY at DESC, text) AS so_far FROM (
            SELECT text, source, "offset", at, text_kind, bodies FROM new_text
            WHERE owner = %(owner)s ORDER BY at DESC LIMIT %(limit)s
        ) AS newest
    ) AS summed WHERE so_far - pg_column_size(bodies) < %(bytes)s
"""
_COUNT: Final = "SELECT count(*) FROM new_text WHERE owner = %(owner)s"
# A commit that moves a source to another session, or takes a line back, waits for us, or we leave
# its texts for later: it locks sources in any order, so while we wait for one we may hold no other.
_LOCK: Final = """
    SELECT source, source_id, session FROM source
    WHERE owner = %(owner)s AND source = ANY(%(sources)s) FOR SHARE
"""
_LOCK_FREE: Final = f"{_LOCK} SKIP LOCKED"
_TAKE: Final = """
    DELETE FROM new_text WHERE owner = %(owner)s AND text = ANY(%(texts)s) RETURNING text
"""
_COPY: Final = """
    COPY body (owner, source, "offset", at, part, parts, source_id, session, text_kind, words)
    FROM STDIN
"""
_WORDS: Final = """
    INSERT INTO word (owner, word) SELECT %(owner)s, unnest(%(words)s::text[])
    ON CONFLICT DO NOTHING
"""
_OWN: Final = "SELECT 1 FROM person WHERE owner = %(owner)s FOR NO KEY UPDATE"
_STALE: Final = """
    DELETE FROM stale_word WHERE owner = %(owner)s AND word = ANY(ARRAY(
        SELECT word FROM stale_word WHERE owner = %(owner)s LIMIT %(limit)s))
    RETURNING word
"""
_RESTORE: Final = """
    INSERT INTO word (owner, word)
    SELECT %(owner)s, one.word FROM unnest(%(words)s::text[]) AS one (word) WHERE EXISTS (
        SELECT 1 FROM body AS b WHERE b.owner = %(owner)s
            AND b.words @@ ('''' || one.word || '''')::tsquery)
    ON CONFLICT DO NOTHING
"""

_Prepared = tuple[Row, Sequence[str], set[str]]


class TextProjection:
    """Works for one owner; any number of processes may do so at once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def waiting(self) -> int:
        """How many texts have no words yet."""
        with self._database.connected() as connection:
            owner = {"owner": self._database.owner}
            ((count,),) = connection.execute(_COUNT.encode(), owner).fetchall()
        return int(count)

    def step(self, most: int = _MOST_TEXTS) -> bool:
        """Make some texts findable, the newest first; whether there were any.

        Words are made outside of any transaction; what changed meanwhile is left out of it.
        """
        with self._database.connected() as connection:
            rows = connection.execute(
                _WAITING.encode(),
                {"owner": self._database.owner, "limit": most, "bytes": _MOST_BYTES},
            ).fetchall()
            if not rows:
                return False
            prepared = [_prepared(row) for row in rows]
            try:
                self._store(connection, prepared)
            except (psycopg.DataError, errors.ProgramLimitExceeded):
                for one in prepared:
                    self._store_one(connection, one)
        return True

    def restore_words(self, most: int = _MOST_STALE) -> bool:
        """List words of erased texts again where other texts have them; whether there were any."""
        values = {"owner": self._database.owner, "limit": most}
        with self._database.connected() as connection, connection.transaction():
            connection.execute(_OWN.encode(), values)  # nobody erases meanwhile
            words = [word for (word,) in connection.execute(_STALE.encode(), values)]
            connection.execute(_RESTORE.encode(), {**values, "words": words})
        return bool(words)

    def _store_one(self, connection: Connection, one: _Prepared) -> None:
        """A text that has words which no vector takes is listed, and found by none of them."""
        try:
            self._store(connection, [one])
        except (psycopg.DataError, errors.ProgramLimitExceeded):
            self._store(connection, [(one[0], [""], set())])

    def _store(self, connection: Connection, prepared: list[_Prepared]) -> None:
        owner = self._database.owner
        with connection.transaction():
            known = self._lock(connection, [row[1] for row, _, _ in prepared])
            settled = known.keys() or {prepared[0][0][1]}  # a source that is gone
            free = [row[0] for row, _, _ in prepared if row[1] in settled]
            texts = {"owner": owner, "texts": free}
            taken = {text for (text,) in connection.execute(_TAKE.encode(), texts)}
            mine = [one for one in prepared if one[0][0] in taken and one[0][1] in known]
            with connection.cursor().copy(_COPY) as copy:
                for (_, source, offset, at, kind, _), found, _ in mine:
                    for part, words in enumerate(found):
                        place = owner, source, offset, at, part, len(found)
                        copy.write_row((*place, *known[source], kind, words))
            new = sorted({word for _, _, some in mine for word in some})
            connection.execute(_WORDS.encode(), {"owner": owner, "words": new})

    def _lock(self, connection: Connection, sources: list[int]) -> dict[int, Row]:
        """Lock those that nobody writes, or wait for the first; their other numbers."""
        for ask, some in ((_LOCK_FREE, sources), (_LOCK, sources[:1])):
            values = {"owner": self._database.owner, "sources": some}
            if found := connection.execute(ask.encode(), values).fetchall():
                return {row[0]: row[1:] for row in found}
        return {}


def _prepared(row: Row) -> _Prepared:
    return row, *vectors(row[5])
