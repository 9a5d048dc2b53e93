"""A regular file and a place in it -> bytes, opened so that nothing can make us wait or stray."""

import os
import stat
from pathlib import Path
from typing import Self

from unspool.errors import NotFound, SourceError
from unspool.source.fence import OURS, Fence

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class FileLines:
    """One open file for many reads; it stays the same file when its name is given to another."""

    def __init__(self, path: str | Path, *, dir_fd: int | None = None, fence: Fence = OURS) -> None:
        self.path = str(path)
        self._fd = _open(self.path, dir_fd, fence)

    def stat(self) -> os.stat_result:
        """Size, times and inode of the open file."""
        return os.fstat(self._fd)

    def read(self, offset: int, length: int) -> bytes:
        """Give the bytes at a place; fewer, when the file ends before them."""
        try:
            return os.pread(self._fd, length, offset)
        except OSError as error:
            raise _unreadable(self.path, error.strerror) from error

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_at(path: str | Path, offset: int, length: int) -> bytes:
    """Give the bytes at a place of a regular file; fewer, when it ends before them."""
    with FileLines(path) as file:
        return file.read(offset, length)


def read_whole(path: str | Path, limit: int, *, dir_fd: int | None = None) -> bytes | None:
    """Give a small file's bytes; None when it is missing, not regular, or longer than `limit`."""
    try:
        with FileLines(path, dir_fd=dir_fd) as file:
            data = file.read(0, min(limit, file.stat().st_size) + 1)
    except (NotFound, SourceError):
        return None
    return data if len(data) <= limit else None


def _open(path: str, dir_fd: int | None, fence: Fence) -> int:
    try:
        fd = fence.opened(path, _FLAGS, dir_fd)
    except FileNotFoundError as error:
        raise NotFound(f"{path} is gone: Claude Code deletes old transcripts by itself.") from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise _unreadable(path, "not a regular file")
    return fd


def _unreadable(path: str, reason: str | None) -> SourceError:
    return SourceError(f"Cannot read {path}: {reason}. Check what it is and who may read it.")
