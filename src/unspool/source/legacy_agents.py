"""Agents' files that lie beside their sessions, as before 2026 -> the session each is of."""

import os
import re
import stat

from unspool.source.claude_code import is_name
from unspool.source.safe_open import allowed_roots
from unspool.system.files import read_at

_HEAD_BYTES = 64 * 1024
# An unescaped `"key":` cannot stand inside a JSON string.
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\\n]{1,128})"')


def first_session_id(path: str) -> str | None:
    """The session on a legacy agent's first line; its own id if a complete line names none."""
    try:
        fd = allowed_roots.open(path)
    except (OSError, ValueError):
        return None
    try:
        head = read_at(fd, _HEAD_BYTES, 0) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return None
    finally:
        os.close(fd)
    line, is_whole, _ = head.partition(b"\n")
    found = _SESSION.search(line)
    name = found[1].decode("utf-8", "replace") if found else ""
    if is_name(name):
        return name
    if not is_whole:
        return None
    return os.path.basename(path).removeprefix("agent-").removesuffix(".jsonl")
