"""A disk that forgets what was not synced, as it does when the power fails.

What an fsync was asked for is safe: a file's bytes as they were then, a directory's names as they
were then. SQLite's own syncs are heard through a VFS; those of other processes are not.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

_SYSTEM = apsw.vfs_names()[0]
_JOURNALS = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL


class _Node(NamedTuple):
    """A file or a directory, whatever it is called."""

    device: int
    inode: int


class PowerCut:
    """The disk below a directory; what is there already is safe."""

    def __init__(self, place: Path, before: Callable[["PowerCut"], object] = id) -> None:
        self._place, self.before = place, before
        self._pins: dict[_Node, int] = {}  # no number of a deleted file is given to another
        self._bytes: dict[_Node, bytes] = {}
        self._names: dict[_Node, dict[str, _Node]] = {}
        for path in (place, *place.rglob("*")):
            self.synced(path)

    def synced(self, path: Path) -> None:
        """Somebody asked for this to be safe."""
        if path.is_dir():
            self._names[self._pinned(path)] = {
                each.name: self._pinned(each) for each in path.iterdir() if not each.is_symlink()
            }
        else:
            self._bytes[self._pinned(path)] = path.read_bytes()

    def left(self, into: Path, *, names: bool = False) -> Path:
        """Copy what would be left; with `names`, new names reached the disk ahead of bytes."""
        self._copy(self._pinned(self._place), into, self._place if names else None)
        return into

    def _copy(self, node: _Node, into: Path, seen: Path | None) -> None:
        if not stat.S_ISDIR(os.fstat(self._pins[node]).st_mode):
            into.write_bytes(self._bytes.get(node, b""))
            return
        into.mkdir(mode=0o700)
        if seen is None:
            for name, below in self._names.get(node, {}).items():
                self._copy(below, into / name, None)
        else:
            for path in seen.iterdir():
                self._copy(self._pinned(path), into / path.name, path)

    def _pinned(self, path: Path) -> _Node:
        info = path.stat()
        node = _Node(info.st_dev, info.st_ino)
        if node not in self._pins:
            self._pins[node] = os.open(path, os.O_RDONLY)
        return node

    def path_of(self, fd: int) -> Path | None:
        """Where below our directory an open file is."""
        info = os.fstat(fd)
        for path in (self._place, *self._place.rglob("*")):
            if os.path.samestat(info, path.stat()):
                return path
        return None

    def is_ours(self, name: str) -> bool:
        """Whether a path is on this disk."""
        return Path(name).is_relative_to(self._place)

    def close(self) -> None:
        """Let go of the files."""
        for pin in self._pins.values():
            os.close(pin)


class _File(apsw.VFSFile):
    """Says when SQLite syncs it; a new journal's name is synced with it."""

    def __init__(self, disk: PowerCut, name: Any, flags: list[int]) -> None:
        self._disk, self._path = disk, _name_of(name)
        self._is_new = bool(flags[0] & _JOURNALS and self._path and not Path(self._path).exists())
        super().__init__(_SYSTEM, name, flags)

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        if self._path and self._disk.is_ours(self._path):
            self._disk.before(self._disk)
            self._disk.synced(Path(self._path))
            if self._is_new:
                self._disk.synced(Path(self._path).parent)
            self._is_new = False


class _Vfs(apsw.VFS):
    def __init__(self, disk: PowerCut) -> None:
        self._disk = disk
        super().__init__("power-cut", _SYSTEM, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> _File:
        return _File(self._disk, name, flags)

    def xDelete(self, name: str, syncdir: bool) -> None:
        super().xDelete(name, syncdir)
        if syncdir and self._disk.is_ours(name):
            self._disk.synced(Path(name).parent)


def _name_of(name: Any) -> str:
    return name.filename() if isinstance(name, apsw.URIFilename) else name or ""


@contextmanager
def power_cut(place: Path, before: Callable[[PowerCut], object] = id) -> Iterator[PowerCut]:
    """Hear of every sync below a directory; `before` is called when one begins."""
    disk, fsync = PowerCut(place, before), os.fsync

    def heard(fd: int) -> None:
        path = disk.path_of(fd)
        if path is not None:
            before(disk)
            disk.synced(path)
        fsync(fd)

    vfs = _Vfs(disk)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", heard)
            yield disk
    finally:
        vfs.unregister()
        disk.close()
