"""Files beside the transcripts: registry, outputs, lists, plans, jobs, prompts, retention."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from unspool.errors import UnspoolError
from unspool.model.files import OutputFile, RegistryFile, Root
from unspool.remote_paths import refuse_remote
from unspool.source.claude_code import REGISTRY_NAME, is_odd
from unspool.source.files import file_beside, projects, scan_beside
from unspool.source.safe_open import AllowedRoots, OpenFile, allowed_roots, read_whole
from unspool.source.tail import split_lines
from unspool.system.processes import is_alive

_LONGEST_ENTRY = 1024 * 1024
_MOST_TASKS = 500
_LONGEST_PLAN = 64 * 1024  # of which more than that is not read


def registry(root: str | Path) -> list[RegistryFile]:
    """Read every entry. The `*.key` files beside them hold tokens and are never opened."""
    directory = os.path.join(root, "sessions")
    try:
        refuse_remote(directory)
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    pids = ((int(found[1]), name) for name in names if (found := REGISTRY_NAME.fullmatch(name)))
    entries = (_registry_file(pid, os.path.join(directory, name)) for pid, name in pids)
    return [read_entry for read_entry in entries if read_entry]


def read_entry(path: str | Path) -> RegistryFile | None:
    """Read one entry; None if the path is not an entry, or its session has ended."""
    found = REGISTRY_NAME.fullmatch(os.path.basename(path))
    return _registry_file(int(found[1]), os.fspath(path)) if found else None


def _registry_file(pid: int, path: str) -> RegistryFile | None:
    try:
        with OpenFile(path) as file:
            data = file.read(0, _LONGEST_ENTRY)
            wrote = file.stat().st_mtime_ns
            return RegistryFile(pid, path, data, wrote, is_alive(pid, wrote))
    except UnspoolError:
        return None  # the session has just ended


LONGEST_OUTPUT: Final = 64 * 1024 * 1024  # of a file that is read, and archived
OUTPUT_FOLDER: Final = "tool-results"
_POINTER: Final = "Full output saved to: "
_NO_KINDS: Final = frozenset[str]()


def pointer_in(said: str) -> str:
    """The path that a `<persisted-output>` names; "" if none."""
    return said.partition(_POINTER)[2].split("\n", 1)[0].strip()


def output_path(session_dir: str, pointer: str) -> str:
    """The file in a session's directory that a pointer names; "" if it cannot be one.

    Only the last part of the pointer counts: the tree may have moved, and the path may be wrong.
    """
    name = re.split(r"[/\\]", pointer.strip())[-1]
    return "" if name in ("", ".", "..") else os.path.join(session_dir, OUTPUT_FOLDER, name)


def read_output(
    session_dir: str | Path,
    pointer: str,
    *,
    limit: int = LONGEST_OUTPUT,
    allowed: AllowedRoots = allowed_roots,
) -> bytes | None:
    """Read the output that a pointer names; None if it is missing or too long."""
    path = output_path(str(session_dir), pointer)
    return read_whole(path, limit, below=str(session_dir), allowed=allowed) if path else None


def output_files(root: Root) -> Iterator[OutputFile]:
    """Every output of every session of a root."""
    for project in projects(root, _NO_KINDS):
        for session in project.sessions:
            yield from session_outputs(root, project.id, session)


def session_outputs(root: Root, project_id: str, session_id: str) -> Iterator[OutputFile]:
    """The outputs of one session, by name; only regular files, no links."""
    directory = session_directory(root, project_id, session_id)
    found: list[OutputFile] = []
    try:
        for entry in allowed_roots.scan(os.path.join(directory, OUTPUT_FOLDER)):
            if is_odd(entry.name):
                continue
            info, path = entry.stat(follow_symlinks=False), output_path(directory, entry.name)
            # No pointer can name a file with a backslash in it.
            if stat.S_ISREG(info.st_mode) and path.endswith(os.sep + entry.name):
                place = root.path, os.path.relpath(path, root.path), project_id, session_id
                found.append(OutputFile(*place, info.st_size, info.st_mtime_ns))
    except (OSError, ValueError):
        return
    yield from sorted(found, key=lambda file: file.path)


def session_directory(root: Root, project_id: str, session_id: str) -> str:
    """Where a session keeps its agents and outputs."""
    return os.path.join(root.projects, project_id.removeprefix(root.prefix), session_id)


def task_lists(root: Root, session_id: str) -> list[bytes]:
    """The tasks of a session, or of the team named after it; each has a file to itself."""
    lists = (session_id, f"session-{session_id[:8]}")
    found = [file for name in lists for file in scan_beside(root, "tasks", within=name)]
    found.sort(key=lambda file: _number(os.path.basename(file.path)))
    return _read_all(file.path for file in found[:_MOST_TASKS])


def todo_lists(root: Root, session_id: str) -> list[bytes]:
    """The to-do lists that older versions kept of a session."""
    names = (f"{session_id}-agent-{session_id}.json", f"{session_id}.json")
    return _read_all(path for name in names if (path := file_beside(root, "todos", name)))


def plan_file(root: Root, slug: str) -> str | None:
    """The path of the plan that a session with this slug wrote, if it exists."""
    return file_beside(root, "plans", f"{slug}.md") if slug else None


def plan_text(root: Root, slug: str) -> bytes:
    """The first lines of that plan; nothing where there is none."""
    path = plan_file(root, slug)
    try:
        with OpenFile(path or "") as file:
            data = file.read(0, _LONGEST_PLAN + 1)
    except UnspoolError:
        return b""
    return data if len(data) <= _LONGEST_PLAN else data[: data.rfind(b"\n", 0, _LONGEST_PLAN) + 1]


def job_states(root: Root) -> Iterator[tuple[str, bytes]]:
    """The state of every background job, by the name of its directory."""
    for file in scan_beside(root, "jobs"):
        for data in _read_all([file.path]):
            yield os.path.basename(os.path.dirname(file.path)), data


def _read_all(paths: Iterable[str]) -> list[bytes]:
    found = (read_whole(path, _LONGEST_ENTRY) for path in paths)
    return [data for data in found if data]


def _number(name: str) -> tuple[int, str]:
    """Tasks are numbered: 10 comes after 9."""
    stem = name.partition(".")[0]
    return (int(stem), name) if stem.isascii() and stem.isdigit() else (0, name)


DEFAULT_DAYS = 30

_LONGEST_SETTINGS = 4 * 1024 * 1024
_STRIDE = 4 * 1024 * 1024
_DAYS = re.compile(rb'"cleanupPeriodDays"\s*:\s*(\d{1,9})')


def cleanup_days(root: str) -> int | None:
    """After how many days Claude Code deletes transcripts; None if the settings do not say."""
    data = read_whole(settings_path(root), _LONGEST_SETTINGS) or b""
    found = _DAYS.search(data)
    return int(found[1]) if found else None


def settings_path(root: str) -> str:
    """Where a root keeps its settings."""
    return os.path.join(root, "settings.json")


def history(root: str) -> Iterator[bytes]:
    """The lines of `history.jsonl`: every prompt, even of deleted transcripts."""
    try:
        file = OpenFile(os.path.join(root, "history.jsonl"))
    except UnspoolError:
        return
    with file:
        at, rest = 0, b""
        while chunk := file.read(at, _STRIDE):
            at += len(chunk)
            whole, _, rest = (rest + chunk).rpartition(b"\n")
            yield from (line for _, line in split_lines(whole + b"\n"))
        yield rest
