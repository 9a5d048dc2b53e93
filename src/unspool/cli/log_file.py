"""Logs of processes that nobody watches: the daemon, the indexer and the collector of a server."""

import os
from pathlib import Path
from typing import Final

from unspool.private_files import private_directory
from unspool.show import safe
from unspool.system.files import open_file

DAEMON_LOG: Final = "daemon.log"
WRITER_LOG: Final = "writer.log"
COLLECTOR_LOG: Final = "collector.log"
_LONGEST: Final = 1024 * 1024
_TAIL: Final = 4_000


def open_log(path: Path) -> int:
    """A descriptor to append to a log; a long one starts over."""
    private_directory(path.parent)
    is_long = path.exists() and path.stat().st_size > _LONGEST
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return open_file(path, flags | os.O_TRUNC if is_long else flags)


def last_message(path: Path) -> str:
    """The last line of a log, or ""."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return safe.brief(last.removeprefix("unspool: "))


def newest_log(home: Path) -> Path | None:
    """The log of the process that wrote the index of a home last."""
    logs = (home / name for name in (DAEMON_LOG, WRITER_LOG))
    return max(filter(Path.exists, logs), key=lambda log: log.stat().st_mtime_ns, default=None)
