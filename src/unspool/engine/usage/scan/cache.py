"""`cost.cache`: what a scan found in each file, and what the last report saw.

A file is scanned again only when it changes. Where nothing has changed at all, which a look at
each file and directory tells, a report by days needs nothing but the first part. Nothing here is
the only copy of anything: a file that is damaged, or of another version, is as good as none.
"""

import json
import os
import struct
import zlib
from array import array
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from unspool.model.usage import Tokens, UsageRow
from unspool.private_files import write_private
from unspool.source.roots import RootPlace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from unspool.model.usage import TotalRow

NAME = "cost.cache"
MOST_BYTES = 256 * 1024 * 1024
_MAGIC = b"unspool cost.cache 1\n"
_PART = struct.Struct(">QI")  # length and checksum of each part
_PARTS = 3
_HEAD = len(_MAGIC) + _PARTS * _PART.size
# A change this soon after another may leave no trace in the time of a directory.
_TICK = 2_000_000_000

FileKey: TypeAlias = tuple[str, int, int, str]  # path, size, mtime_ns, project
# Quarter, agent, model, then as in `Spend`.
FileSum: TypeAlias = tuple[int | str, ...]


class ScanJob(NamedTuple):
    """A file to scan."""

    path: str
    size: int
    shared: frozenset[int] | None = frozenset()  # hashes of responses others have too; None: all


class ScannedUsage(NamedTuple):
    """What one file used: rows of responses that other files have too, sums of the others."""

    path: str
    size: int
    mtime_ns: int  # 0: to be scanned again, whatever its time is
    project_id: str
    session_id: str
    sums: list[FileSum]
    rows: list[UsageRow]
    hashes: bytes  # `key_hash` of every response, in an array of 4-byte numbers

    @property
    def key(self) -> FileKey:
        """What tells a file that has changed from one that has not."""
        return self.path, self.size, self.mtime_ns, self.project_id

    @property
    def totals(self) -> "list[TotalRow]":
        """The sums under their full names."""
        owner = self.project_id, self.session_id
        return [(one[0], *owner, *one[1:]) for one in self.sums]

    def plain(self) -> tuple[Any, ...]:
        """The same of nothing but plain values."""
        return *self[:6], [_plain_row(row) for row in self.rows], self.hashes


class Snapshot(NamedTuple):
    """All that the last report was made from, and its sums by the days of the reader's clock."""

    places: "list[RootPlace]"
    prices: str
    ledger: tuple[int, ...]
    folders: list[tuple[str, int]]
    files: list[FileKey]
    days: "list[TotalRow]"
    clock: list[tuple[int, int]]  # from when on it is how far ahead

    def is_of(self, places: "list[RootPlace]", prices: str) -> bool:
        """Whether it is of these roots and prices."""
        return self.prices == prices and self.places == places

    def stands(self, ledger: tuple[int, ...]) -> bool:
        """Whether the index, the directories and the files are as they were.

        A file can only come or go in a directory that changes.
        """
        lstat, stat = os.lstat, os.stat
        if list(ledger) != list(self.ledger):
            return False
        try:
            for path, at in self.folders:
                if stat(path).st_mtime_ns != at:
                    return False
            for path, size, at, _ in self.files:
                info = lstat(path)
                if info.st_mtime_ns != at or info.st_size != size:
                    return False
        except OSError:
            return False
        return True

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last day there is."""
        return span_of(self.days)


def span_of(totals: "list[TotalRow]") -> tuple[int, int]:
    """The first and the last time of some sums."""
    times = [int(total[0]) for total in totals if total[0]]
    return min(times, default=0), max(times, default=0)


def key_hash(key: str) -> int:
    """What a response is looked up by, here and in the index."""
    return zlib.crc32(key.encode("utf-8", "replace"))


def usage_of(plain: "tuple[Any, ...] | list[Any]") -> ScannedUsage:
    """The other way round."""
    *fields, rows, hashes = plain
    return ScannedUsage._make((*fields, [_row(row) for row in rows], hashes))


def _plain_row(row: UsageRow) -> tuple[Any, ...]:
    key, rank, claim, at, is_finished, model, tokens, *rest = row
    packed = rank.decode("latin-1"), claim.decode("latin-1")
    return key, *packed, at, is_finished, model, tuple(tokens), *rest


def _row(plain: "tuple[Any, ...] | list[Any]") -> UsageRow:
    key, rank, claim, at, is_finished, model, tokens, *rest = plain
    packed = rank.encode("latin-1"), claim.encode("latin-1")
    return UsageRow(key, *packed, at, is_finished, model, Tokens(*tokens), *rest)


def read_snapshot(home: str) -> Snapshot | None:
    """What the last report was made from, if that is known."""
    found = _read(home, 1)
    with suppress(ValueError, TypeError):
        if found and (fields := json.loads(found[0])):
            made = Snapshot._make(fields)
            places = [RootPlace(*place) for place in made.places]
            return made._replace(places=places, clock=[(at, ahead) for at, ahead in made.clock])
    return None


def read_usages(home: str, prices: str) -> dict[str, ScannedUsage]:
    """What files used by these prices, when they were last scanned, by their paths."""
    found, made = _read(home, _PARTS), dict[str, ScannedUsage]()
    with suppress(ValueError, TypeError):
        if found is None or (fields := json.loads(found[1]))[0] != prices:
            return {}
        at = 0
        for *plain, count in fields[1]:
            end = at + 4 * count
            made[plain[0]] = usage_of([*plain, found[2][at:end]])
            at = end
        return made
    return {}


def write(
    home: str, snapshot: Snapshot | None, prices: str, usages: "Iterable[ScannedUsage]"
) -> None:
    """Save both for the next report; if nothing can be written, that one is only slower."""
    plain = [usage.plain() for usage in usages]
    counted = [(*fields, len(hashes) // 4) for *fields, hashes in plain]
    parts = (
        json.dumps(snapshot, separators=(",", ":")).encode(),
        json.dumps((prices, counted), separators=(",", ":")).encode(),
        b"".join(fields[-1] for fields in plain),
    )
    if sum(map(len, parts)) > MOST_BYTES:
        return
    sizes = b"".join(_PART.pack(len(part), zlib.crc32(part)) for part in parts)
    with suppress(OSError):
        write_private(os.path.join(home, NAME), (_MAGIC, sizes, *parts))


def _read(home: str, count: int) -> list[bytes] | None:
    """The first parts of the file; None where it is not as it was written."""
    with suppress(OSError), open(os.path.join(home, NAME), "rb") as file:
        head = file.read(_HEAD)
        if not head.startswith(_MAGIC) or len(head) < _HEAD:
            return None
        sizes = [*_PART.iter_unpack(head[len(_MAGIC) :])]
        if _HEAD + sum(length for length, _ in sizes) != os.fstat(file.fileno()).st_size:
            return None
        parts = [file.read(length) for length, _ in sizes[:count]]
        if all(zlib.crc32(part) == sum_ for part, (_, sum_) in zip(parts, sizes, strict=False)):
            return parts
    return None


def hashes_of(usage: ScannedUsage) -> set[int]:
    """Its hashes as numbers."""
    return set(array("I", usage.hashes))


def folder_times(folders: "Iterable[str]") -> list[tuple[str, int]]:
    """When each directory last changed."""
    found = []
    for path in folders:
        with suppress(OSError):
            found.append((path, os.stat(path).st_mtime_ns))
    return found


def are_settled(folders: list[tuple[str, int]], now: int) -> bool:
    """Whether a change from now on would show; `now` in nanoseconds."""
    return max((at for _, at in folders), default=0) < now - _TICK
