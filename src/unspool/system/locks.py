"""Locks on files, which end with the process that holds them."""

import os
from time import sleep

from unspool.system import optional_module
from unspool.system.files import open_file

_fcntl, _msvcrt = optional_module("fcntl"), optional_module("msvcrt")
# Windows keeps others from reading what is locked: a byte that no file of ours has.
_BYTE = 0x7FFF_0000
_AGAIN = 0.05
_LOCK_FILE = ".unspool.lock"


def lock(fd: int, *, wait: bool = False) -> None:
    """Take the lock of an open file; BlockingIOError if somebody has it and we do not wait.

    Closing the file releases it. Other errors come from file systems that know no locks.
    """
    if _fcntl:
        _fcntl.flock(fd, _fcntl.LOCK_EX | (0 if wait else _fcntl.LOCK_NB))
    elif _msvcrt:
        while not _lock_byte(fd):
            if not wait:
                raise BlockingIOError("another process has the lock")
            sleep(_AGAIN)


def _lock_byte(fd: int) -> bool:
    os.lseek(fd, _BYTE, os.SEEK_SET)
    try:
        _msvcrt.locking(fd, _msvcrt.LK_NBLCK, 1)
    except PermissionError:
        return False
    finally:
        os.lseek(fd, 0, os.SEEK_SET)
    return True


def open_for_lock(directory: str) -> int:
    """A descriptor to lock a directory by: its own, or that of a file in it on Windows."""
    if _fcntl:
        return open_file(directory)
    return open_file(os.path.join(directory, _LOCK_FILE), os.O_RDWR | os.O_CREAT)
