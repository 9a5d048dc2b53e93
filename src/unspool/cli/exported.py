"""Pieces of a file -> the file: there whole or not at all, and never in place of another."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from tempfile import mkstemp
from typing import NamedTuple

from unspool.errors import ConfigError


class Written(NamedTuple):
    """Where it is, and how many bytes it has."""

    path: str
    size: int


def to_file(path: str, pieces: Iterable[bytes], *, force: bool = False) -> Written:
    """Write a file; ConfigError, and nothing is changed, where there is one that may not go."""
    if _is_stream(path):
        with open(path, "wb") as out:
            return Written(path, sum(map(out.write, pieces)))
    if not force and os.path.lexists(path):
        raise _there(path)
    if os.path.isdir(path):
        raise ConfigError(f"{path} is a directory. Name a file in it.")
    fd, made = _temporary(os.path.dirname(os.path.abspath(path)))
    try:
        with os.fdopen(fd, "wb") as out:
            size = sum(map(out.write, pieces))
            out.flush()
            os.fsync(out.fileno())
        _name(made, path, force)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(made)
    return Written(path, size)


def _temporary(directory: str) -> tuple[int, str]:
    """A new file there; an error names the directory, since nobody knows our file."""
    try:
        return mkstemp(prefix=".unspool-", dir=directory)
    except FileNotFoundError as error:
        raise ConfigError(f"There is no directory {directory}.") from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, directory) from error


def _name(made: str, path: str, force: bool) -> None:
    if force:
        os.replace(made, path)
        return
    try:
        # Unlike a rename, a link never takes the place of what came meanwhile.
        os.link(made, path)
    except FileExistsError as error:
        raise _there(path) from error
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise _there(path) from None
        os.rename(made, path)


def _there(path: str) -> ConfigError:
    return ConfigError(f"{path} is there already. Name another file, or use --force.")


def _is_stream(path: str) -> bool:
    """A device or a pipe: there is nothing to lose in it."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
