"""The system's table of mounts -> the type of the file system that a path is on."""

import os
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
_ESCAPES = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))


def mount_table() -> str:
    """The table; empty on systems without one."""
    try:
        return _TABLE.read_text("utf-8", "replace")
    except OSError:
        return ""


def file_system(path: str | os.PathLike[str], table: str) -> str:
    """The type of the file system that a path is on; "" if the table does not tell."""
    real = os.path.realpath(path)
    best, found = "", ""
    for line in table.splitlines():
        fields, _, about = line.partition(" - ")
        point = _unescaped((fields.split() + [""] * 5)[4])
        # A later mount on the same point hides the earlier one.
        if point and len(point) >= len(best) and _is_below(real, point):
            best, found = point, (about.split() or [""])[0]
    return found


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip(os.sep) + os.sep)


def _unescaped(point: str) -> str:
    for escape, character in _ESCAPES:
        point = point.replace(escape, character)
    return point
