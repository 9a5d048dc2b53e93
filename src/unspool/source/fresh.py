"""Transcripts and how far the index has read them -> the lines that tell of usage since.

It loads nothing but `os`, and reads so much at most: whoever asks is drawing a status line.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from unspool.source.fence import OURS

MOST = 16 * 1024 * 1024

# An unescaped `"key":` cannot stand inside a JSON string, so a hit is of the line itself.
_NEEDLE = b'"output_tokens":'
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class Behind(NamedTuple):
    """A file with bytes the index has not read, from where to where."""

    path: str
    begin: int
    end: int
    session: str


class Fresh(NamedTuple):
    """Lines with usage, by session; and the sessions of which there was more than was read."""

    lines: list[tuple[str, bytes]]
    cut: set[str]


def lately(projects: str, session: str, since_ns: int) -> Iterator[tuple[str, int, int]]:
    """Path, size and mtime_ns of the session's files, and of sessions written to since then."""
    OURS.add(os.path.dirname(projects), projects)
    for project in _entries(projects):
        if not project.is_dir(follow_symlinks=False):
            continue
        place = os.path.join(projects, project.name)
        for entry in _entries(place):
            stem = entry.name.removesuffix(".jsonl")
            if stem == entry.name or not (look := _look(place, entry)):
                continue
            if stem == session or look[2] >= since_ns:
                yield look
                yield from _agents(os.path.join(place, stem, "subagents"))


def behind(
    looks: Iterable[tuple[str, int, int]],
    known: Mapping[str, tuple[int, int, int]],
    session: str,
) -> list[Behind]:
    """Files that are not as the index has them: the session's own first, then the newest.

    `looks` are path, size and mtime_ns; `known` has offset, size and mtime_ns of each path.
    """
    found = []
    for path, size, mtime_ns in looks:
        offset, *was = known.get(path, (0, 0, 0))
        if was != [size, mtime_ns]:
            name = session_of(path)
            begin = offset if offset <= size else 0  # it was written anew
            found.append((name != session, -mtime_ns, Behind(path, begin, size, name)))
    return [one for _, _, one in sorted(found)]


def session_of(path: str) -> str:
    """The session a transcript's path names: its stem, or the directory its agents lie in."""
    above, _, _ = path.partition(f"{os.sep}subagents{os.sep}")
    return os.path.basename(above).removesuffix(".jsonl")


def fresh(files: Iterable[Behind], most: int = MOST) -> Fresh:
    """Read the files in their order, each from its end backwards when there is too much."""
    found = Fresh([], set())
    for file in files:
        begin = max(file.begin, file.end - most)
        if begin > file.begin:
            found.cut.add(file.session)
        data = _read(file.path, begin, file.end - begin) if most > 0 else b""
        most -= len(data)
        found.lines.extend((file.session, line) for line in _lines(data))
    return found


def _agents(directory: str) -> Iterator[tuple[str, int, int]]:
    for entry in _entries(directory):
        if entry.is_dir(follow_symlinks=False):
            yield from _agents(os.path.join(directory, entry.name))
        elif _is_agent(entry.name) and (look := _look(directory, entry)):
            yield look


def _is_agent(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl")


def _entries(directory: str) -> "Iterator[os.DirEntry[str]]":
    try:
        yield from OURS.scan(directory)
    except (OSError, ValueError):
        return


def _look(directory: str, entry: "os.DirEntry[str]") -> tuple[str, int, int] | None:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return None  # it went away while we looked
    if not stat.S_ISREG(info.st_mode):
        return None
    return directory + os.sep + entry.name, info.st_size, info.st_mtime_ns


def _lines(data: bytes) -> list[bytes]:
    found = []
    hit = data.find(_NEEDLE)
    while hit >= 0:
        begin, end = data.rfind(b"\n", 0, hit) + 1, data.find(b"\n", hit)
        end = len(data) if end < 0 else end
        found.append(data[begin:end])
        hit = data.find(_NEEDLE, end)
    return found


def _read(path: str, begin: int, length: int) -> bytes:
    try:
        fd = OURS.opened(path, _FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        return os.pread(fd, length, begin) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(fd)
