"""What a status line asks of the index: answered at once or not at all, and without the model."""

from __future__ import annotations

import json
import os
from zlib import crc32

import apsw

from unspool.errors import StoreError
from unspool.model.usage import OwnedUsage, Tokens, UsageRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from unspool.model.costs import Total

_PATIENCE_MS = 50
_TOTALS = """
    SELECT * FROM usage_totals WHERE quarter >= ?
    UNION SELECT * FROM usage_totals WHERE session_id = ?
"""
_SOURCES = """
    SELECT root, path, "offset", size, mtime_ns FROM spent
    WHERE root || ? || path IN (SELECT value FROM json_each(?))
"""
_RESPONSE = """
    SELECT e.project_id, e.session_id, r.rank, r.claim, r.timestamp, r.is_finished, m.text,
        a.text, r.usd_pico, r.input_tokens, r.output_tokens, r.cache_read_tokens,
        r.cache_creation_tokens, r.cache_creation_5m, r.cache_creation_1h, r.web_searches,
        s.text, g.text
    FROM response AS r
    JOIN session AS e ON e.id = r.session
    JOIN word AS m ON m.id = r.model
    JOIN word AS a ON a.id = r.agent
    JOIN word AS s ON s.id = r.speed
    JOIN word AS g ON g.id = r.geo
    WHERE r.crc = ? AND r.message_key = ?
"""


class Glance:
    """One moment of an index.db; StoreError where it cannot be read right now."""

    def __init__(self, path: str) -> None:
        if not os.path.exists(path):
            raise StoreError(f"There is no index at {path}.")
        try:
            self._connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
            self._connection.set_busy_timeout(_PATIENCE_MS)
            self._connection.execute("BEGIN")
        except apsw.Error as error:
            raise StoreError(f"{path}: {error}") from error

    def totals(self, session: str, since: int) -> list[Total]:
        """Sums of the ledger since a moment, and all of one session."""
        return self._ask(_TOTALS, since, session.encode("utf-8", "replace").decode())

    def sources(self, paths: list[str]) -> dict[str, tuple[int, int, int]]:
        """Those of the files the ledger knows: offset, size and mtime_ns when it was read."""
        rows = self._ask(_SOURCES, os.sep, json.dumps(paths))
        return {
            os.path.join(root, path): (offset, size, at) for root, path, offset, size, at in rows
        }

    def responses(self, keys: Iterable[str]) -> dict[str, OwnedUsage]:
        """Those of the responses that the ledger has."""
        found = {}
        for key in keys:
            name = key.encode("utf-8", "replace")
            for row in self._ask(_RESPONSE, crc32(name), name.decode()):
                project, session, rank, claim, at, is_finished, model, agent, pico, *tokens = row
                usage = UsageRow(
                    key, rank, claim, at, bool(is_finished), model, Tokens(*tokens), agent, 0, pico
                )
                found[key] = OwnedUsage(project, session, usage)
        return found

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _ask(self, ask: str, *values: int | str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(ask, values).fetchall()
        except apsw.Error as error:
            raise StoreError(f"The index cannot be asked: {error}") from error
