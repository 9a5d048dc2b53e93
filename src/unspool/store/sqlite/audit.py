"""What `doctor`, `index verify` and the check before each command compare the index by."""

from typing import Final

from unspool.errors import StoreCorrupt, StoreError
from unspool.model.query import BadLinePlace, OddityCount
from unspool.store.sqlite.connection import ReaderPool


def quick_check(readers: ReaderPool) -> list[str]:
    """Look at every page of a file: finds damage, in seconds."""
    return _said(readers, "PRAGMA quick_check(20)")


def thorough_check(readers: ReaderPool) -> list[str]:
    """Compare indexes with tables and look into the full-text index as well."""
    return _said(readers, "PRAGMA integrity_check(20)")


def _said(readers: ReaderPool, ask: str) -> list[str]:
    name = readers.path.name
    try:
        return [f"{name}: {said}" for (said,) in readers.every(ask) if said != "ok"]
    except StoreCorrupt as error:
        return [str(error)]
    except StoreError as error:
        return [f"{name} cannot be checked: {error}"]


_FILES: Final = """
    SELECT root, path, size, mtime_ns FROM source WHERE gone_at IS NULL AND NOT superseded
"""
_COUNTS: Final = """
    SELECT s.source_id, s.generation, count(DISTINCT one.number) FROM (
        SELECT source, "offset", number FROM line UNION ALL SELECT source, "offset", number FROM bad
    ) AS one JOIN source AS s ON s.id = one.source
    WHERE NOT s.superseded AND one."offset" < s."offset" GROUP BY s.id
"""
_BAD: Final = """
    SELECT s.root, s.path, b.number, b.reason FROM bad AS b JOIN source AS s ON s.id = b.source
    WHERE NOT s.superseded ORDER BY s.mtime_ns DESC, s.root, s.path, b.number LIMIT ?
"""
_UNPRICED: Final = """
    SELECT m.text, count(*) FROM response AS r JOIN word AS m ON m.id = r.model
    WHERE r.usd_pico IS NULL GROUP BY r.model ORDER BY 2 DESC, 1 LIMIT ?
"""
_ODDITIES: Final = """
    SELECT version, what, name, count FROM oddities
    ORDER BY count DESC, version, what, name LIMIT ?
"""


def file_states(readers: ReaderPool) -> list[tuple[str, str, int, int]]:
    """Root, path, size and mtime_ns of every file that is not gone."""
    return [(root, path, size, at) for root, path, size, at in readers.every(_FILES)]


def line_counts(readers: ReaderPool) -> dict[tuple[int, int], int]:
    """How many lines before its checkpoint each source has, good and bad."""
    rows = readers.every(_COUNTS)
    return {(source, generation): count for source, generation, count in rows}


def bad_lines(readers: ReaderPool, limit: int) -> list[BadLinePlace]:
    """Lines that could not be read, those of the newest files first."""
    return [BadLinePlace(*row) for row in readers.every(_BAD, (limit,))]


def unpriced_models(readers: ReaderPool, limit: int) -> list[tuple[str, int]]:
    """Models without a price and their responses, most frequent first."""
    return [(model, count) for model, count in readers.every(_UNPRICED, (limit,))]


def oddities(readers: ReaderPool, limit: int) -> list[OddityCount]:
    """What no known version writes, most frequent first."""
    return [OddityCount(*row) for row in readers.every(_ODDITIES, (limit,))]
