"""Old weeks -> nothing: whole partitions are dropped, where a hub is told to keep less."""

from collections.abc import Mapping
from typing import Final

from psycopg import errors

from unspool.store.postgres.database import Connection, Pool, in_our_words
from unspool.store.postgres.partitions import DAY, NOW, WEEK, partition_weeks
from unspool.store.postgres.schema import LOCK

# What can be dropped, and the tables it is in.
PARTS: Final = {"text": ("body",), "bytes": ("segment",), "rows": ("line", "hook")}
# Whoever makes partitions has the same lock.
_LOCK: Final = "SELECT pg_try_advisory_xact_lock(%s, 1)"
_DETACH: Final = "ALTER TABLE {0} DETACH PARTITION {1}; DROP TABLE {1}"
# No trigger tells of rows that go with their table.
_COUNTED: Final = {
    "segment": """
        UPDATE holding AS h SET packed_bytes = h.packed_bytes - s.packed,
            archived_bytes = h.archived_bytes - s.archived
        FROM (
            SELECT owner, sum(length(packed)) AS packed, sum(ends - begins) AS archived
            FROM {} GROUP BY owner
        ) AS s WHERE s.owner = h.owner
    """,
    "hook": """
        UPDATE holding AS h SET hook_events = h.hook_events - s.events
        FROM (SELECT owner, count(*) AS events FROM {} GROUP BY owner) AS s
        WHERE s.owner = h.owner
    """,
}
# Times outside of all weeks.
_OTHERS: Final = "DELETE FROM {0} WHERE tableoid = '{0}_other'::regclass AND at < {1}"


def drop_old(pool: Pool, days: Mapping[str, int]) -> list[str]:
    """Drop the weeks that ended so many days ago, by the clock of the database; their names.

    A week that somebody is reading, or that another hub is dropping, is left for the next time.
    """
    dropped: list[str] = []
    with in_our_words(), pool.connection() as connection:
        ((now,),) = connection.execute(NOW).fetchall()
        for part, kept in days.items():
            before = int(now) - kept * DAY
            for table in PARTS[part]:
                weeks = partition_weeks(connection, table)
                for name, week in sorted(weeks.items()):
                    if week + WEEK <= before and _drop(connection, table, name):
                        dropped.append(name)
                connection.execute(_OTHERS.format(table, before).encode())
    return dropped


def _drop(connection: Connection, table: str, name: str) -> bool:
    try:
        with connection.transaction():
            connection.execute("SET LOCAL lock_timeout = '2s'")
            ((is_ours,),) = connection.execute(_LOCK, (LOCK,)).fetchall()
            if not is_ours or name not in partition_weeks(connection, table):
                return False
            if table in _COUNTED:
                connection.execute(_COUNTED[table].format(name).encode())
            for change in _DETACH.format(table, name).split("; "):
                connection.execute(change.encode())
    except errors.LockNotAvailable:
        return False
    return True
