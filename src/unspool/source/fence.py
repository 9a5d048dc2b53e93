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


class Entry:
    """A name in a directory as it was when that was listed: nothing is asked of its path later."""

    __slots__ = ("_found", "_info", "name", "path")

    def __init__(self, found: "os.DirEntry[str]", path: str, info: os.stat_result | None) -> None:
        self.name, self.path = found.name, path
        self._found, self._info = found, info

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a directory, or a link to one."""
        return self._found.is_dir(follow_symlinks=follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a regular file, or a link to one."""
        return self._found.is_file(follow_symlinks=follow_symlinks)

    def is_symlink(self) -> bool:
        """Whether it is a link."""
        return self._found.is_symlink()

    def stat(self) -> os.stat_result:
        """Size and times of itself, not of what it links to; OSError where it went away."""
        if self._info is None:
            raise FileNotFoundError(self.path)
        return self._info


class Fence:
    """Some directories below which no link is followed."""

    def __init__(self) -> None:
        self._fenced: set[str] = set()

    def add(self, root: str, projects: str, only: str | None = None) -> None:
        """From now on nothing that is read by a name below these lies anywhere else."""
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

    def listed(self, directory: str, ends: str) -> list[Entry]:
        """The same all at once; of names that end so, size and times are known too."""
        return [_entry(one, directory, ends) for one in self.scan(directory)]

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


def _entry(found: "os.DirEntry[str]", directory: str, ends: str) -> Entry:
    """Whatever may be asked of it is asked now: once the directory is closed it is too late."""
    name, info = found.name, None
    if name.endswith(ends):
        try:
            info = found.stat(follow_symlinks=False)
        except OSError:
            info = None  # it went away while we looked
    if not found.is_dir(follow_symlinks=False) and found.is_symlink():
        found.is_dir()
        found.is_file()
    return Entry(found, os.path.join(directory, name), info)


# Of those who are given no other: a process reads the roots it was told to.
OURS = Fence()
