"""An index that is replaced: the new one is made beside it, and takes its name at the end."""

from itertools import count
from pathlib import Path

from unspool.errors import StoreBusy
from unspool.private_files import private_directory
from unspool.store.sqlite.connection import INDEX
from unspool.store.sqlite.lock import WriterLock
from unspool.system import files as system_files

NEW = "index.new.db"


def companions(path: Path) -> list[Path]:
    """A database and what SQLite keeps beside it."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm")]


def discard(path: Path) -> None:
    """Remove a database that nobody has open."""
    for each in companions(path):
        each.unlink(missing_ok=True)


def move_aside(home: Path) -> Path:
    """Move the index into the next free `corrupt-<n>`, for inspection."""
    aside = next(place for n in count(1) if not (place := home / f"corrupt-{n}").exists())
    private_directory(aside)
    for each in companions(home / INDEX):
        if each.exists():
            each.rename(aside / each.name)
    return aside


def set_aside(home: Path) -> Path:
    """The same for an index that cannot even be opened; a store opened next begins a new one."""
    lock = WriterLock(home / "index.lock")
    try:
        return move_aside(home)
    finally:
        lock.release()


def swap(home: Path) -> None:
    """Give the new index its name. Readers of the old one keep it open and see it to the end."""
    # A log left from the old file would be read into the new one, whichever moment it is made in.
    _, *logs = companions(home / INDEX)
    try:
        for log in logs:
            log.unlink(missing_ok=True)
        system_files.replace(home / NEW, home / INDEX)
        for log in logs:
            log.unlink(missing_ok=True)
    except PermissionError as error:  # on Windows, somebody reads it
        reason = f"({error.strerror}); stop the program that has it open"
        message = f"{home / INDEX} cannot be replaced {reason}"
        raise StoreBusy(message) from error
    system_files.sync_directory(home)
