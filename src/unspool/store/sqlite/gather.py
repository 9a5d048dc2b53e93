"""Small neighbouring segments -> one: a file that is followed live is archived line by line."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import apsw

from unspool.model.rows import Segment
from unspool.store.pack import packed, unpacked
from unspool.store.sqlite.connection import Row

Span: TypeAlias = tuple[int, int]  # where a segment begins and ends

MANY = 16
LARGEST = 4 * 1024 * 1024

_BEFORE = """
    SELECT source_id, generation, begins, ends, checksum, packed FROM segment
    WHERE source_id = ? AND generation = ? AND begins < ? ORDER BY begins DESC, ends DESC LIMIT ?
"""
_DROP = """
    DELETE FROM segment WHERE source_id = ? AND generation = ? AND begins < ?
        AND (begins, ends) >= (?, ?)
"""
_ADD = """
    INSERT INTO segment (source_id, generation, begins, ends, checksum, packed)
    VALUES (?, ?, ?, ?, ?, ?)
"""


def are_alike(spans: Sequence[Span]) -> bool:
    """Whether segments are many and touch, and none is so large that to pack it again costs more
    than it gives.
    """
    if len(spans) < MANY:
        return False
    sizes = [ends - begins for begins, ends in spans]
    total = sum(sizes)
    return max(sizes) * 4 <= total <= LARGEST and all(a[1] == b[0] for a, b in pairwise(spans))


def gather(connection: apsw.Connection, place: tuple[int, int, int]) -> bool:
    """Make one segment of the last ones before an offset, which are alike, if they are whole.

    Where bytes come again from within it, it is cut: see `Segments`.
    """
    rows: list[Row] = connection.execute(_BEFORE, (*place, MANY)).fetchall()[::-1]
    data = [held for row in rows if (held := unpacked(Segment(*row))) is not None]
    if len(data) < MANY:
        return False  # what is damaged stays as it is, so that it can be named and mended
    first = rows[0][2:4]
    whole = packed(*place[:2], first[0], b"".join(data))
    connection.execute(_DROP, (*place, *first))
    connection.execute(_ADD, (*place[:2], first[0], whole.end, whole.checksum, whole.packed))
    return True
