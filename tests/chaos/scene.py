"""A root whose files have pasts, and the index that has to keep up with them."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import root_of
from unspool.decode.lines import decode, salvage_parts
from unspool.derive.reading.messages import read
from unspool.derive.usage.file_usage import message_key
from unspool.engine.ids import source_id
from unspool.engine.indexing.indexer import Indexer
from unspool.model.rows import Batch, SourceRow
from unspool.model.transcript import Unreadable
from unspool.model.usage import Price
from unspool.store.contract import unpriced
from unspool.store.sqlite.store import SqliteStore

Place: TypeAlias = tuple[int, int]  # offset and length
QUIET = 60_000
_MEMORY = Path("/dev/shm")  # where a machine has it, a thousand histories cost no disk

_ROWS = """
    SELECT "offset", length, line_number FROM lines
    WHERE source_id = ?1 AND generation = ?2 AND NOT superseded
    UNION ALL
    SELECT "offset", length, line_number FROM bad_lines
    WHERE source_id = ?1 AND generation = ?2 AND NOT superseded
    ORDER BY 1
"""

_PLACES = """
    SELECT source_id, generation, "offset", length FROM lines
    UNION ALL SELECT source_id, generation, "offset", length FROM bad_lines
"""


class Killed(BaseException):
    """The process died here."""


class Mortal(SqliteStore):
    """Takes no row without its bytes; dies between archive and index, once it is told to."""

    is_doomed = False

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        for source in (batch.source for batch in batches):
            assert self.archived(source.source_id, source.generation) >= source.offset
        if self.is_doomed:
            raise Killed
        return super().commit(batches, price)


class Scene:
    """Files, their clock, and an index of them; `told` is every line that was ever committed."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(dir=_MEMORY if _MEMORY.is_dir() else None))
        self.home = self.place / "home"
        self.root = root_of(self.place / "root")
        self.project = Path(self.root.projects, "p")
        self.project.mkdir()
        self.now = 1_790_000_000_000
        self.told: dict[tuple[int, int, int, int], bytes] = {}
        self.open()

    def open(self) -> None:
        """Start the process."""
        self.store = Mortal(self.home)
        self.indexer = Indexer(self.store, [self.root], TABLE)

    def restart(self) -> None:
        """End it and start it again."""
        self.store.close()
        self.open()

    def clean_up(self) -> None:
        """Remove everything."""
        self.store.close()
        shutil.rmtree(self.place)

    def path(self, name: str) -> Path:
        """Where a session's transcript lies."""
        return self.project / f"{name}.jsonl"

    def sign(self, path: Path) -> None:
        """Let the clock go on, so that no two writes carry the same time."""
        self.now += 1_000
        os.utime(path, ns=(self.now * 1_000_000, self.now * 1_000_000))

    def files(self) -> list[Path]:
        """The transcripts there are."""
        return sorted(self.project.glob("*.jsonl"))

    def sweep(self, *, quiet: bool) -> None:
        """Index what there is, and compare."""
        self.now += QUIET if quiet else 0
        self.indexer.sweep(self.now)
        self.compare(quiet=quiet)

    def compare(self, *, quiet: bool) -> None:
        """The index has each line of each file, once and in its place."""
        for path in self.files():
            self._compare(path, quiet=quiet)

    def _compare(self, path: Path, *, quiet: bool) -> None:
        data = path.read_bytes()
        source = self.source(path) or SourceRow(
            source_id=0, root="", path="", kind="main", project_id="", session_id=""
        )
        rows = self.rows(source)
        whole = data.rfind(b"\n") + 1
        expected = list(records(data[:whole]))
        if not quiet:
            rows = [row for row in rows if row[0] < source.offset]
        elif is_whole(data[whole:]):
            expected += records(data[whole:] + b"\n", whole, data.count(b"\n"))
        assert rows == expected
        assert source.lines == data.count(b"\n")
        for offset, length, _ in expected:
            if offset < whole:
                place = source.source_id, source.generation, offset, length
                self.told[place] = data[offset : offset + length]

    def source(self, path: Path) -> SourceRow | None:
        """What the index knows of a file."""
        name = source_id(self.root.path, str(path.relative_to(self.root.path)))
        return next((one for one in self.store.sources() if one.source_id == name), None)

    def rows(self, source: SourceRow) -> list[tuple[Any, ...]]:
        """Places and numbers of all lines of its generation, good and bad."""
        return self.store.sql(_ROWS, (source.source_id, source.generation), limit=10**6)[1]

    def assert_nothing_is_lost(self) -> None:
        """Every line that was ever committed can be read back as it was."""
        for place, line in self.told.items():
            assert self.store.raw(*place) == line

    def assert_rows_have_their_bytes(self) -> None:
        """What a row names is in the archive, whatever became of the files."""
        _, rows = self.store.sql(_PLACES, limit=10**6)
        assert rows
        assert [row for row in rows if self.store.raw(*row) is None] == []

    def assert_all_is_counted(self) -> None:
        """Every response that was ever committed is in the ledger."""
        said = (read(entry, 1) for line in self.told.values() for entry in decode(line))
        used = {message_key(message) for message in said if message and message.tokens}
        _, counted = self.store.sql("SELECT message_key FROM usage", limit=10**6)
        assert used <= {name for (name,) in counted}

    def assert_sound(self) -> None:
        """The files of the store are whole, and its counters agree with its rows."""
        assert self.store.check(thorough=True) == []
        ((lines,),) = self.store.sql("SELECT count(*) FROM lines WHERE NOT superseded")[1]
        assert self.store.status().lines == lines


def records(data: bytes, base: int = 0, before: int = 0) -> Iterable[tuple[int, int, int]]:
    """Offset, length and line number of every record in whole lines."""
    at = base
    for number, line in enumerate(data.split(b"\n")[:-1], before + 1):
        for part in salvage_parts(line):
            yield at + part.start, part.end - part.start, number
        at += len(line) + 1


def is_whole(line: bytes) -> bool:
    """Whether a line without its newline is worth showing."""
    found = salvage_parts(line)
    return bool(found) and not any(isinstance(part.entry, Unreadable) for part in found)
