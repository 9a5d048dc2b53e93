"""A database of any version -> this version's, or the sentence that says why not."""

from importlib.resources import files
from typing import Final

from unspool.errors import SchemaTooNew
from unspool.store.postgres.database import SCHEMA, Connection

# Nobody else's lock, as far as anybody knows: "unsp" in ASCII.
LOCK: Final = 0x756E7370
_LAY_OUT: Final = f"""
    CREATE SCHEMA IF NOT EXISTS {SCHEMA};
    CREATE TABLE IF NOT EXISTS {SCHEMA}.meta (name text PRIMARY KEY, value text NOT NULL);
"""
_EXISTS: Final = f"SELECT to_regclass('{SCHEMA}.meta') IS NOT NULL"
_VERSION: Final = f"""
    SELECT coalesce(max(substr(name, 11)::int), 0) FROM {SCHEMA}.meta WHERE name LIKE 'migration %'
"""  # noqa: S608
_NOTE: Final = f"INSERT INTO {SCHEMA}.meta VALUES (%s, %s)"  # noqa: S608


def migrations() -> list[tuple[int, str, str]]:
    """Number, name and statements of every step, in order."""
    found = (one for one in files(__package__).joinpath("migrations").iterdir())
    named = sorted((one.name, one.read_text("utf-8")) for one in found)
    return [
        (int(name[:4]), name.removesuffix(".sql"), text)
        for name, text in named
        if name.endswith(".sql")
    ]


def migrate(connection: Connection) -> None:
    """Bring a database up to this version; SchemaTooNew where it is ahead of it.

    Of several processes that start at once one does it, and the others find it done.
    """
    steps = migrations()
    if version(connection) == steps[-1][0]:
        return
    connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
    try:
        connection.execute(_LAY_OUT.encode())
        for number, name, text in steps[version(connection) :]:
            with connection.transaction():
                connection.execute(f"SET LOCAL search_path = {SCHEMA}".encode())
                connection.execute(text.encode())
                connection.execute(_NOTE.encode(), (f"migration {number:04}", name))
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def version(connection: Connection) -> int:
    """How many steps a database has gone; SchemaTooNew where this program does not know them."""
    ((exists,),) = connection.execute(_EXISTS.encode()).fetchall()
    if not exists:
        return 0
    ((number,),) = connection.execute(_VERSION.encode()).fetchall()
    known = migrations()[-1][0]
    if number > known:
        raise SchemaTooNew(
            f"The database has version {number}, but this unspool supports {known}:"
            " install the newer unspool"
        )
    return int(number)
