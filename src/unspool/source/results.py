"""A pointer to a spilled tool result -> its bytes, from the session's own directory alone."""

import os
import re
from pathlib import Path

from unspool.source.fence import OURS, Fence
from unspool.source.reader import read_whole

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def persisted(
    session_dir: str | Path,
    pointer: str,
    *,
    limit: int = 64 * 1024 * 1024,
    fence: Fence = OURS,
) -> bytes | None:
    """Read what `<persisted-output>` points to; None when it is not there, or too long.

    Only the last part of the path counts: the tree may have moved since, and the pointer may lie.
    """
    name = re.split(r"[/\\]", pointer.strip())[-1]
    if name in ("", ".", ".."):
        return None
    try:
        directory = fence.opened(str(Path(session_dir, "tool-results")), _DIRECTORY)
    except (OSError, ValueError):
        return None
    try:
        return read_whole(name, limit, dir_fd=directory)
    finally:
        os.close(directory)
