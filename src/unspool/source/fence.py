"""Directories that are fenced -> files below them, opened so that no link leads anywhere else.

It loads nothing but `os`. Between a look and a read a directory may be swapped for a link, so a
path below a fence is opened one directory at a time; the fence itself may well be a link.
"""

import os
from collections.abc import Iterator
from errno import ELOOP

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_CAN_STEP = os.open in os.supports_dir_fd
_CAN_LIST = os.scandir in os.supports_fd
_BESIDE = ("hooks", "sessions", "tasks", "todos", "plans")


class Fence:
    """Some directories below which no link is followed."""

    def __init__(self) -> None:
        self._fenced: set[str] = set()
        self._roots: set[tuple[str, str, str | None]] = set()

    def add(self, root: str, projects: str, only: str | None = None) -> None:
        """From now on nothing that is read by a name below these lies anywhere else."""
        if (root, projects, only) in self._roots:
            return
        self._roots.add((root, projects, only))
        beside = (os.path.join(root, name) for name in _BESIDE)
        inner = projects if only is None else os.path.join(projects, only)
        self._fenced.update(filter(os.path.isabs, (inner, *beside)))

    def opened(self, path: str, flags: int, dir_fd: int | None = None) -> int:
        """Open a file or directory as `os.open` does, and below a fence without following links."""
        fenced, names = self._apart(path) if _CAN_STEP and dir_fd is None else ("", [])
        if not names:
            return os.open(path, flags | os.O_NOFOLLOW, dir_fd=dir_fd)
        return _stepped(fenced, names, flags)

    def scan(self, directory: str) -> Iterator["os.DirEntry[str]"]:
        """What a directory holds, one by one; only meanwhile may more be asked of each.

        Their paths are of no use: where they lie is known to whoever asks.
        """
        fenced, names = self._apart(directory) if _CAN_STEP and _CAN_LIST else ("", [])
        if not names:
            # The fence itself may be a link, and so may whatever lies beyond every fence.
            with os.scandir(directory) as found:
                yield from found
            return
        at = _stepped(fenced, names, _LIST)
        try:
            with os.scandir(at) as found:
                yield from found
        finally:
            os.close(at)

    def _apart(self, path: str) -> tuple[str, list[str]]:
        """The nearest fence around a path, and the names that lead from there to it."""
        above = path
        while above:
            above = above.rpartition(os.sep)[0]
            if above in self._fenced:
                names = path[len(above) :].split(os.sep)
                return above, [name for name in names if name]
        return "", []


def _stepped(fenced: str, names: list[str], flags: int) -> int:
    if os.pardir in names:
        raise OSError(ELOOP, "it leads out of its directory", os.sep.join(names))
    at = os.open(fenced, _STEP)
    try:
        for name in names[:-1]:
            below = os.open(name, _STEP | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        return os.open(names[-1], flags | os.O_NOFOLLOW, dir_fd=at)
    finally:
        os.close(at)


# Of those who are given no other: a process reads the roots it was told to.
OURS = Fence()
