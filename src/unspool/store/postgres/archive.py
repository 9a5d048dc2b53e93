"""The archive: raw bytes in pieces, checked whenever they are read, and long tool outputs."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from unspool.model.files import OutputFile
from unspool.model.rows import Segment, SourceRow
from unspool.store.pack import is_whole, packed, sliced, unpacked
from unspool.store.postgres.database import Connection, Database, Row, searchable
from unspool.store.postgres.partitions import NOW, Partitions
from unspool.store.postgres.pieces import LARGEST, ArchivePiece, pieces, pieces_of, whole_lines
from unspool.store.postgres.schema import LOCK

NAMES: Final = (
    "source_id", "generation", "root", "path", "kind", "project_id", "session_id", "agent_id",
)  # fmt: skip
# Of two who bring the same bytes, one comes second and finds them.
_LOCK: Final = "SELECT pg_advisory_xact_lock(%s, %s)"
_GENERATIONS: Final = f"""
    SELECT {", ".join(NAMES)} FROM generation WHERE owner = ANY(%(visible)s)
    ORDER BY source_id, generation
"""  # noqa: S608
_NAME: Final = f"""
    INSERT INTO generation (owner, {", ".join(NAMES)})
    VALUES (%(owner)s, {", ".join(f"%({name})s" for name in NAMES)})
    ON CONFLICT (owner, source_id, generation) DO UPDATE SET
        {", ".join(f"{name} = excluded.{name}" for name in NAMES[2:])}
"""  # noqa: S608
_PLACE: Final = """
    owner = ANY(%(visible)s) AND source_id = %(source_id)s AND generation = %(generation)s
"""
_SPANS: Final = f"SELECT begins, ends FROM segment WHERE {_PLACE} ORDER BY begins, ends"  # noqa: S608
_PIECES: Final = f"""
    SELECT source_id, generation, begins, ends, checksum, packed, is_cut FROM segment
    WHERE {_PLACE} AND ends > %(after)s AND begins < %(before)s AND (begins, ends) > (%(b)s, %(e)s)
    ORDER BY begins, ends LIMIT %(limit)s
"""  # noqa: S608
# The end of the last piece before a place after which a line begins.
_LINE_END: Final = f"""
    SELECT coalesce(max(ends), 0) FROM segment
    WHERE {_PLACE} AND ends <= %(after)s AND NOT is_cut
"""  # noqa: S608
_LAST: Final = f"""
    SELECT source_id, generation, begins, ends, checksum, packed, is_cut FROM segment
    WHERE {_PLACE} ORDER BY begins DESC LIMIT %(limit)s
"""  # noqa: S608
_MINE: Final = "owner = %(owner)s AND source_id = %(source_id)s AND generation = %(generation)s"
_DROP: Final = f"DELETE FROM segment WHERE {_MINE} AND begins >= %(begins)s"  # noqa: S608
_DROP_RUN: Final = f"{_DROP} AND ends <= %(ends)s"
_COPY: Final = """
    COPY segment (owner, source_id, generation, begins, at, ends, is_cut, checksum, packed)
    FROM STDIN
"""
_OUTPUTS: Final = """
    SELECT root, path, project_id, session_id, size, mtime_ns FROM output
    WHERE owner = ANY(%(visible)s) ORDER BY output
"""
_OUTPUT_PIECES: Final = """
    SELECT 0, 0, p.begins, p.ends, p.checksum, p.packed, o.size
    FROM output AS o LEFT JOIN output_piece AS p ON p.owner = o.owner AND p.output = o.output
    WHERE o.owner = ANY(%(visible)s) AND md5(o.path) = md5(%(path)s) AND o.path = %(path)s
        AND o.root = %(root)s ORDER BY p.begins
"""
_DROP_OUTPUT: Final = """
    WITH gone AS (
        DELETE FROM output WHERE owner = %(owner)s AND md5(path) = md5(%(path)s)
            AND path = %(path)s AND root = %(root)s RETURNING output
    )
    DELETE FROM output_piece WHERE owner = %(owner)s AND output IN (SELECT output FROM gone)
"""
_ADD_OUTPUT: Final = """
    INSERT INTO output (owner, root, path, project_id, session_id, size, mtime_ns, source_id)
    VALUES (%(owner)s, %(root)s, %(path)s, %(project_id)s, %(session_id)s, %(size)s, %(mtime_ns)s,
        %(source_id)s)
"""
_OUTPUT: Final = """
    SELECT output FROM output WHERE owner = %(owner)s AND md5(path) = md5(%(path)s)
        AND path = %(path)s AND root = %(root)s
"""
_COPY_OUTPUT: Final = """
    COPY output_piece (owner, output, begins, ends, checksum, packed) FROM STDIN
"""
_SIZES: Final = """
    SELECT coalesce(sum(packed_bytes), 0), coalesce(sum(archived_bytes), 0),
        coalesce(sum(outputs), 0), coalesce(sum(output_bytes), 0)
    FROM holding WHERE owner = ANY(%(visible)s)
"""
_EVERY: Final = """
    SELECT DISTINCT source_id, generation FROM segment WHERE owner = ANY(%(visible)s)
"""
_TABLES_OF: Final = """
    SELECT DISTINCT tableoid::regclass::text FROM segment
    WHERE owner = %(owner)s AND source_id = ANY(%(ids)s)
"""
_FOREVER: Final = 2**62
# Read at once, of at most 256 KiB each.
_AT_ONCE: Final = 16
# So many small pieces in a row become one.
_MANY: Final = 16


class RawArchive(Database):
    """Reads and writes raw bytes. A damaged piece is named in `damaged`; all others are read."""

    def __init__(self, database: Database, partitions: Partitions) -> None:
        super().__init__(database.pool, database.owner, database.machine, database.visible)
        self._partitions = partitions
        self.damaged: set[str] = set()
        self._appended = Counter[tuple[int, int]]()

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        """Keep raw bytes and the names of new generations, before `commit`; again: no change.

        Other bytes at the same offset were never indexed: the process died in between, and the
        file has changed since. They and what follows on them give way.
        """
        ((now,),) = self.every(NOW)
        # Before a connection is held: another one is needed for it.
        self._partitions.make([now], now)
        with self.connected() as connection, connection.transaction():
            self.keep(connection, segments, sources, now)

    def keep(
        self,
        connection: Connection,
        segments: Iterable[Segment],
        sources: Iterable[SourceRow],
        now: int,
    ) -> None:
        """The same in a transaction that one has already."""
        connection.execute(_LOCK, (LOCK + 1, self.owner))
        for source in sources:
            names = {name: searchable(getattr(source, name)) for name in NAMES}
            connection.execute(_NAME.encode(), {**names, "owner": self.owner})
        for segment in segments:
            self._keep(connection, segment, now)

    def _keep(self, connection: Connection, new: Segment, now: int) -> None:
        place = {"source_id": new.source_id, "generation": new.generation}
        there = self._pieces(connection, place, new.offset, _FOREVER, limit=_AT_ONCE)
        held = [one for one in there if one.segment.offset <= new.offset]
        if held:
            stored = self._bytes(connection, new)
            if stored is not None and stored == unpacked(new):
                return
            self._cut(connection, place, new.offset, held[0], now)
        _copy(connection, self.owner, pieces(new), now)
        if not there:
            self._appended[new.source_id, new.generation] += 1
            if self._appended[new.source_id, new.generation] >= _MANY:
                del self._appended[new.source_id, new.generation]
                self._gather(connection, place, now)

    def _cut(
        self,
        connection: Connection,
        place: dict[str, int],
        offset: int,
        held: ArchivePiece,
        now: int,
    ) -> None:
        """Let what is stored end at a place."""
        begins, data = held.segment.offset, unpacked(held.segment)
        values = {**place, "owner": self.owner}
        if data is None or begins == offset:
            connection.execute(_DROP.encode(), {**values, "begins": offset})
            return
        connection.execute(_DROP.encode(), {**values, "begins": begins})
        rest = pieces_of(place, begins, data[: offset - begins])
        _copy(connection, self.owner, rest, now)

    def _gather(self, connection: Connection, place: dict[str, int], now: int) -> None:
        """Make one piece of the last ones, if they touch, are whole and of like size."""
        rows = self._binary(connection, _LAST, limit=_MANY, **place)
        last = [_piece(row).segment for row in reversed(rows)]
        sizes = [one.end - one.offset for one in last]
        data = [held for one in last if (held := unpacked(one)) is not None]
        touch = all(one.end == next.offset for one, next in pairwise(last))
        if len(data) < _MANY or not touch or any(row[6] for row in rows):
            return
        if max(sizes) * 4 <= sum(sizes) <= LARGEST // 2:
            span = {"begins": last[0].offset, "ends": last[-1].end, "owner": self.owner}
            connection.execute(_DROP_RUN.encode(), {**place, **span})
            whole = pieces_of(place, last[0].offset, b"".join(data))
            _copy(connection, self.owner, whole, now)

    def generations(self) -> list[SourceRow]:
        """Every generation the archive was given, oldest first."""
        rows = self.every(_GENERATIONS)
        return [SourceRow(**dict(zip(NAMES, row, strict=True))) for row in rows]

    def archived(self, source_id: int, generation: int) -> int:
        """Up to which offset a generation is archived without a gap."""
        end = 0
        for begins, ends in self.every(_SPANS, source_id=source_id, generation=generation):
            if begins > end:
                break
            end = max(end, ends)
        return end

    def segments(self, source_id: int, generation: int, after: int = 0) -> Iterator[Segment]:
        """A generation's raw bytes in order: all segments that have some after a place."""
        place = {"source_id": source_id, "generation": generation}
        if after > 0:
            ((after,),) = self.every(_LINE_END, after=after, **place)
        yield from whole_lines(self._walk(place, after))

    def _walk(self, place: dict[str, int], after: int) -> Iterator[ArchivePiece]:
        """By place, not from a list: what is on a list may be gathered while it is read."""
        passed = -1, -1
        while True:
            with self.connected() as connection:
                found = self._pieces(connection, place, after, _FOREVER, passed, _AT_ONCE)
            for piece in found:
                passed = piece.segment.offset, piece.segment.end
                if self._is_whole(piece.segment):
                    after = max(after, piece.segment.end)
                    yield piece
            if len(found) < _AT_ONCE:
                return

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """One line's bytes; None where the archive does not have all of them.

        No two owners have sources of one number.
        """
        with self.connected() as connection:
            wanted = Segment(source_id, generation, offset, offset + length, 0, b"")
            return self._bytes(connection, wanted)

    def _bytes(self, connection: Connection, wanted: Segment) -> bytes | None:
        place = {"source_id": wanted.source_id, "generation": wanted.generation}
        found = self._pieces(connection, place, wanted.offset, wanted.end)
        held = [piece.segment for piece in found if self._is_whole(piece.segment)]
        return sliced(held, wanted.offset, wanted.end - wanted.offset)

    def _pieces(
        self,
        connection: Connection,
        place: dict[str, int],
        after: int,
        before: int,
        passed: tuple[int, int] = (-1, -1),
        limit: int | None = None,
    ) -> list[ArchivePiece]:  # fmt: skip
        span = {"after": after, "before": before, "b": passed[0], "e": passed[1], "limit": limit}
        return [_piece(row) for row in self._binary(connection, _PIECES, **span, **place)]

    def _binary(self, connection: Connection, ask: str, **values: Any) -> list[Row]:
        with connection.cursor(binary=True) as cursor:
            return cursor.execute(ask.encode(), {**values, "visible": self.visible}).fetchall()

    def _is_whole(self, segment: Segment) -> bool:
        if is_whole(segment):
            return True
        name = f"{segment.source_id}.{segment.generation}.{segment.offset}"
        self.damaged.add(f"archived piece {name} is damaged")
        return False

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        """Keep the files of long tool outputs; one that was kept before is replaced."""
        with self.connected() as connection, connection.transaction():
            for file, data in outputs:
                self.keep_output(connection, file, pieces(packed(0, 0, 0, data)))

    def keep_output(
        self,
        connection: Connection,
        file: OutputFile,
        found: Iterable[ArchivePiece],
        source_id: int | None = None,
        begins: int = 0,
    ) -> None:
        """Keep some bytes of an output; the first ones take the place of all that is there."""
        names = {name: searchable(getattr(file, name)) for name in file.__struct_fields__}
        values = {**names, "owner": self.owner, "source_id": source_id}
        if begins == 0:
            connection.execute(_DROP_OUTPUT.encode(), values)
            connection.execute(_ADD_OUTPUT.encode(), values)
        ((number,),) = connection.execute(_OUTPUT.encode(), values).fetchall()
        with connection.cursor().copy(_COPY_OUTPUT) as copy:
            for one, _ in found:
                span = one.offset, one.end, one.checksum, one.packed
                copy.write_row((self.owner, number, *span))

    def outputs(self) -> list[OutputFile]:
        """Every output that is archived, as its file was then."""
        return [OutputFile(*row) for row in self.every(_OUTPUTS)]

    def output(self, root: str, path: str) -> bytes | None:
        """An archived output; None where it is not there, or damaged."""
        names = {"root": searchable(root), "path": searchable(path)}
        with self.connected() as connection:
            rows = self._binary(connection, _OUTPUT_PIECES, **names)
        if not rows:
            return None
        found = [Segment(*row[:6]) for row in rows if row[2] is not None]
        data = sliced(found, 0, max((one.end for one in found), default=0))
        if data is None:
            self.damaged.add(f"archived output {path} is damaged")
        return data

    def erase(
        self,
        source_ids: Collection[int],
        outputs: Collection[tuple[str, str]] = (),
        instead: Iterable[Segment] = (),
    ) -> None:
        """Take sources and outputs out for good: their tables are written again without them.

        Logs and backups of the database keep bytes as long as its administrator has them do.
        """
        replaced = list(instead)
        touched = [*source_ids, *(one.source_id for one in replaced)]
        owned: dict[str, Any] = {"owner": self.owner, "ids": list(source_ids)}
        with self.connected() as connection:
            rows = connection.execute(_TABLES_OF.encode(), {**owned, "ids": touched}).fetchall()
            with connection.transaction():
                for table in ("segment", "generation"):
                    drop = (
                        f"DELETE FROM {table} WHERE owner = %(owner)s AND source_id = ANY(%(ids)s)"  # noqa: S608
                    )
                    connection.execute(drop.encode(), owned)
                for root, path in outputs:
                    names = {"root": searchable(root), "path": searchable(path)}
                    connection.execute(_DROP_OUTPUT.encode(), {**owned, **names})
                for one in replaced:
                    self._replace(connection, one)
            for (table,) in [*rows, ("generation",), ("output",), ("output_piece",)]:
                connection.execute(f"VACUUM FULL {table}".encode())

    def _replace(self, connection: Connection, new: Segment) -> None:
        """Put bytes in the place of as many others, however these are cut."""
        place = {"source_id": new.source_id, "generation": new.generation}
        found = [one.segment for one in self._pieces(connection, place, new.offset, new.end)]
        data = unpacked(new)
        if not found or data is None:
            return
        begins, ends = found[0].offset, found[-1].end
        before = sliced(found, begins, max(0, new.offset - begins)) or b""
        after = sliced(found, new.end, max(0, ends - new.end)) or b""
        for one in found:
            span = {"begins": one.offset, "ends": one.end, "owner": self.owner}
            connection.execute(_DROP_RUN.encode(), {**place, **span})
        first = min(begins, new.offset)
        whole = pieces_of(place, first, before + data + after)
        _copy(connection, self.owner, whole, _now(connection))

    def check(self) -> list[str]:
        """Read every piece and every output; the names of all that are damaged."""
        self.damaged.clear()
        for source_id, generation in self.every(_EVERY):
            for _ in self._walk({"source_id": source_id, "generation": generation}, 0):
                pass
        for file in self.outputs():
            self.output(file.root, file.path)
        return sorted(self.damaged)

    def sizes(self) -> dict[str, int]:
        """Bytes packed, and bytes they were before; how many outputs there are among them."""
        ((packed_bytes, archived, count, output_bytes),) = self.every(_SIZES)
        return {
            "raw_bytes": packed_bytes,
            "archived_bytes": archived,
            "outputs": count,
            "output_bytes": output_bytes,
        }


def _piece(row: Row) -> ArchivePiece:
    return ArchivePiece(Segment(*row[:6]), row[6])


def _copy(connection: Connection, owner: int, found: Iterable[ArchivePiece], now: int) -> None:
    with connection.cursor().copy(_COPY) as copy:
        for one, is_cut in found:
            place = owner, one.source_id, one.generation, one.offset, now, one.end
            copy.write_row((*place, is_cut, one.checksum, one.packed))


def _now(connection: Connection) -> int:
    ((now,),) = connection.execute(NOW).fetchall()
    return int(now)
