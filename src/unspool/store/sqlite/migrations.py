"""A database of another version -> this version's, or the one command that makes it so.

The archive is brought up to date in numbered steps: nothing else could bring it back. The index
can be made again from it, so only its views are replaced, and one with other tables is rebuilt.
"""

import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw

from unspool.errors import SchemaTooNew, StoreOutdated
from unspool.store.sqlite import INDEX_VERSION
from unspool.store.sqlite.running import transaction

Step = Callable[[apsw.Connection], None]

_PREFIX = "CASE WHEN {0} GLOB 'r[0-9]*~*' THEN substr({0}, 1, instr({0}, '~')) ELSE '' END"
_SHARED_PREFIX = f"""
    SELECT 1 FROM (
        SELECT DISTINCT s.root, {_PREFIX.format("e.project_id")} AS prefix
        FROM source AS s JOIN session AS e ON e.id = s.session WHERE s.kind <> 'spool'
    ) GROUP BY prefix HAVING count(*) > 1
"""  # noqa: S608
_ARCHIVED_ROOTS = f"""
    SELECT root, {_PREFIX.format("project_id")}, count(*) FROM generation
    WHERE kind <> 'spool' GROUP BY 1, 2
"""  # noqa: S608


def first_archive(connection: apsw.Connection) -> None:
    """Lay out the archive."""
    connection.execute(_sql("raw.sql"))


def output_archive(connection: apsw.Connection) -> None:
    """Make room for tool outputs that lie in files of their own."""
    connection.execute(_sql("raw_output.sql"))


# The place of a step is the version it leads from.
ARCHIVE_STEPS: tuple[Step, ...] = (first_archive, output_archive)


def known_version(name: str) -> int:
    """The version of a database that this unspool writes."""
    return len(ARCHIVE_STEPS) if _kind(name) == "raw" else INDEX_VERSION


def too_new(name: str, version: int) -> str:
    """What a version that we do not know means; '' for one that we do."""
    known = known_version(name)
    if version <= known:
        return ""
    return (
        f"{name} has version {version}, but this unspool supports {known}:"
        " it can be read but not written; install the newer unspool"
    )


def is_older(path: Path) -> bool:
    """Whether an earlier unspool wrote this database."""
    if not path.exists():
        return False
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return 0 < int(connection.pragma("user_version")) < known_version(path.name)
        finally:
            connection.close()
    except apsw.Error:
        return False  # opening it reports what is wrong


def create(connection: apsw.Connection, name: str) -> None:
    """Bring a database up to this version.

    SchemaTooNew when it is ahead of it, StoreOutdated when it must be rebuilt.
    """
    version = int(connection.pragma("user_version"))
    if trouble := too_new(name, version):
        raise SchemaTooNew(trouble)
    if _kind(name) == "raw":
        for number, step in enumerate(ARCHIVE_STEPS[version:], version + 1):
            with transaction(connection):
                step(connection)
                connection.execute(f"PRAGMA user_version = {number}")
    elif version < INDEX_VERSION:
        with transaction(connection):
            if version:
                _replace_views(connection, name)
            else:
                _lay_out_index(connection)
            connection.execute(f"PRAGMA user_version = {INDEX_VERSION}")


def archived_roots(home: str) -> list[tuple[str, str, int]]:
    """The roots an archive has files of: root, prefix of its projects, and how many files."""
    try:
        connection = apsw.Connection(os.path.join(home, "raw.db"), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return [(str(a), str(b), int(n)) for a, b, n in connection.execute(_ARCHIVED_ROOTS)]
        finally:
            connection.close()
    except apsw.Error:
        return []  # opening it reports what is wrong


def _lay_out_index(connection: apsw.Connection) -> None:
    connection.execute(_sql("schema.sql"))
    # Measured on 350 MB of text: fewer, larger flushes write a quarter faster.
    for table in ("said", "output"):
        put = f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', 33554432)"  # noqa: S608
        connection.execute(put)


def _replace_views(connection: apsw.Connection, name: str) -> None:
    """Give an index whose tables are this version's the views and indexes of this version."""
    fresh = apsw.Connection(":memory:")
    fresh.execute(_sql("schema.sql"))
    has_shared = bool(connection.execute(_SHARED_PREFIX).fetchall())
    wanted, tables = _tables(fresh), _tables(connection)
    dropped = tables.keys() - wanted.keys()
    if has_shared or {table: tables[table] for table in tables.keys() - dropped} != wanted:
        raise StoreOutdated(
            f"{name} was made by an earlier version of unspool. Run `unspool index rebuild`:"
            " nothing is lost, the archive stays as it is."
        )
    for table in dropped:
        connection.execute(f'DROP TABLE "{table}"')
    for view, _ in _named(connection, "view"):
        connection.execute(f'DROP VIEW "{view}"')
    for _, text in _named(fresh, "view"):
        connection.execute(text)
    indexes = dict(_named(connection, "index"))
    for index, text in _named(fresh, "index"):
        if index not in indexes:
            connection.execute(text)
    fresh.close()


def _named(connection: apsw.Connection, type: str) -> list[tuple[str, str]]:
    """Views or indexes of ours, each with the statement that makes it."""
    ask = "SELECT name, sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL ORDER BY rowid"
    return [(str(name), str(text)) for name, text in connection.execute(ask, (type,))]


def _tables(connection: apsw.Connection) -> dict[str, list[Any]]:
    """Every table of ours with its columns: their names, types and what they may be."""
    names = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
        " AND name NOT GLOB 'sqlite_*'"
    ).fetchall()
    ask = 'SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)'
    return {str(name): connection.execute(ask, (name,)).fetchall() for (name,) in names}


def _kind(name: str) -> str:
    return name.partition(".")[0]


def _sql(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
