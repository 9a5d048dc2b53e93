"""The archive: segments in raw.db, checked whenever they are read."""

from collections.abc import Iterator
from threading import Lock

from unspool.model.files import OutputFile
from unspool.model.rows import Segment, SourceRow
from unspool.store.pack import is_whole, unpacked
from unspool.store.sqlite.connection import ReaderPool, Row

NAMES = ("source_id", "generation", "root", "path", "kind", "project_id", "session_id", "agent_id")
HOLDER = """
    SELECT id, begins, ends, checksum FROM segment
    WHERE source_id = ?1 AND generation = ?2 AND begins <= ?3 AND ends > ?3
    ORDER BY begins DESC LIMIT 1
"""
_NEXT = """
    SELECT source_id, generation, begins, ends, checksum, packed FROM segment
    WHERE source_id = ?1 AND generation = ?2 AND ends > ?3 AND (begins, ends) > (?4, ?5)
    ORDER BY begins, ends LIMIT 1
"""
_HAS_OUTPUTS = "SELECT 1 FROM sqlite_schema WHERE name = 'output'"
_OUTPUTS = "SELECT root, path, project_id, session_id, size, mtime_ns FROM output ORDER BY id"
_OUTPUT = "SELECT 0, 0, 0, size, checksum, packed FROM output WHERE root = ? AND path = ?"
ONE = """
    SELECT source_id, generation, begins, ends, checksum, packed FROM segment WHERE id = ?
"""


class RawDatabase:
    """Reads raw.db. A damaged segment is named in `damaged`; all others stay readable."""

    def __init__(self, readers: ReaderPool) -> None:
        self._readers = readers
        self._lock = Lock()
        self._last: tuple[Row, bytes] | None = None
        self.damaged: set[str] = set()

    def generations(self) -> list[SourceRow]:
        """Every generation that was named, oldest first."""
        rows = self._readers.every("SELECT * FROM generation ORDER BY source_id, generation")
        return [SourceRow(**dict(zip(NAMES, row, strict=True))) for row in rows]

    def end(self, source_id: int, generation: int) -> int:
        """Up to where a generation is there without a gap."""
        end = 0
        ask = (
            "SELECT begins, ends FROM segment WHERE (source_id, generation) = (?, ?) ORDER BY 1, 2"
        )
        for begins, ends in self._readers.every(ask, (source_id, generation)):
            if begins > end:
                break
            end = max(end, ends)
        return end

    def segments(self, source_id: int, generation: int, after: int = 0) -> Iterator[Segment]:
        """A generation's segments from a place on, in order, without the damaged ones."""
        at, passed = after, (-1, -1)
        # By place, not from a list: what is on a list may be gathered while it is read.
        while segment := self._read(_NEXT, (source_id, generation, at, *passed)):
            if self._is_whole(segment):
                at = segment.end
                yield segment
            else:
                passed = segment.offset, segment.end

    def bytes_at(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        """A run of bytes; None unless all of them are there."""
        found, at, end = [], offset, offset + length
        while at < end:
            holder = self._readers.first(HOLDER, (source_id, generation, at))
            data = None if holder is None else self._unpacked(holder)
            if holder is None or data is None:
                if holder != self._readers.first(HOLDER, (source_id, generation, at)):
                    continue  # it was gathered just now
                return None
            _, begins, ends, _ = holder
            found.append(data[at - begins : end - begins])
            at = ends
        return b"".join(found)

    def outputs(self) -> list[OutputFile]:
        """Every file of a tool's output that was kept."""
        return [OutputFile(*row) for row in self._readers.every(_OUTPUTS)] if self._has() else []

    def output(self, root: str, path: str) -> bytes | None:
        """One of them; None where it is not there, or damaged."""
        found = self._read(_OUTPUT, (root, path)) if self._has() else None
        data = None if found is None else unpacked(found)
        if found is not None and data is None:
            self.damaged.add(f"archived output {path} is damaged")
        return data

    def _has(self) -> bool:
        """Whether it knows of outputs: one of an earlier version may only be read yet."""
        return self._readers.first(_HAS_OUTPUTS) is not None

    def _read(self, ask: str, values: Row) -> Segment | None:
        row = self._readers.first(ask, values)
        return None if row is None else Segment(*row)

    def _is_whole(self, segment: Segment) -> bool:
        if not is_whole(segment):
            self._blame(segment)
            return False
        return True

    def _unpacked(self, holder: Row) -> bytes | None:
        """Lines are read one by one, so the last segment is kept open."""
        with self._lock:
            if self._last and self._last[0] == holder:
                return self._last[1]
        segment = self._read(ONE, holder[:1])
        data = None if segment is None else unpacked(segment)
        if data is None:
            if segment is not None:
                self._blame(segment)
            return None
        with self._lock:
            self._last = holder, data
        return data

    def _blame(self, segment: Segment) -> None:
        name = f"{segment.source_id}.{segment.generation}.{segment.offset}"
        self.damaged.add(f"archived segment {name} is damaged")

    def check(self) -> set[str]:
        """Read every segment; the names of all that are damaged."""
        self.damaged.clear()
        for found in self._readers.every("SELECT id FROM segment ORDER BY id"):
            segment = self._read(ONE, found)
            if segment is not None:
                self._is_whole(segment)
        for file in self.outputs():
            self.output(file.root, file.path)
        return self.damaged

    def sizes(self) -> dict[str, int]:
        """Bytes packed, and bytes they were before; how many outputs there are among them."""
        ask = "SELECT sum(length(packed)), sum(ends - begins) FROM segment"
        ((packed, archived),) = self._readers.every(ask)
        count = output_packed = outputs = 0
        if self._has():
            ask = "SELECT count(*), sum(length(packed)), sum(size) FROM output"
            ((count, output_packed, outputs),) = self._readers.every(ask)
        return {
            "raw_bytes": (packed or 0) + (output_packed or 0),
            "archived_bytes": archived or 0,
            "outputs": count,
            "output_bytes": outputs or 0,
        }
