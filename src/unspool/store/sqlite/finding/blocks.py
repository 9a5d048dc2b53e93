"""Times and numbers of lines -> the blocks that may have some, the newest first."""

import json
from collections.abc import Iterator, Sequence

import apsw

from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.finding.ranges import Block, Range

_BETWEEN = """
    SELECT first, last, newest FROM block
    WHERE newest >= ? AND oldest <= ? AND last >= ? AND first <= ? ORDER BY newest DESC
"""
# Blocks do not overlap, so at most one begins before a span and has a part of it.
_OF_SPANS = """
    SELECT DISTINCT b.first, b.last, b.newest
    FROM json_each(?3) AS span CROSS JOIN block AS b
    ON b.first BETWEEN ifnull((SELECT max(first) FROM block WHERE first <= span.value ->> 0), 0)
        AND span.value ->> 1
    WHERE b.newest >= ?1 AND b.oldest <= ?2 AND b.last >= span.value ->> 0
    ORDER BY b.newest DESC, b.first DESC
"""


def between(connection: apsw.Connection, times: tuple[int, int], numbers: Range) -> Iterator[Block]:
    """Blocks of some times that lie between two numbers."""
    return _blocks(connection.execute(_BETWEEN, (*times, *numbers)))


def of_spans(
    connection: apsw.Connection, times: tuple[int, int], spans: Sequence[Range]
) -> Iterator[Block]:
    """Blocks of some times that have a part of a span."""
    return _blocks(connection.execute(_OF_SPANS, (*times, json.dumps(spans))))


def _blocks(found: Iterator[Row]) -> Iterator[Block]:
    for first, last, end in found:
        yield Range(first, last), end
