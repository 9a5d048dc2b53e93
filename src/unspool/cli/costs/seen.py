"""What the last report saw -> whether all of it is as it was, told by a look at each file.

A file can only come or go in a directory that changes, so where none has nothing is listed; and
as long as the ledger is the same file, the sums of its days need not be added up again.
"""

import marshal
import os
import sys
import time
import zlib
from contextlib import suppress
from typing import NamedTuple

from unspool.cli import paths
from unspool.model.costs import Total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.source.files import FileState
    from unspool.source.roots import Place

    Change = tuple[int, int]

_FORM = 1, sys.hexversion
# A change this soon after another may leave no trace in the time of a directory.
_TICK = 2_000_000_000


class Seen(NamedTuple):
    """Roots, the ledger of them, and the sums of its days on the reader's clock."""

    places: "list[Place]"
    prices: str
    ledger: tuple[int, ...]
    folders: list[tuple[str, int]]
    files: "list[FileState]"
    days: list[Total]
    clock: "list[Change]"  # from when on it is how far ahead

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last day there is."""
        times = [int(total[0]) for total in self.days if total[0]]
        return min(times, default=0), max(times, default=0)


def read(home: str) -> Seen | None:
    """What was seen last, if that is known."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        with open(_file(home), "rb") as file:
            data = file.read()
        if int.from_bytes(data[:4], "big") == zlib.crc32(data[4:]):
            form, *seen = marshal.loads(data[4:])  # noqa: S302 - our own file, and whole
            return Seen(*seen) if form == _FORM else None
    return None


def write(home: str, seen: Seen) -> None:
    """Note it for the next report."""
    plain = seen._replace(places=list(map(tuple, seen.places)))  # type: ignore[arg-type]
    data, aside = marshal.dumps((_FORM, *plain)), f"{_file(home)}-{os.getpid()}"
    with suppress(OSError):
        made = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(made, "wb") as file:
            file.write(zlib.crc32(data).to_bytes(4, "big") + data)
        os.replace(aside, _file(home))


def stands(seen: Seen, home: str) -> bool:
    """Whether the ledger, the directories and the files are as they were."""
    lstat = os.lstat
    try:
        if ledger_state(home) != seen.ledger:
            return False
        for path, at in seen.folders:
            if os.stat(path).st_mtime_ns != at:
                return False
        for path, size, at in seen.files:
            info = lstat(path)
            if info.st_mtime_ns != at or info.st_size != size:
                return False
    except OSError:
        return False
    return True


def ledger_state(home: str) -> tuple[int, ...]:
    """What changes with every write to a ledger; nothing where there is none."""
    path = os.path.join(home, paths.INDEX)
    state: tuple[int, ...] = ()
    with suppress(OSError):
        info = os.stat(path)
        state = info.st_ino, info.st_size, info.st_mtime_ns
        log = os.stat(f"{path}-wal")
        if log.st_size:  # an empty one comes and goes with whoever reads
            return *state, log.st_size, log.st_mtime_ns
    return state


def folders(places: "list[Place]") -> list[tuple[str, int]]:
    """Every directory in which a transcript can appear, and when it last changed."""
    from unspool.source.files import scan_folders

    found = []
    for path in (path for place in places for path in scan_folders(place)):
        with suppress(OSError):
            found.append((path, os.stat(path).st_mtime_ns))
    return found


def are_settled(folders: list[tuple[str, int]]) -> bool:
    """Whether a change from now on would show."""
    return max((at for _, at in folders), default=0) < time.time_ns() - _TICK


def _file(home: str) -> str:
    return os.path.join(home, "cost.seen")
