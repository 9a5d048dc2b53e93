"""An older database -> this version's, one named step at a time; a newer one is left alone."""

from collections.abc import Callable
from importlib.resources import files

import apsw

from unspool.errors import SchemaTooNew
from unspool.store.sqlite.running import transaction

Step = Callable[[apsw.Connection], None]


def first_index(connection: apsw.Connection) -> None:
    """Lay out the index."""
    connection.execute(_sql("schema.sql"))
    # Measured on 350 MB of text: fewer, larger flushes write a quarter faster.
    for table in ("said", "output"):
        put = f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', 33554432)"  # noqa: S608
        connection.execute(put)


def first_archive(connection: apsw.Connection) -> None:
    """Lay out the archive."""
    connection.execute(_sql("raw.sql"))


# The place of a step is the version it leads from.
STEPS: dict[str, tuple[Step, ...]] = {"index": (first_index,), "raw": (first_archive,)}


def too_new(name: str, version: int) -> str:
    """What a version that we do not know means; '' for one that we do."""
    known = len(STEPS[_kind(name)])
    if version <= known:
        return ""
    return (
        f"{name} has version {version}, this unspool knows {known}:"
        " it can be read, not written; install the newer unspool"
    )


def create(connection: apsw.Connection, name: str) -> None:
    """Bring a database up to this version; SchemaTooNew when it is ahead of it."""
    version = int(connection.pragma("user_version"))
    if trouble := too_new(name, version):
        raise SchemaTooNew(trouble)
    for number, step in enumerate(STEPS[_kind(name)][version:], version + 1):
        with transaction(connection):
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")


def _kind(name: str) -> str:
    return name.partition(".")[0]


def _sql(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
