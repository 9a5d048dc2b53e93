"""A hub's tables -> Parquet files, one for each UTC day and machine, and what is in them.

    DIR/manifest.json
    DIR/usage/day=2026-01-31/part-laptop.parquet

A file is written aside and takes its name when it is complete. Before a run changes any, the
manifest says which are in doubt; so a run that was stopped is finished by the next one.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Final

import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from msgspec import Struct

from unspool.errors import ConfigError, StoreFull
from unspool.json_depth import shallow
from unspool.store.postgres.database import Pool, Row
from unspool.store.postgres.export import COLUMNS, DayDigest, ExportReader, ExportSnapshot
from unspool.store.postgres.people import PeopleTable
from unspool.store.sqlite.lock import WriterLock
from unspool.system.files import replace, sync_directory

FORMAT: Final = 1  # of the manifest
MANIFEST: Final = "manifest.json"
_LOCK: Final = ".lock"
_ASIDE: Final = ".unfinished"
_GROUP: Final = 20_000  # rows that are held, and written together
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TYPES: Final = {
    "text": pa.string(),
    "int": pa.int64(),
    # A response fits into 64 bits, the sum of a large team does not, and readers add up in the
    # type of the column.
    "pico": pa.decimal128(38, 0),
    "time": pa.timestamp("ms", tz="UTC"),
    "bool": pa.bool_(),
}


class ExportedPart(Struct, omit_defaults=True):
    """The file of a day and a machine, and the run that wrote or removed it.

    Without a digest it is in doubt; without rows it was removed.
    """

    run: int
    rows: int = 0
    digest: str | None = None


class ExportedTable(Struct):
    """The files of a table by day and machine; those from `since` on are true for `seq`.

    While a run changes files, and after one that was stopped, there is no `seq`.
    """

    seq: int | None = None
    since: str | None = None
    days: dict[str, dict[str, ExportedPart]] = {}


class ExportManifest(Struct):
    """What is in a directory; `run` counts the runs that changed a file."""

    format: int = FORMAT
    run: int = 0
    tables: dict[str, ExportedTable] = {}


class TableReport(Struct):
    """How many files a run wrote, removed and left as they are, and the rows it wrote."""

    written: int
    removed: int
    unchanged: int
    rows: int


class ExportReport(Struct):
    """What a run did; what the files have is true for `seq`."""

    directory: str
    seq: int
    run: int
    tables: dict[str, TableReport]


def export(pool: Pool, directory: Path, tables: Collection[str], since: int = 0) -> ExportReport:
    """Bring the files of some tables up to date, from a day since 1970 on."""
    owners = PeopleTable(pool).owners()
    reader = ExportReader(pool, 0, 0, owners)
    with ExitStack() as stack:
        try:
            _make_directory(directory)
            stack.callback(WriterLock(directory / _LOCK).release)
            files = _ExportDirectory(directory)
            snapshot = stack.enter_context(reader.snapshot())
            done = {table: _TableExport(files, snapshot, table, since).run() for table in tables}
        except OSError as error:
            raise StoreFull(f"{directory} cannot be written ({error})") from error
    return ExportReport(str(directory), snapshot.seq, files.manifest.run, done)


class _ExportDirectory:
    """The files and the manifest of one directory, which is locked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = self._read()
        self.run = self.manifest.run + 1

    def _read(self) -> ExportManifest:
        try:
            data = (self.path / MANIFEST).read_bytes()
        except FileNotFoundError:
            if others := {one.name for one in self.path.iterdir()} - {_LOCK, _ASIDE}:
                raise ConfigError(
                    f"{self.path} has {min(others)}, but no {MANIFEST} from an export:"
                    " give an empty or new directory."
                ) from None
            return ExportManifest()
        try:
            found = msgspec.json.decode(shallow(data), type=ExportManifest)
        except ValueError as error:
            raise ConfigError(f"{self.path / MANIFEST} is not from an export: {error}") from None
        if found.format != FORMAT:
            raise ConfigError(
                f"Another version of unspool wrote {self.path}: give another directory."
            )
        return found

    def write_manifest(self) -> None:
        """Write it whole."""
        data = msgspec.json.format(msgspec.json.encode(self.manifest), indent=1)
        with self._written(self.path / MANIFEST) as file:
            file.write(data)

    def file(self, table: str, day: str, machine: str) -> Path:
        """Where the rows of a day and a machine are."""
        return self.path / table / f"day={day}" / f"part-{machine}.parquet"

    def put(self, path: Path, table: str, rows: Iterator[Row]) -> None:
        """Write rows as they come; a file of that name is replaced once all are there."""
        schema = pa.schema((name, _TYPES[one.kind]) for name, one in COLUMNS[table].items())
        with self._written(path) as file, pq.ParquetWriter(
            file, schema, compression="zstd"
        ) as writer:  # fmt: skip
            while some := list(islice(rows, _GROUP)):
                columns = zip(*some, strict=True)
                arrays = [pa.array(*one) for one in zip(columns, schema.types, strict=True)]
                writer.write_batch(pa.record_batch(arrays, schema=schema))

    def remove(self, path: Path) -> None:
        """Remove a file, and its day if it was the last: the manifest does not know it any more."""
        with suppress(FileNotFoundError):
            path.unlink()
        above = path.parent
        with suppress(OSError):
            above.rmdir()
            above = above.parent
        with suppress(FileNotFoundError):
            sync_directory(above)

    def _written(self, path: Path) -> "_WholeFile":
        return _WholeFile(self.path / _ASIDE, path)


class _WholeFile:
    """A file that takes its name when it is complete and on the disk."""

    def __init__(self, aside: Path, path: Path) -> None:
        self._aside, self._path = aside, path

    def __enter__(self) -> IO[bytes]:
        self._file = open(self._aside, "wb")  # one that a killed run left is written over
        return self._file

    def __exit__(self, kind: object, *_: object) -> None:
        with self._file:
            if kind is None:
                self._file.flush()
                os.fsync(self._file.fileno())
        if kind is not None:
            self._aside.unlink()
            return
        above = self._path.parent
        _make_directory(above)
        replace(self._aside, self._path)
        sync_directory(above)


class _TableExport:
    """One table of a run: what differs from the manifest is written or removed."""

    def __init__(
        self, files: _ExportDirectory, snapshot: ExportSnapshot, table: str, since: int
    ) -> None:
        self._files, self._snapshot, self._table, self._since = files, snapshot, table, since
        self._known = files.manifest.tables.setdefault(table, ExportedTable())

    def run(self) -> TableReport:
        """Bring the files up to date, and the manifest after them."""
        now = {
            (_date(one.day), one.machine): one
            for one in self._snapshot.digests(self._table, self._since)
        }
        changed = [one for place, one in now.items() if not self._is_current(place, one)]
        gone = [place for place in self._files_there() if place not in now]
        before = self._known.seq, self._known.since
        since = _date(self._since) if self._since else None
        if changed or gone:
            self._change(changed, gone)
        if changed or gone or before != (self._snapshot.seq, since):
            self._known.seq, self._known.since = self._snapshot.seq, since
            self._files.write_manifest()
        return TableReport(
            written=len(changed),
            removed=len(gone),
            unchanged=len(now) - len(changed),
            rows=sum(one.rows for one in changed),
        )

    def _change(self, changed: list[DayDigest], gone: list[tuple[str, str]]) -> None:
        self._files.manifest.run = run = self._files.run
        self._known.seq = None
        for day, machine in [*((_date(one.day), one.machine) for one in changed), *gone]:
            self._known.days.setdefault(day, {})[machine] = ExportedPart(run)
        self._files.write_manifest()
        self._write(changed)
        for day, machine in gone:
            self._files.remove(self._files.file(self._table, day, machine))
            self._known.days[day][machine].digest = ""

    def _write(self, changed: list[DayDigest]) -> None:
        wanted = {(one.day, one.machine): one for one in changed}
        machine_at = 1 + list(COLUMNS[self._table]).index("machine")
        with closing(self._snapshot.rows(self._table, list(wanted))) as rows:
            for place, mine in groupby(rows, key=lambda row: (row[0], row[machine_at])):
                one, day = wanted[place], _date(place[0])
                path = self._files.file(self._table, day, one.machine)
                self._files.put(path, self._table, (row[1:] for row in mine))
                part = self._known.days[day][one.machine]
                part.rows, part.digest = one.rows, one.digest

    def _is_current(self, place: tuple[str, str], now: DayDigest) -> bool:
        day, machine = place
        part = self._known.days.get(day, {}).get(machine)
        if part is None or (part.rows, part.digest) != (now.rows, now.digest):
            return False
        return self._files.file(self._table, day, machine).exists()

    def _files_there(self) -> Iterator[tuple[str, str]]:
        """All that may be there, of the days that are looked at."""
        for day, parts in self._known.days.items():
            if day >= _date(self._since):
                yield from ((day, machine) for machine, it in parts.items() if it.digest != "")


def _make_directory(path: Path) -> None:
    """Make a directory, and those above it: their names outlast a power cut, as their files do."""
    if not path.is_dir():
        _make_directory(path.parent)
        path.mkdir(exist_ok=True)
        sync_directory(path.parent)


def _date(day: int) -> str:
    return f"{_EPOCH + timedelta(days=day):%Y-%m-%d}"
