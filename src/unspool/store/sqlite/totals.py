"""What a report of costs needs when no file has changed, read without loading the model."""

from __future__ import annotations

import os

from unspool.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TOTALS = "SELECT * FROM usage_totals"
_SOURCES = "SELECT rtrim(root, '{0}') || '{0}' || path, size, mtime_ns FROM spent"
_PRICES = "SELECT value FROM meta WHERE name = 'prices'"


def read_totals(path: str) -> list[tuple[Any, ...]]:
    """The sums of the ledger in an index.db: fields as in `UsageTotal`, rows in no order."""
    (totals,) = _answers(path, _TOTALS)
    return totals


def read_known(path: str) -> tuple[str, list[tuple[str, int, int]]]:
    """The table the ledger was last priced by, and its files: path, size and mtime_ns then."""
    prices, sources = _answers(path, _PRICES, _SOURCES.format(os.sep))
    return "".join(name for (name,) in prices), sources


def _answers(path: str, *asks: str) -> list[list[Any]]:
    if not os.path.exists(path):
        return [[] for _ in asks]
    import apsw  # noqa: PLC0415 - whoever asks nothing need not wait for it

    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(5000)
            return [connection.execute(ask).fetchall() for ask in asks]
        finally:
            connection.close()
    except apsw.Error as error:
        raise StoreError(f"{path} cannot be read ({error}); `unspool index verify`") from error
