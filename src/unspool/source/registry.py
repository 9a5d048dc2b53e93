"""A root -> its live registry: `sessions/<pid>.json` as bytes, and whether that process lives."""

import os
from pathlib import Path

from unspool.errors import UnspoolError
from unspool.model.files import RegistryFile
from unspool.source.claude_code import REGISTRY_NAME
from unspool.source.reader import FileLines

_LONGEST = 1024 * 1024
_SLACK_NS = 60_000_000_000  # clocks are set while processes run


def registry(root: str | Path) -> list[RegistryFile]:
    """Read every entry. The `*.key` files beside them hold tokens and are never opened."""
    directory = os.path.join(root, "sessions")
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    pids = ((int(found[1]), name) for name in names if (found := REGISTRY_NAME.fullmatch(name)))
    entries = (_entry(pid, os.path.join(directory, name)) for pid, name in pids)
    return [entry for entry in entries if entry]


def entry(path: str | Path) -> RegistryFile | None:
    """Read one entry; None where it is none, or its session has ended."""
    found = REGISTRY_NAME.fullmatch(os.path.basename(path))
    return _entry(int(found[1]), os.fspath(path)) if found else None


def is_alive(pid: int, wrote_ns: int | None = None) -> bool:
    """Whether a process of this number exists, be it ours or not.

    One born after its file was last written (`wrote_ns`) has only inherited the number.
    """
    try:
        os.kill(pid, 0)
    except PermissionError:
        pass
    except (OSError, OverflowError):
        return False
    born = None if wrote_ns is None else _born(pid)
    return wrote_ns is None or born is None or born <= wrote_ns + _SLACK_NS


def _entry(pid: int, path: str) -> RegistryFile | None:
    try:
        with FileLines(path) as file:
            data = file.read(0, _LONGEST)
            wrote = file.stat().st_mtime_ns
            return RegistryFile(pid, path, data, wrote, is_alive(pid, wrote))
    except UnspoolError:
        return None  # the session ended while we looked


def _born(pid: int) -> int | None:
    """When a process began, in nanoseconds since 1970; None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name before it may hold anything, blanks and brackets too.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        with open("/proc/stat", "rb") as file:
            booted = next(int(line.split()[1]) for line in file if line.startswith(b"btime "))
    except (OSError, ValueError, IndexError, StopIteration):
        return None
    return booted * 1_000_000_000 + ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
