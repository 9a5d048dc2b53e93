"""What reports of costs and status lines ask of the index, without loading the model.

One moment of it: what is asked one after the other belongs together.
"""

from __future__ import annotations

import json
import os
from array import array
from zlib import crc32

import apsw

from unspool.errors import StoreError
from unspool.model.usage import OwnedUsage, Tokens, UsageRow
from unspool.store.sqlite import INDEX_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from unspool.model.usage import TotalRow

_TOTALS = "SELECT * FROM usage_totals"
_TOTALS_OF = f"""
    {_TOTALS} WHERE quarter >= ?
    UNION {_TOTALS} WHERE session_id = ?
"""
_SOURCES = """
    SELECT rtrim(root, '{0}') || '{0}' || path AS path, "offset", size, mtime_ns FROM source
    WHERE NOT superseded
"""
_SOURCES_AT = f"SELECT * FROM ({_SOURCES}) WHERE path IN (SELECT value FROM json_each(?))"  # noqa: S608
_PRICES = "SELECT value FROM meta WHERE name = 'prices'"
_HASHES = """
    SELECT DISTINCT r.crc FROM carray(?) AS asked CROSS JOIN response AS r ON r.crc = asked.value
"""
_RESPONSES = """
    SELECT e.project_id, e.session_id, r.message_key, r.rank, r.claim, r.timestamp, r.is_finished,
        m.text, a.text, coalesce(r.line, 0), r.usd_pico, r.input_tokens, r.output_tokens,
        r.cache_read_tokens, r.cache_creation_tokens, r.cache_creation_5m, r.cache_creation_1h,
        r.web_searches, s.text, g.text
    FROM {}
    CROSS JOIN session AS e ON e.id = r.session
    CROSS JOIN word AS m ON m.id = r.model
    CROSS JOIN word AS a ON a.id = r.agent
    CROSS JOIN word AS s ON s.id = r.speed
    CROSS JOIN word AS g ON g.id = r.geo
"""
_EVERY = _RESPONSES.format("response AS r")
_NAMED = _RESPONSES.format("carray(?) AS asked CROSS JOIN response AS r ON r.crc = asked.value")


class LedgerReader:
    """One moment of an index.db; StoreError where it cannot be read right now."""

    def __init__(self, path: str, patience_ms: int) -> None:
        if not os.path.exists(path):
            raise StoreError(f"There is no index at {path}.")
        try:
            self._connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
            self._connection.set_busy_timeout(patience_ms)
            self._connection.execute("BEGIN")
            version = self._connection.pragma("user_version")
        except apsw.Error as error:
            raise StoreError(f"{path}: {error}") from error
        if version != INDEX_VERSION:
            self._connection.close()
            raise StoreError(f"{path} was made by another version of unspool.")

    def totals(self) -> list[TotalRow]:
        """All sums, in no order."""
        return self._rows(_TOTALS)

    def totals_of(self, session: str, since: int) -> list[TotalRow]:
        """Sums since a moment, and all of one session."""
        return self._rows(_TOTALS_OF, since, session.encode("utf-8", "replace").decode())

    def sources(self, paths: list[str] | None = None) -> dict[str, tuple[int, int, int]]:
        """How far each file, or each of some, was read: offset, its size and mtime_ns then."""
        ask = (_SOURCES if paths is None else _SOURCES_AT).format(os.sep)
        rows = self._rows(ask, *([] if paths is None else [json.dumps(paths)]))
        return {path: (offset, size, at) for path, offset, size, at in rows}

    def prices(self) -> str:
        """The name of the table it was last priced by, or ''."""
        return "".join(name for (name,) in self._rows(_PRICES))

    def hashes(self, hashes: Iterable[int]) -> set[int]:
        """Those of the hashes that are of responses it has."""
        return {hash for (hash,) in self._among(_HASHES, hashes)}

    def responses(self, keys: Iterable[str]) -> dict[str, OwnedUsage]:
        """Those of the responses that it has."""
        wanted = {key.encode("utf-8", "replace"): key for key in keys}
        found: dict[str, OwnedUsage] = {}
        for owned in map(_owned, self._among(_NAMED, map(crc32, wanted))):
            key = wanted.get(owned.row.message_key.encode())
            if key is not None:
                found[key] = owned
        return found

    def every_response(self) -> Iterator[OwnedUsage]:
        """All responses."""
        return map(_owned, self._rows(_EVERY))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _among(self, ask: str, hashes: Iterable[int]) -> list[tuple[Any, ...]]:
        wanted = array("q", hashes)
        return self._rows(ask, apsw.carray(wanted)) if wanted else []  # no array may be empty

    def _rows(self, ask: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(ask, values).fetchall()
        except apsw.Error as error:
            raise StoreError(f"The index cannot be read: {error}") from error


def _owned(row: tuple[Any, ...]) -> OwnedUsage:
    project, session, key, rank, claim, at, is_finished, model, agent, line, pico, *tokens = row
    usage = UsageRow(
        key, rank, claim, at, bool(is_finished), model, Tokens(*tokens), agent, line, pico
    )
    return OwnedUsage(project, session, usage)
