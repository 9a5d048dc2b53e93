"""Usage limits: every snapshot that the status line was given is kept, one line each."""

import os
from contextlib import suppress

from unspool.decode.statusline import decode_quota, encode_quota
from unspool.private_files import private_directory
from unspool.system.files import open_no_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.model.usage import Quota

NAME = "quota.jsonl"
_LAST_BYTES = 4_096
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT


def record_quota(home: str, quota: "Quota") -> None:
    """Keep a snapshot, unless it says what the last one says, or nothing."""
    last = latest_quota(home)
    if not any(quota[1:]) or (last is not None and last[1:] == quota[1:]):
        return
    with suppress(OSError):  # a full disk: the history matters less than the line
        private_directory(home)
        fd = open_no_link(os.path.join(home, NAME), _FLAGS)
        try:
            os.write(fd, encode_quota(quota))
        finally:
            os.close(fd)


def latest_quota(home: str) -> "Quota | None":
    """The last snapshot, if any was saved."""
    try:
        with open(os.path.join(home, NAME), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LAST_BYTES))
            newest_first = file.read().splitlines()[::-1]
    except OSError:
        return None
    return next(filter(None, map(decode_quota, newest_first)), None)
