"""Whose rows upkeep has something to do with, asked for everybody at once."""

from typing import Final, NamedTuple

from unspool.store.postgres.database import Pool, in_our_words
from unspool.store.postgres.tables import IS_ERASED

# Each is a look into an index of what is left to do, so an idle hub does next to nothing.
_WORK: Final = f"""
    SELECT p.owner,
        EXISTS (SELECT 1 FROM session AS e WHERE e.owner = p.owner AND e.is_unlinked)
            OR EXISTS (SELECT 1 FROM source AS s WHERE s.owner = p.owner AND s.is_uncounted)
            OR EXISTS (SELECT 1 FROM new_text AS t WHERE t.owner = p.owner)
            OR EXISTS (SELECT 1 FROM stale_word AS w WHERE w.owner = p.owner),
        c.owner IS NULL OR c.seq < p.seq
            OR EXISTS (SELECT 1 FROM stale_cause AS s WHERE s.owner = p.owner)
    FROM person AS p LEFT JOIN cause_state AS c ON c.owner = p.owner
    WHERE p.owner > 0 AND NOT {IS_ERASED} ORDER BY p.owner
"""  # noqa: S608


class OwnerWork(NamedTuple):
    """What there is to do for one owner."""

    owner: int
    has_rows: bool  # agents to link, texts to make findable, sums to make again
    has_causes: bool  # sessions to add up by cause


def owner_work(pool: Pool) -> list[OwnerWork]:
    """Everybody who was not erased."""
    with in_our_words(), pool.connection() as connection:
        return [OwnerWork(*row) for row in connection.execute(_WORK.encode())]
