"""The first bytes of a transcript -> the session and the working directory it names.

Byte patterns, not JSON: an unescaped `"key":` cannot stand inside a JSON string.
"""

import re
from collections.abc import Iterable

from unspool.errors import UnspoolError
from unspool.model.files import TranscriptFile
from unspool.source.reader import read_at

_HEAD_BYTES = 64 * 1024
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([^"\\\n]{1,128})"')
_CWD = re.compile(rb'"cwd"\s*:\s*"((?:[^"\\\n]|\\.)+)"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def first_session_id(path: str) -> str | None:
    """The session named on a file's first line."""
    first_line = _head(path).partition(b"\n")[0]
    found = _SESSION.search(first_line)
    return found[1].decode("utf-8", "replace") if found else None


def first_cwd(path: str) -> str | None:
    """The first working directory a file names."""
    found = _CWD.search(_head(path))
    return _unescaped(found[1].decode("utf-8", "replace")) if found else None


def groups(files: Iterable[TranscriptFile]) -> dict[str | None, list[TranscriptFile]]:
    """Files by working directory. Those that name none join the only group; of several, none."""
    grouped: dict[str | None, list[TranscriptFile]] = {}
    for file in files:
        grouped.setdefault(first_cwd(file.path), []).append(file)
    if len(grouped) == 2 and None in grouped:
        unnamed = grouped.pop(None)
        next(iter(grouped.values())).extend(unnamed)
    return grouped


def _head(path: str) -> bytes:
    try:
        return read_at(path, 0, _HEAD_BYTES)
    except UnspoolError:
        return b""


def _unescaped(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else _CONTROLS.get(found[2], found[2])

    # An emoji is escaped as two halves; putting them together also drops a half left alone.
    halves = _ESCAPE.sub(plain, text)
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
