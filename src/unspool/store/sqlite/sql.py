"""A question in SQL -> columns and rows: documented names only, read only, within limits."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import apsw

from unspool.errors import StoreError, UsageError
from unspool.store.sqlite.connection import ReaderPool, Row
from unspool.store.sqlite.running import deadline
from unspool.store.sqlite.writing.texts import TABLES
from unspool.store.terms import plain

PUBLIC = (
    "sessions lines usage tool_calls hook_events agents bad_lines files_touched sources events"
    " hook_join messages usage_totals texts oddities marks changes projections quota"
).split()

_ALSO = ("json_each", "json_tree")
_INVALID = (apsw.SQLError, apsw.BindingsError, TypeError, OverflowError, UnicodeEncodeError)
_LONGEST_VALUE = 64 * 1024 * 1024
# The full-text index asks for these itself, on whichever connection it is used.
_ITS_OWN = [
    table + part for table in TABLES for part in ("", "_data", "_idx", "_config", "_docsize")
]

_TABLES = frozenset((*PUBLIC, *_ALSO, *_ITS_OWN))
# Other views read `call`.
_VIEWS = frozenset((*PUBLIC, "call"))


def ask(
    readers: ReaderPool, text: str, params: Sequence[Any], limit: int, seconds: float
) -> tuple[list[str], list[Row]]:
    """Run one SELECT; UsageError says what is wrong with it, StoreError why there is no answer.

    With a limit of 0 it is not run at all: its columns are known before its first row.
    """
    if "\0" in text:
        raise UsageError("SQL cannot contain NUL characters")
    columns: list[str] = []

    def begin(cursor: apsw.Cursor, _sql: str, _bindings: Any) -> bool:
        if columns:
            raise UsageError("one statement at a time")
        columns.extend(name for name, _ in cursor.get_description())
        return limit > 0

    with readers.take() as connection, _guarded(connection, seconds):
        cursor = connection.cursor()
        cursor.exec_trace = begin
        try:
            rows = list(islice(cursor.execute(plain(text), tuple(params)), max(0, limit)))
        except apsw.ExecTraceAbort:
            rows = []
        except apsw.InterruptError as error:
            raise StoreError(f"this takes longer than {seconds:g} seconds") from error
        except apsw.AuthError as error:
            raise UsageError(f"only SELECT, and only what docs/tables.md lists: {error}") from error
        except _INVALID as error:
            raise UsageError(str(error)) from error
        except apsw.Error as error:
            raise StoreError(str(error)) from error
        finally:
            cursor.close(True)
    if not columns:
        raise UsageError("there is no statement")
    return columns, rows


def tables(readers: ReaderPool) -> dict[str, list[str]]:
    """The documented tables, each with its columns."""
    asked = ((name, ask(readers, f"SELECT * FROM {name}", (), 0, 1.0)) for name in PUBLIC)  # noqa: S608
    return {name: columns for name, (columns, _) in asked}


@contextmanager
def _guarded(connection: apsw.Connection, seconds: float) -> Iterator[None]:
    longest = connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.authorizer = _allow
    try:
        with deadline(connection, seconds):
            yield
    finally:
        connection.authorizer = None
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, longest)


def _allow(action: int, *about: str | None) -> int:
    first, second, _database, view = about
    if action == apsw.SQLITE_READ:
        # Without a column: a part of a view, or of the question, of which only rows are counted.
        is_known = first in _TABLES or view in _VIEWS or second == ""
    elif action == apsw.SQLITE_FUNCTION:
        is_known = second != "load_extension"
    elif action == apsw.SQLITE_PRAGMA:
        is_known = first == "data_version"  # the full-text index again
    else:
        is_known = action in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE)
    return apsw.SQLITE_OK if is_known else apsw.SQLITE_DENY
