"""The beginning of a word -> the words of a full-text index that begin so, if they are few."""

import apsw

MOST = 100
# Words that begin with others come after them, and none has a letter as low as this.
_AFTER = "\x01"
# Every place of a word is listed: to look at so many takes no longer than to look for the next.
_AHEAD = 32


def beginning(connection: apsw.Connection, table: str, letters: str) -> list[str] | None:
    """Every word with this beginning, in order; None where there are too many."""
    name = f"{table}_words"
    _open(connection, table, name)
    found: list[str] = []
    ask = (
        f"SELECT DISTINCT term FROM (SELECT term FROM {name} WHERE term >= ? AND term < ?"  # noqa: S608
        f" LIMIT {_AHEAD})"
    )
    at, end = letters, letters + chr(0x10FFFF)
    while len(found) <= MOST:
        words = [word for (word,) in connection.execute(ask, (at, end))]
        if not words:
            return found
        found += words
        at = words[-1] + _AFTER
    return None


def _open(connection: apsw.Connection, table: str, name: str) -> None:
    """A look into an index, made once on each connection, even on one that cannot write."""
    if connection.execute("SELECT 1 FROM sqlite_temp_schema WHERE name = ?", (name,)).get is None:
        cannot_write = connection.execute("PRAGMA query_only").get
        connection.execute("PRAGMA query_only = OFF")
        make = f"CREATE VIRTUAL TABLE temp.{name} USING fts5vocab(main, {table}, instance)"
        connection.execute(make)
        connection.execute(f"PRAGMA query_only = {cannot_write}")
