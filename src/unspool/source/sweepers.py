"""A root -> when Claude Code sweeps its transcripts away, and the history that outlives them.

A byte pattern, not JSON: an unescaped `"key":` cannot stand inside a JSON string.
"""

import os
import re
from collections.abc import Iterator

from unspool.errors import UnspoolError
from unspool.source.lines import split
from unspool.source.reader import FileLines, read_whole

DEFAULT_DAYS = 30

_LONGEST = 4 * 1024 * 1024
_STRIDE = 4 * 1024 * 1024
_DAYS = re.compile(rb'"cleanupPeriodDays"\s*:\s*(\d{1,9})')


def cleanup_days(root: str) -> int | None:
    """After how many days transcripts are deleted; None where the settings do not say."""
    data = read_whole(settings_path(root), _LONGEST) or b""
    found = _DAYS.search(data)
    return int(found[1]) if found else None


def settings_path(root: str) -> str:
    """Where a root keeps its settings."""
    return os.path.join(root, "settings.json")


def history(root: str) -> Iterator[bytes]:
    """The lines of `history.jsonl`: every prompt, kept when its transcript is not."""
    try:
        file = FileLines(os.path.join(root, "history.jsonl"))
    except UnspoolError:
        return
    with file:
        at, rest = 0, b""
        while chunk := file.read(at, _STRIDE):
            at += len(chunk)
            whole, _, rest = (rest + chunk).rpartition(b"\n")
            yield from (line for _, line in split(whole + b"\n"))
        yield rest
