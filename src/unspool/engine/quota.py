"""Usage limits: every snapshot that the status line was given is kept, one line each.

It loads no model: a status line waits for it.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias

from unspool.decode.statusline import decode_quota, encode_quota
from unspool.derive.usage.quota import quota_rows
from unspool.model.usage import Quota, QuotaRow
from unspool.private_files import private_directory
from unspool.system.files import open_no_link

NAME = "quota.jsonl"
_LAST_BYTES = 4_096
_RECENT_BYTES = 1_048_576  # about ten thousand snapshots: the longest window is a week
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT

# The snapshots of the last days, oldest first.
RecentQuota: TypeAlias = Callable[[], Sequence[Quota]]


def no_quota() -> Sequence[Quota]:
    """Where nobody tells of usage limits."""
    return ()


def record_quota(home: str, quota: Quota, session_id: str = "") -> None:
    """Keep a snapshot, unless it says what the last one says, or nothing."""
    last = latest_quota(home)
    if not any(quota[1:]) or (last is not None and last[1:] == quota[1:]):
        return
    with suppress(OSError):  # a full disk: the history matters less than the line
        private_directory(home)
        fd = open_no_link(os.path.join(home, NAME), _FLAGS)
        try:
            os.write(fd, encode_quota(quota, session_id))
        finally:
            os.close(fd)


def latest_quota(home: str) -> Quota | None:
    """The last snapshot, if any was saved."""
    found = list(_snapshots(home, _LAST_BYTES))
    return found[-1][0] if found else None


def quota_history(home: str) -> Iterator[QuotaRow]:
    """Every change of a usage limit, oldest first."""
    return quota_rows(_snapshots(home))


class QuotaLog:
    """The snapshots of the last days, read again when there are more."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._known: tuple[object, Sequence[Quota]] = None, ()

    def __call__(self) -> Sequence[Quota]:
        try:
            info = os.stat(os.path.join(self._home, NAME))
        except OSError:
            return ()
        stamp, known = self._known
        if stamp != (info.st_ino, info.st_size):
            known = sorted((quota for quota, _ in _snapshots(self._home, _RECENT_BYTES)), key=_time)
            self._known = (info.st_ino, info.st_size), known
        return known


def _snapshots(home: str, most: int = 0) -> Iterator[tuple[Quota, str]]:
    """Those of the whole log, or of its last bytes, each with its session."""
    try:
        with open(os.path.join(home, NAME), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most) if most else 0)
            lines = file.read().splitlines()
    except OSError:
        return
    yield from filter(None, map(decode_quota, lines))


def _time(quota: Quota) -> int:
    return quota.at
