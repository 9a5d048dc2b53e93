"""Opening files below allowed roots so that no link leads anywhere else.

It loads nothing but `os` and `re`. Between a look and a read a directory may be swapped for a link,
so a path below an allowed root is opened one directory at a time; the root itself may be a link.
A path of another machine is refused: see `remote`.
"""

import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from unspool.errors import NotFound, SourceError
from unspool.remote_paths import refuse_remote
from unspool.system import files as system_files

if TYPE_CHECKING:
    from pathlib import Path

_BESIDE = ("hooks", "sessions", "tasks", "todos", "plans", "jobs")


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

    def open(self, path: str, below: str = "") -> int:
        """Open a file to read it; below an allowed root, or `below`, follow no links."""
        refuse_remote(path)
        root, names = self._apart(path, below)
        if not names:
            return system_files.open_no_link(path)
        return system_files.open_below(root, names)

    def scan(self, directory: str) -> Iterator["os.DirEntry[str]"]:
        """The entries of a directory; they can be used only during the iteration.

        Their `path` is meaningless: join the name to the directory instead.
        """
        refuse_remote(directory)
        root, names = self._apart(directory)
        if names:
            yield from system_files.scan_below(root, names)
            return
        # An allowed root may be a link itself, and so may any path outside of them.
        with os.scandir(directory) as found:
            yield from found

    def _apart(self, path: str, below: str = "") -> tuple[str, list[str]]:
        """The nearest allowed root above a path, or else `below`; and the names from there on."""
        above = path
        while above := above.rpartition(os.sep)[0]:
            if above in self._allowed:
                return above, _names(path[len(above) :])
        if below and path.startswith(below + os.sep):
            return below, _names(path[len(below) :])
        return "", []


def _names(path: str) -> list[str]:
    return [name for name in path.split(os.sep) if name]


# The default: a process reads the roots it was given.
allowed_roots = AllowedRoots()


class OpenFile:
    """A regular file, opened once for many reads, even if its path is replaced meanwhile."""

    def __init__(
        self,
        path: "str | Path",
        *,
        below: str = "",
        allowed: AllowedRoots = allowed_roots,
    ) -> None:
        self.path = str(path)
        self._fd = _open_regular(self.path, below, allowed)

    def stat(self) -> os.stat_result:
        """Size, times and inode of the open file."""
        return os.fstat(self._fd)

    def read(self, offset: int, length: int) -> bytes:
        """The bytes at an offset; fewer if the file ends earlier."""
        try:
            return system_files.read_at(self._fd, length, offset)
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


def read_whole(
    path: "str | Path", limit: int, *, below: str = "", allowed: AllowedRoots = allowed_roots
) -> bytes | None:
    """A small file's bytes; None if it is missing, not regular, or longer than `limit`."""
    try:
        with OpenFile(path, below=below, allowed=allowed) as file:
            data = file.read(0, min(limit, file.stat().st_size) + 1)
    except (NotFound, SourceError):
        return None
    return data if len(data) <= limit else None


def _open_regular(path: str, below: str, allowed: AllowedRoots) -> int:
    try:
        fd = allowed.open(path, below)
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
