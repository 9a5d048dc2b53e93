"""Opening files below allowed roots so that no link leads anywhere else.

It loads nothing but `os`. Between a look and a read a directory may be swapped for a link, so a
path below an allowed root is opened one directory at a time; the root itself may be a link.
"""

import os
import stat
from collections.abc import Iterator
from errno import ELOOP
from typing import TYPE_CHECKING, Self

from unspool.errors import NotFound, SourceError

if TYPE_CHECKING:
    from pathlib import Path

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_CAN_STEP = os.open in os.supports_dir_fd
_CAN_LIST = os.scandir in os.supports_fd
_BESIDE = ("hooks", "sessions", "tasks", "todos", "plans")


class AllowedRoots:
    """Directories below which no link is followed."""

    def __init__(self) -> None:
        self._allowed: set[str] = set()
        self._roots: set[tuple[str, str, str | None]] = set()

    def add(self, root: str, projects: str, only: str | None = None) -> None:
        """Allow a root: from now on no link below it is followed."""
        if (root, projects, only) in self._roots:
            return
        self._roots.add((root, projects, only))
        beside = (os.path.join(root, name) for name in _BESIDE)
        inner = projects if only is None else os.path.join(projects, only)
        self._allowed.update(filter(os.path.isabs, (inner, *beside)))

    def open(self, path: str, flags: int, dir_fd: int | None = None) -> int:
        """Open a file or directory like `os.open`; below an allowed root, follow no links."""
        root, names = self._apart(path) if _CAN_STEP and dir_fd is None else ("", [])
        if not names:
            return os.open(path, flags | os.O_NOFOLLOW, dir_fd=dir_fd)
        return _open_below(root, names, flags)

    def scan(self, directory: str) -> Iterator["os.DirEntry[str]"]:
        """The entries of a directory; they can be used only during the iteration.

        Their `path` is meaningless: join the name to the directory instead.
        """
        root, names = self._apart(directory) if _CAN_STEP and _CAN_LIST else ("", [])
        if not names:
            # An allowed root may be a link itself, and so may any path outside of them.
            with os.scandir(directory) as found:
                yield from found
            return
        at = _open_below(root, names, _LIST)
        try:
            with os.scandir(at) as found:
                yield from found
        finally:
            os.close(at)

    def _apart(self, path: str) -> tuple[str, list[str]]:
        """The nearest allowed root above a path, and the names from there to it."""
        above = path
        while above:
            above = above.rpartition(os.sep)[0]
            if above in self._allowed:
                names = path[len(above) :].split(os.sep)
                return above, [name for name in names if name]
        return "", []


def _open_below(root: str, names: list[str], flags: int) -> int:
    if os.pardir in names:
        raise OSError(ELOOP, "path leaves its directory", os.sep.join(names))
    at = os.open(root, _STEP)
    try:
        for name in names[:-1]:
            below = os.open(name, _STEP | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        return os.open(names[-1], flags | os.O_NOFOLLOW, dir_fd=at)
    finally:
        os.close(at)


# The default: a process reads the roots it was given.
allowed_roots = AllowedRoots()
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class OpenFile:
    """A regular file, opened once for many reads, even if its path is replaced meanwhile."""

    def __init__(
        self,
        path: "str | Path",
        *,
        dir_fd: int | None = None,
        allowed: AllowedRoots = allowed_roots,
    ) -> None:
        self.path = str(path)
        self._fd = _open_regular(self.path, dir_fd, allowed)

    def stat(self) -> os.stat_result:
        """Size, times and inode of the open file."""
        return os.fstat(self._fd)

    def read(self, offset: int, length: int) -> bytes:
        """The bytes at an offset; fewer if the file ends earlier."""
        try:
            return os.pread(self._fd, length, offset)
        except OSError as error:
            raise _unreadable(self.path, error.strerror) from error

    def close(self) -> None:
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_at(path: "str | Path", offset: int, length: int) -> bytes:
    """The bytes at an offset of a regular file; fewer if it ends earlier."""
    with OpenFile(path) as file:
        return file.read(offset, length)


def read_whole(path: "str | Path", limit: int, *, dir_fd: int | None = None) -> bytes | None:
    """A small file's bytes; None if it is missing, not regular, or longer than `limit`."""
    try:
        with OpenFile(path, dir_fd=dir_fd) as file:
            data = file.read(0, min(limit, file.stat().st_size) + 1)
    except (NotFound, SourceError):
        return None
    return data if len(data) <= limit else None


def _open_regular(path: str, dir_fd: int | None, allowed: AllowedRoots) -> int:
    try:
        fd = allowed.open(path, _FLAGS, dir_fd)
    except FileNotFoundError as error:
        raise NotFound(f"{path} does not exist. Claude Code deletes old transcripts.") from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _unreadable(path, "not a regular file")
    return fd


def _unreadable(path: str, reason: str | None) -> SourceError:
    return SourceError(f"Cannot read {path}: {reason}. Check its type and permissions.")
