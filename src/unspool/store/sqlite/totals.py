"""What a report of costs needs when no file has changed, read without loading the model."""

from __future__ import annotations

import os

import apsw

from unspool.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TOTALS = "SELECT * FROM usage_totals"
_SOURCES = "SELECT root, path, size, mtime_ns FROM spent"
_PRICES = "SELECT value FROM meta WHERE name = 'prices'"


def read_totals(path: str) -> list[tuple[Any, ...]]:
    """The sums of the ledger in an index.db: fields as in `UsageTotal`, rows in no order."""
    return _every(path, _TOTALS)


def read_usage_sources(path: str) -> dict[str, tuple[int, int]]:
    """Each file the ledger has read, and its size and mtime_ns then."""
    return {
        os.path.join(root, below): (size, mtime_ns)
        for root, below, size, mtime_ns in _every(path, _SOURCES)
    }


def read_prices(path: str) -> str:
    """The name of the table the ledger was last priced by, or ''."""
    return "".join(name for (name,) in _every(path, _PRICES))


def _every(path: str, ask: str) -> list[tuple[Any, ...]]:
    if not os.path.exists(path):
        return []
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(5000)
            return connection.execute(ask).fetchall()
        finally:
            connection.close()
    except apsw.Error as error:
        raise StoreError(f"{path} cannot be read ({error}); `unspool index verify`") from error
