"""Files and directories of our own: private to their owner, and safe from a power cut."""

import os
from collections.abc import Iterable
from contextlib import suppress

from unspool.system import files as system_files


def private_directory(path: str | os.PathLike[str]) -> None:
    """Create a directory, and those above it that are missing; existing ones keep their modes."""
    above = os.path.dirname(os.path.abspath(path))
    try:
        os.mkdir(path, 0o700)
        _try_to_sync(above)
    except FileNotFoundError:
        if os.path.isdir(above):
            raise  # a file system without directories of ours, as /proc
        private_directory(above)
        private_directory(path)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


def write_private(
    path: str | os.PathLike[str], pieces: Iterable[bytes], *, durable: bool = False
) -> None:
    """Write a file whole: it takes its name when it is complete, from whatever has that now.

    One that is durable survives a power cut from then on.
    """
    aside = f"{os.fspath(path)}.{os.getpid()}"
    private_directory(os.path.dirname(aside) or os.curdir)
    with suppress(FileNotFoundError):
        os.unlink(aside)  # left by a process that was killed
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with open(system_files.open_no_link(aside, flags), "wb") as file:
            file.writelines(pieces)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        system_files.replace(aside, path)
        if durable:
            system_files.sync_directory(os.path.dirname(aside) or os.curdir)
    except OSError:
        with suppress(OSError):
            os.unlink(aside)
        raise


def _try_to_sync(path: str) -> None:
    try:
        system_files.sync_directory(path)
    except OSError:
        return  # we may write there, but not read
