"""The beginning of a word -> the words of a full-text index that begin so, if they are few."""

import apsw

MOST = 100
# Words that begin with others come after them, and none has a letter as low as this.
_AFTER = "\x01"


def beginning(connection: apsw.Connection, table: str, letters: str) -> list[str] | None:
    """Every word with this beginning, in order; None where there are too many."""
    name = f"{table}_words"
    _open(connection, table, name)
    found: list[str] = []
    ask = f"SELECT term FROM {name} WHERE term >= ? LIMIT 1"  # noqa: S608
    at = letters
    while (word := connection.execute(ask, (at,)).get) is not None and word.startswith(letters):
        if len(found) == MOST:
            return None
        found.append(word)
        at = word + _AFTER
    return found


def _open(connection: apsw.Connection, table: str, name: str) -> None:
    """A look into an index, made once on each connection, even on one that cannot write."""
    if connection.execute("SELECT 1 FROM sqlite_temp_schema WHERE name = ?", (name,)).get is None:
        cannot_write = connection.execute("PRAGMA query_only").get
        connection.execute("PRAGMA query_only = OFF")
        make = f"CREATE VIRTUAL TABLE temp.{name} USING fts5vocab(main, {table}, instance)"
        connection.execute(make)
        connection.execute(f"PRAGMA query_only = {cannot_write}")
