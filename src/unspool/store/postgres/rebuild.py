"""An index filled under a number below zero -> its owner's, all at once."""

from typing import Final

from unspool.store.postgres.database import Connection

# Every table of the index: the archive and the marks stay.
TABLES: Final = (
    "session", "tie", "source", "fold", "kind", "line", "bad", "tool", "hook", "touched", "cause",
    "oddity", "agent", "response", "total", "model", "change", "new_text", "body", "word",
    "stale_word", "cause_state",
)  # fmt: skip
# Triggers keep these: they follow the tables above.
SUMS: Final = ("project", "hour_total", "holding", "session_cause", "cache_break", "stale_cause")
_LOCK: Final = """
    SELECT owner FROM person WHERE owner = ANY(%(owners)s) ORDER BY owner FOR UPDATE
"""
_TAKE_OVER: Final = """
    UPDATE person AS p SET seq = greatest(p.seq, d.seq), prices = d.prices, edition = p.edition + 1
    FROM person AS d WHERE p.owner = %(owner)s AND d.owner = %(draft)s
"""


def discard(connection: Connection, draft: int) -> None:
    """Drop all that was filled, in this process or in one that died."""
    with connection.transaction():
        _drop(connection, draft)
        connection.execute("DELETE FROM person WHERE owner = %s", (draft,))


def swap(connection: Connection, owner: int) -> None:
    """Put a new index in the place of the old one; who reads sees the one or the other."""
    draft = -owner
    with connection.transaction():
        connection.execute(_LOCK, {"owners": [owner, draft]})
        _drop(connection, owner)
        for table in TABLES:
            move = f"UPDATE {table} SET owner = %s WHERE owner = %s"  # noqa: S608
            connection.execute(move.encode(), (owner, draft))
        connection.execute(_TAKE_OVER, {"owner": owner, "draft": draft})
        connection.execute("DELETE FROM person WHERE owner = %s", (draft,))


def _drop(connection: Connection, owner: int) -> None:
    for table in TABLES:
        connection.execute(f"DELETE FROM {table} WHERE owner = %s".encode(), (owner,))  # noqa: S608
