"""Opening, reading and replacing files: flags, links, offsets and directories.

It loads nothing but `os`. Python itself keeps descriptors from child processes everywhere.
"""

import os
import stat
import sys
from _thread import allocate_lock
from collections.abc import Iterator, Sequence
from contextlib import suppress
from errno import ELOOP
from time import sleep

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would translate line ends
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # for the other end of a pipe
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY | _NO_LINK
_CAN_STEP = bool(_NO_LINK and _DIRECTORY) and os.open in os.supports_dir_fd
_CAN_LIST = _CAN_STEP and os.scandir in os.supports_fd
_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)
_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
_seeking = allocate_lock()


def open_file(path: str | os.PathLike[str], flags: int = os.O_RDONLY) -> int:
    """Open a file, by default to read; one that is created is its owner's alone."""
    return os.open(path, flags | _BINARY, 0o600)


def open_no_link(path: str | os.PathLike[str], flags: int = os.O_RDONLY) -> int:
    """The same, but no link to a file; and where it is a pipe, without waiting."""
    if _NO_LINK:
        return os.open(path, flags | _NO_LINK | _NO_WAIT | _BINARY, 0o600)
    with suppress(FileNotFoundError):  # it may be created
        _refuse(path, only_files=True)
    fd = open_file(path, flags)
    try:
        # Between the two it may have been replaced.
        if not os.path.samestat(os.fstat(fd), os.lstat(path)):
            raise OSError(ELOOP, "replaced by a link", os.fspath(path))
    except OSError:
        os.close(fd)
        raise
    return fd


def open_below(root: str, names: Sequence[str]) -> int:
    """Open a file to read it, one directory at a time: no link below the root is followed."""
    _stay_below(names)
    if _CAN_STEP:
        at = _step_to(root, names[:-1])
        try:
            return os.open(names[-1], os.O_RDONLY | _NO_LINK | _NO_WAIT, dir_fd=at)
        finally:
            os.close(at)
    _check_steps(root, names[:-1])
    fd = open_no_link(os.path.join(root, *names))
    try:
        _check_steps(root, names[:-1])
    except OSError:
        os.close(fd)
        raise
    return fd


def scan_below(root: str, names: Sequence[str]) -> Iterator["os.DirEntry[str]"]:
    """The entries of a directory below a root, reached in the same way."""
    _stay_below(names)
    at: int | str
    if _CAN_LIST:
        above = _step_to(root, names[:-1])
        try:
            at = os.open(names[-1], os.O_RDONLY | _DIRECTORY | _NO_LINK, dir_fd=above)
        finally:
            os.close(above)
    else:
        _check_steps(root, names)
        at = os.path.join(root, *names)
    try:
        with os.scandir(at) as found:
            yield from found
    finally:
        if isinstance(at, int):
            os.close(at)


def _step_to(root: str, names: Sequence[str]) -> int:
    at = os.open(root, _STEP & ~_NO_LINK)  # the root itself may be a link
    try:
        for name in names:
            below = os.open(name, _STEP, dir_fd=at)
            os.close(at)
            at = below
    except OSError:
        os.close(at)
        raise
    return at


def _check_steps(root: str, names: Sequence[str]) -> None:
    path = root
    for name in names:
        path = os.path.join(path, name)
        _refuse(path)


def _stay_below(names: Sequence[str]) -> None:
    if os.pardir in names:
        raise OSError(ELOOP, "path leaves its directory", os.sep.join(names))


def _refuse(path: str | os.PathLike[str], *, only_files: bool = False) -> None:
    info = os.lstat(path)
    is_link = stat.S_ISLNK(info.st_mode) or getattr(info, "st_reparse_tag", 0) == _JUNCTION
    if is_link or (only_files and not stat.S_ISREG(info.st_mode)):
        raise OSError(ELOOP, "not a regular file", os.fspath(path))


def read_at(fd: int, length: int, offset: int) -> bytes:
    """The bytes at an offset; fewer if the file ends earlier. Threads may share a descriptor."""
    if sys.platform != "win32" and hasattr(os, "pread"):
        return os.pread(fd, length, offset)
    # A second description of the file would need its name, which may be another file's by now.
    with _seeking:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, length)


def sync_directory(path: str | os.PathLike[str]) -> None:
    """Make new names in a directory as safe as the files' bytes, where a system has that."""
    if _DIRECTORY:
        fd = os.open(path, os.O_RDONLY | _DIRECTORY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def replace(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give a file the name of another, at once."""
    for pause in _PAUSES if sys.platform == "win32" else ():
        try:
            return os.replace(source, target)
        except PermissionError:  # somebody has the other one open, mostly for a moment
            sleep(pause)
    return os.replace(source, target)


def copy_owner(fd: int, info: os.stat_result) -> None:
    """Give an open file the owner and the mode of another, as far as a system has them."""
    if hasattr(os, "fchown"):
        with suppress(PermissionError):  # only root gives files away
            os.fchown(fd, info.st_uid, info.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(fd, stat.S_IMODE(info.st_mode))


def is_read_only(path: str | os.PathLike[str]) -> bool:
    """Whether a file lies on a file system that is mounted read-only; False where unknown."""
    if not hasattr(os, "statvfs"):
        return False
    return bool(os.statvfs(path).f_flag & getattr(os, "ST_RDONLY", 0))
