"""Segments -> raw.db; how the files in use end there is remembered, so more is only added."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import apsw

from unspool.model.files import OutputFile
from unspool.model.rows import Segment, SourceRow
from unspool.store.pack import packed, unpacked
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.raw import HOLDER, NAMES, ONE
from unspool.store.sqlite.running import transaction
from unspool.store.terms import plain

Span: TypeAlias = tuple[int, int]  # where a segment begins and ends

MANY = 16
LARGEST = 4 * 1024 * 1024

_BEFORE = """
    SELECT source_id, generation, begins, ends, checksum, packed FROM segment
    WHERE source_id = ? AND generation = ? AND begins < ? ORDER BY begins DESC, ends DESC LIMIT ?
"""
_DROP_GATHERED = """
    DELETE FROM segment WHERE source_id = ? AND generation = ? AND begins < ?
        AND (begins, ends) >= (?, ?)
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
    connection.execute(_DROP_GATHERED, (*place, *first))
    connection.execute(_ADD, (*place[:2], first[0], whole.end, whole.checksum, whole.packed))
    return True


# Files whose end is remembered; of more, those of the last transactions.
_REMEMBERED = 1_024

_SAME = """
    SELECT id, packed FROM segment
    WHERE (source_id, generation, begins, ends, checksum) = (?, ?, ?, ?, ?)
"""
_THERE = "SELECT 1 FROM segment WHERE (source_id, generation, begins) = (?, ?, ?) LIMIT 1"
_GIVE_WAY = "DELETE FROM segment WHERE (source_id, generation) = (?, ?) AND begins >= ?"
_ADD = """
    INSERT INTO segment (source_id, generation, begins, ends, checksum, packed)
    VALUES (?, ?, ?, ?, ?, ?)
"""
_DROP = "DELETE FROM segment WHERE id = ?"
_REPLACE = """
    UPDATE segment SET checksum = ?, packed = ?
    WHERE (source_id, generation, begins, ends) = (?, ?, ?, ?)
"""
_LAST = """
    SELECT begins, ends FROM segment WHERE source_id = ? AND generation = ?
    ORDER BY begins DESC, ends DESC LIMIT ?
"""
_KEEP_OUTPUT = """
    INSERT OR REPLACE INTO output
        (root, path, project_id, session_id, size, mtime_ns, checksum, packed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_NAME = "INSERT OR REPLACE INTO generation VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class Segments:
    """The one who writes raw.db's segments; what it remembers of a failed try, it forgets."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._last: dict[tuple[int, int], list[Span]] = {}  # of a generation, the newest at last
        self._new: list[Row] = []

    def keep(self, segments: Iterable[Segment], sources: Iterable[SourceRow]) -> None:
        """Add segments that are not there, and the names of their files.

        Another segment at the same offset was never indexed: the process died in between, and the
        file has changed since. It and what follows on it give way, and so does the end of one that
        reaches beyond: many small ones are gathered in one.
        """
        if len(self._last) > _REMEMBERED:
            self._last.clear()
        try:
            with transaction(self._connection):
                self._connection.executemany(_NAME, map(_named, sources))
                for new in segments:
                    self._keep(new)
                self._write()
        except BaseException:
            self._last.clear()
            self._new.clear()
            raise

    def erase(
        self,
        source_ids: Iterable[int],
        outputs: Iterable[tuple[str, str]],
        instead: Iterable[Segment],
    ) -> None:
        """Delete what is of some sources, and some outputs; put segments in the place of others."""
        self._last.clear()
        ids = [(id,) for id in source_ids]
        with transaction(self._connection):
            many = self._connection.executemany
            for table in ("segment", "generation"):
                many(f"DELETE FROM {table} WHERE source_id = ?", ids)  # noqa: S608
            many("DELETE FROM output WHERE (root, path) = (?, ?)", map(_plain, outputs))
            for one in instead:
                place = one.source_id, one.generation, one.offset, one.end
                self._connection.execute(_REPLACE, (one.checksum, one.packed, *place))

    def _keep(self, new: Segment) -> None:
        place = new.source_id, new.generation
        spans = self._last.get(place)
        if spans and spans[-1][0] < new.offset == spans[-1][1]:
            self._put(new)
            spans.append((new.offset, new.end))
            del spans[: -MANY - 1]
        elif not self._fit(new) or not (spans := self._read(new)):
            return
        if are_alike(spans[:-1]):
            self._write()
            gather(self._connection, (*place, new.offset))
            self._read(new)

    def _fit(self, new: Segment) -> bool:
        """Add a segment wherever its place is; whether it was not there."""
        self._write()
        run, place = self._connection.execute, (new.source_id, new.generation, new.offset)
        self._last.pop(place[:2], None)
        same: Row | None = run(_SAME, (*place, new.end, new.checksum)).fetchone()
        if same is not None:
            if same[1] != new.packed:
                run("UPDATE segment SET packed = ? WHERE id = ?", (new.packed, same[0]))
            return False
        if run(_THERE, place).get is not None:
            run(_GIVE_WAY, place)
        else:
            self._cut(place)
        self._put(new)
        self._write()
        return True

    def _cut(self, place: tuple[int, int, int]) -> None:
        """Let a segment that reaches beyond a place end there; nothing after it counts."""
        run = self._connection.execute
        held: Row | None = run(HOLDER, place).fetchone()
        if held is None:
            return
        found: Row = run(ONE, held[:1]).fetchone() or ()
        data = unpacked(Segment(*found))
        if data is not None:
            run(_DROP, held[:1])
            run(_GIVE_WAY, place)
            source_id, generation, offset = place
            self._put(packed(source_id, generation, held[1], data[: offset - held[1]]))

    def _put(self, new: Segment) -> None:
        place = new.source_id, new.generation, new.offset
        self._new.append((*place, new.end, new.checksum, new.packed))

    def _write(self) -> None:
        if self._new:
            self._connection.executemany(_ADD, self._new)
            self._new.clear()

    def _read(self, new: Segment) -> list[Span]:
        """Remember how a generation ends; nothing, where that is not with this segment."""
        place = new.source_id, new.generation
        found: list[Any] = self._connection.execute(_LAST, (*place, MANY + 1)).fetchall()
        if found[:1] != [(new.offset, new.end)]:
            return []
        self._last[place] = found[::-1]
        return self._last[place]


def keep_outputs(connection: apsw.Connection, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
    """Keep files of long tool outputs, in the place of what they were before."""
    with transaction(connection):
        for file, data in outputs:
            frame = packed(0, 0, 0, data)
            values = map(plain, (file.root, file.path, file.project_id, file.session_id))
            times = file.size, file.mtime_ns
            connection.execute(_KEEP_OUTPUT, (*values, *times, frame.checksum, frame.packed))


def _named(source: SourceRow) -> Row:
    return _plain(getattr(source, name) for name in NAMES)


def _plain(values: Iterable[Any]) -> Row:
    return tuple(plain(value) if isinstance(value, str) else value for value in values)
