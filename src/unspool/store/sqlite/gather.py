"""Small neighbouring segments -> one: a file that is followed live is archived line by line."""

import apsw

from unspool.model.rows import Segment
from unspool.store.pack import packed, unpacked
from unspool.store.sqlite.connection import Row

MANY = 16
LARGEST = 4 * 1024 * 1024

_BEFORE = """
    SELECT begins, ends, id FROM segment
    WHERE source_id = ? AND generation = ? AND begins < ? ORDER BY begins DESC, ends DESC LIMIT ?
"""
_READ = """
    SELECT source_id, generation, begins, ends, checksum, packed FROM segment WHERE id = ?
"""
_DROP = "DELETE FROM segment WHERE id = ?"
_ADD = """
    INSERT INTO segment (source_id, generation, begins, ends, checksum, packed)
    VALUES (?, ?, ?, ?, ?, ?)
"""


def gather(connection: apsw.Connection, place: tuple[int, int, int]) -> bool:
    """Make one segment of the last ones before an offset, if they are many, alike and whole.

    Where bytes come again from within it, it is cut: see `raw.keep`.
    """
    found: list[Row] = connection.execute(_BEFORE, (*place, MANY)).fetchall()
    if not _are_alike(found, place[2]):
        return False
    ids = [row[2:] for row in reversed(found)]
    rows = [row for id in ids for row in connection.execute(_READ, id)]
    data = [held for row in rows if (held := unpacked(Segment(*row))) is not None]
    if len(data) < MANY:
        return False  # what is damaged stays as it is, so that it can be named and mended
    first = found[-1][0]
    whole = packed(*place[:2], first, b"".join(data))
    connection.executemany(_DROP, ids)
    connection.execute(_ADD, (*place[:2], first, whole.end, whole.checksum, whole.packed))
    return True


def _are_alike(found: list[Row], end: int) -> bool:
    """Whether they touch, and none is so large that packing it again costs more than it gives."""
    total, largest, at = 0, 0, end
    for begins, ends, _ in found:
        if ends != at:
            return False
        total, largest, at = total + ends - begins, max(largest, ends - begins), begins
    return len(found) == MANY and total <= LARGEST and largest * 4 <= total
