"""Transcripts and how far the index has read them -> the lines with usage since then.

It loads no model, and reads a few megabytes at most: a status line is being drawn.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from unspool.source.claude_code import QUIET_MS
from unspool.source.files import TRANSCRIPT_KINDS, ScannedFile, projects
from unspool.source.legacy_agents import first_session_id
from unspool.source.roots import RootPlace
from unspool.source.safe_open import allowed_roots
from unspool.system.files import read_at

MAX_BYTES = 16 * 1024 * 1024
_END_BYTES = 256 * 1024

# An unescaped `"key":` cannot stand inside a JSON string, so a hit is of the line itself.
_NEEDLE = b'"output_tokens":'


class UnindexedFile(NamedTuple):
    """A file with bytes that the index has not read, and their range."""

    path: str
    begin: int
    end: int
    project: str
    session: str
    mtime_ns: int


class UnindexedLines(NamedTuple):
    """Lines with usage, each with its project and session; and who has more than was read."""

    lines: list[tuple[str, str, bytes]]
    cut: set[tuple[str, str]]


def recent_files(
    projects_dir: str, session: str, since_ns: int, tombstones: str = ""
) -> Iterator[ScannedFile]:
    """The session's transcripts, and those of sessions written to since then."""
    root = RootPlace(1, os.path.dirname(projects_dir), "", projects_dir, None, tombstones)
    for project in projects(root, TRANSCRIPT_KINDS):
        for main in project.mains:
            if main.session_id == session or main.info.st_mtime_ns >= since_ns:
                yield main
                yield from project.agents(main.session_id or "")
        for agent in project.legacy:
            if agent.info.st_mtime_ns >= since_ns:
                parent = first_session_id(agent.path) or ""
                if not project.has_agent(parent, agent.agent_id):
                    yield agent._replace(session_id=parent)


def unindexed_files(
    files: Iterable[ScannedFile], known: Mapping[str, tuple[int, int, int]], session: str
) -> list[UnindexedFile]:
    """Files that differ from the index: the session's own first, then the newest.

    `known` has offset, size and mtime_ns of each path.
    """
    found = []
    for file in files:
        path, size, mtime_ns = file.state
        offset, *was = known.get(path, (0, 0, 0))
        if was != [size, mtime_ns]:
            name = file.session_id or ""
            begin = offset if offset <= size else 0  # it was rewritten
            one = UnindexedFile(path, begin, size, file.project_id, name, mtime_ns)
            found.append((name != session, -mtime_ns, one))
    return [one for _, _, one in sorted(found)]


def read_unindexed(
    files: Iterable[UnindexedFile], now: int, most: int = MAX_BYTES
) -> UnindexedLines:
    """Read the files in their order; of a file that is too long, only the end.

    An unfinished last line counts only if the file has not been written to for a while.
    """
    found = UnindexedLines([], set())
    for file in files:
        begin = max(file.begin, file.end - most)
        if begin > file.begin:
            found.cut.add((file.project, file.session))
        data = _read(file.path, begin, file.end - begin) if most > 0 else b""
        most -= len(data)
        if abs(now - file.mtime_ns // 1_000_000) < QUIET_MS:
            data = data[: data.rfind(b"\n") + 1]
        found.lines.extend((file.project, file.session, line) for line in _lines(data))
    return found


def last_lines(path: str) -> list[bytes]:
    """The lines at the end of a file; the first may be the rest of one."""
    try:
        size = os.stat(path).st_size
    except OSError:
        return []
    begin = max(0, size - _END_BYTES)
    return _read(path, begin, size - begin).split(b"\n")


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
        fd = allowed_roots.open(path)
    except (OSError, ValueError):
        return b""
    try:
        return read_at(fd, length, begin) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(fd)
