"""A root -> its live registry: `sessions/<pid>.json` as bytes, and whether that process lives."""

import os
import re
from pathlib import Path

from unspool.errors import UnspoolError
from unspool.model.files import RegistryFile
from unspool.source.reader import FileLines

_NAME = re.compile(r"([1-9][0-9]{0,9})\.json")
_LONGEST = 1024 * 1024


def registry(root: str | Path) -> list[RegistryFile]:
    """Read every entry. The `*.key` files beside them hold tokens and are never opened."""
    directory = os.path.join(root, "sessions")
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    pids = ((int(found[1]), name) for name in names if (found := _NAME.fullmatch(name)))
    entries = (_entry(pid, os.path.join(directory, name)) for pid, name in pids)
    return [entry for entry in entries if entry]


def is_alive(pid: int) -> bool:
    """Whether a process of this number exists, be it ours or not."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _entry(pid: int, path: str) -> RegistryFile | None:
    try:
        with FileLines(path) as file:
            data = file.read(0, _LONGEST)
            return RegistryFile(pid, path, data, file.stat().st_mtime_ns, is_alive(pid))
    except UnspoolError:
        return None  # the session ended while we looked
