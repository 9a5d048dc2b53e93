"""Tool outputs that were too long for their lines: `<session>/tool-results/*`, and their bytes."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from unspool.model.files import OutputFile, Root
from unspool.source.claude_code import is_odd
from unspool.source.fence import OURS, Fence
from unspool.source.files import projects
from unspool.source.reader import read_whole

LONGEST: Final = 64 * 1024 * 1024  # of a file that is read, and archived
FOLDER: Final = "tool-results"
_POINTER: Final = "Full output saved to: "
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NO_KINDS: Final = frozenset[str]()


def pointer_in(said: str) -> str:
    """The path that a `<persisted-output>` names; "" where it names none."""
    return said.partition(_POINTER)[2].split("\n", 1)[0].strip()


def output_path(session_dir: str, pointer: str) -> str:
    """Where a session keeps what a pointer names; "" where it can name nothing.

    Only the last part of it counts: the tree may have moved since, and the pointer may lie.
    """
    name = re.split(r"[/\\]", pointer.strip())[-1]
    return "" if name in ("", ".", "..") else os.path.join(session_dir, FOLDER, name)


def persisted(
    session_dir: str | Path, pointer: str, *, limit: int = LONGEST, fence: Fence = OURS
) -> bytes | None:
    """Read what a pointer names; None when it is not there, or too long."""
    path = output_path(str(session_dir), pointer)
    try:
        directory = fence.opened(os.path.dirname(path), _DIRECTORY) if path else None
    except (OSError, ValueError):
        return None
    if directory is None:
        return None
    try:
        return read_whole(os.path.basename(path), limit, dir_fd=directory)
    finally:
        os.close(directory)


def output_files(root: Root) -> Iterator[OutputFile]:
    """Every output of every session of a root."""
    for project in projects(root, _NO_KINDS):
        for session in project.sessions:
            yield from session_outputs(root, project.id, session)


def session_outputs(root: Root, project_id: str, session_id: str) -> Iterator[OutputFile]:
    """The outputs of one session, by name; links and whatever is no file are left alone."""
    directory = session_directory(root, project_id, session_id)
    found: list[OutputFile] = []
    try:
        for entry in OURS.scan(os.path.join(directory, FOLDER)):
            if is_odd(entry.name):
                continue
            info, path = entry.stat(follow_symlinks=False), output_path(directory, entry.name)
            # No pointer leads to a name with a backslash in it.
            if stat.S_ISREG(info.st_mode) and path.endswith(os.sep + entry.name):
                place = root.path, os.path.relpath(path, root.path), project_id, session_id
                found.append(OutputFile(*place, info.st_size, info.st_mtime_ns))
    except (OSError, ValueError):
        return
    yield from sorted(found, key=lambda file: file.path)


def session_directory(root: Root, project_id: str, session_id: str) -> str:
    """Where a session keeps its agents and outputs."""
    return os.path.join(root.projects, project_id.removeprefix(root.prefix), session_id)
