"""Directories that are fenced -> files below them, opened so that no link leads anywhere else.

It loads nothing but `os`. Between a look and a read a directory may be swapped for a link, so a
path below a fence is opened one directory at a time; the fence itself may well be a link.
"""

import os
from errno import ELOOP

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_CAN_STEP = os.open in os.supports_dir_fd
_BESIDE = ("hooks", "sessions", "tasks", "todos", "plans")

_fenced: set[str] = set()


def fence(root: str, projects: str, only: str | None = None) -> None:
    """From now on nothing this process reads by a name below these lies anywhere else."""
    beside = (os.path.join(root, name) for name in _BESIDE)
    inner = projects if only is None else os.path.join(projects, only)
    _fenced.update(filter(os.path.isabs, (inner, *beside)))


def opened(path: str, flags: int, dir_fd: int | None = None) -> int:
    """Open a file or directory as `os.open` does, and below a fence without following links."""
    fenced, names = _apart(path) if _CAN_STEP and dir_fd is None else ("", [])
    if not names:
        return os.open(path, flags | os.O_NOFOLLOW, dir_fd=dir_fd)
    if os.pardir in names:
        raise OSError(ELOOP, "it leads out of its directory", path)
    at = os.open(fenced, _STEP)
    try:
        for name in names[:-1]:
            below = os.open(name, _STEP | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        return os.open(names[-1], flags | os.O_NOFOLLOW, dir_fd=at)
    finally:
        os.close(at)


def _apart(path: str) -> tuple[str, list[str]]:
    """The nearest fence around a path, and the names that lead from there to it."""
    names: list[str] = []
    above = path
    while above:
        above, _, name = above.rpartition(os.sep)
        names.append(name)
        if above in _fenced:
            return above, [name for name in reversed(names) if name]
    return "", []
