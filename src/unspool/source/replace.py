"""A file and its new bytes -> the old or the new, whole, whoever is killed in between."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from time import sleep

from unspool.errors import ConfigError, NotFound
from unspool.source.reader import FileLines

_LONGEST = 16 * 1024 * 1024
_KEPT = 5
_PATIENCE, _PAUSE = 5.0, 0.05


@contextmanager
def alone(directory: str) -> Iterator[None]:
    """Be the only one of us at work in a directory; it is made where it is missing."""
    os.makedirs(directory, 0o700, exist_ok=True)
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _lock(fd, directory)
        yield
    finally:
        os.close(fd)


def current(path: str) -> bytes | None:
    """A file's bytes, None where there is none; an error where it is something else."""
    try:
        with FileLines(path) as file:
            data = file.read(0, _LONGEST + 1)
    except NotFound:
        return None
    if len(data) > _LONGEST:
        raise ConfigError(f"{path} is far too long for settings. Nothing was changed.")
    return data


def replace(path: str, new: bytes | None, *, was: bytes | None) -> None:
    """Write new bytes in place of the ones that were read, or take the file away.

    ConfigError, and the file as it is, where somebody else has written it since.
    """
    made = f"{path}.unspool-tmp"
    try:
        if new is not None:
            _write(made, new, like=path)
        if current(path) != was:
            raise ConfigError(f"{path} was changed by somebody else just now. Try again.")
        if new is not None:
            os.replace(made, path)
        else:
            os.unlink(path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made)
    _settle(os.path.dirname(path))


def back_up(path: str, data: bytes, stamp: str) -> str:
    """Keep what a file was, beside it; of our copies the last few stay."""
    kept = f"{path}.bak-unspool-{stamp}"
    _write(kept, data, like=path)
    directory, name = os.path.split(path)
    ours = sorted(one for one in os.listdir(directory) if one.startswith(f"{name}.bak-unspool-"))
    for old in ours[:-_KEPT]:
        os.unlink(os.path.join(directory, old))
    return kept


def _write(path: str, data: bytes, *, like: str) -> None:
    """A new file, down to the disk, owned and guarded like another; what we left there goes."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        with suppress(FileNotFoundError):
            info = os.stat(like)
            with suppress(PermissionError):
                os.fchown(file.fileno(), info.st_uid, info.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(info.st_mode))
        os.fsync(file.fileno())


def _lock(fd: int, directory: str) -> None:
    for _ in range(int(_PATIENCE / _PAUSE)):
        try:
            flock(fd, LOCK_EX | LOCK_NB)
            return
        except BlockingIOError:
            sleep(_PAUSE)
        except OSError:  # some network disks know no locks; the look before the change remains
            return
    raise ConfigError(f"Another unspool is at work in {directory}. Try again when it is done.")


def _settle(directory: str) -> None:
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
