"""A root -> the files in it that are ours, and what each of them is.

This is the only walk in the product, and `classify` the only function that decides what a path is.
It loads no model: if nothing has changed, `unspool cost` and the status line need nothing else.
"""

import os
import stat
from collections.abc import Iterator
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from unspool.remote_paths import is_remote, refuse_remote
from unspool.source.claude_code import (
    SUBAGENTS,
    FileName,
    Folder,
    enter,
    is_odd,
    may_be_ours,
    name_file,
    side_folder,
    top_folders,
)
from unspool.source.forgotten import forgotten_in, is_ignored
from unspool.source.legacy_agents import first_session_id
from unspool.source.safe_open import allowed_roots

if TYPE_CHECKING:
    from typing import TypeAlias, TypeGuard

    from unspool.model.files import AgentKind, WatchedKind
    from unspool.source.claude_code import RootLike

    FileState: TypeAlias = tuple[str, int, int]  # path, size, mtime_ns
    Reasons: TypeAlias = list[tuple[str, str]]  # ignored paths, and why

AGENT_KINDS = frozenset({"subagent", "legacy_subagent", "workflow_subagent"})
TRANSCRIPT_KINDS = AGENT_KINDS | {"main"}
_PROJECT_KINDS = TRANSCRIPT_KINDS | {"journal"}
INDEXED_KINDS = _PROJECT_KINDS | {"hook_log"}

_SIDE_KINDS = frozenset({"todo", "task", "plan", "job"})
_NO_KINDS = frozenset[str]()
_LOGS, _REGISTRY = frozenset({"hook_log"}), frozenset({"registry"})
_KINDS_BESIDE = {"hooks": _LOGS, "hook_logs": _LOGS, "registry": _REGISTRY}
_SHAPES = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)
_PATH = itemgetter(0)


class ScannedFile(NamedTuple):
    """A regular file of ours, and the result of one lstat."""

    path: str
    kind: "WatchedKind"
    project_id: str
    session_id: str | None
    agent_id: str | None
    info: os.stat_result

    @property
    def state(self) -> "FileState":
        """What changes when the file does."""
        return self.path, self.info.st_size, self.info.st_mtime_ns


def classify(root: "RootLike", path: str) -> FileName | None:
    """What a path is by its names alone; None if it is not ours. No disk access."""
    above, _, name = path.rpartition(os.sep)
    for top, holds in top_folders(root):
        folder = _descend(top, holds, above)
        if folder and (found := name_file(folder, name)):
            return FileName(*found)
    return None


def identify(root: "RootLike", path: str) -> FileName | None:
    """The same, but None behind a link, for a legacy agent that is in the new layout too, and for
    what is forgotten.
    """
    found = classify(root, path)
    if found is None or _is_behind_link(root, path):
        return None
    if found.kind == "legacy_subagent":
        session = first_session_id(path)
        project = Project(os.path.dirname(path), Folder("project", found.project_id), AGENT_KINDS)
        if session and project.has_agent(session, found.agent_id):
            return None
        found = found._replace(session_id=session)
    return None if is_ignored(root, found) else found


def file_at(root: "RootLike", path: str, *, is_scanned: bool = False) -> ScannedFile | None:
    """The file that `scan_files` finds at a path; None if it finds none.

    `is_scanned`: it has just been found, so links and the new layout are not checked again.
    """
    found, info = classify(root, path), stat_file(path)
    if found is None or info is None:
        return None
    if not is_scanned:
        found = identify(root, path)
    elif found.kind == "legacy_subagent":
        found = found._replace(session_id=first_session_id(path))
    return ScannedFile(path, *found, info) if found else None


def stat_file(path: str) -> os.stat_result | None:
    """The lstat of a regular file; None for anything else, and for files of other machines."""
    try:
        refuse_remote(path)
        info = os.lstat(path)
    except (OSError, ValueError):
        return None
    return info if stat.S_ISREG(info.st_mode) else None


def is_gone(path: str) -> bool:
    """Whether there is no file at a path here; a directory without access proves nothing."""
    try:
        refuse_remote(path)
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False


def is_agent(kind: str) -> "TypeGuard[AgentKind]":
    """Whether files of a kind are transcripts of agents."""
    return kind in AGENT_KINDS


def _descend(top: str, folder: Folder, directory: str) -> Folder | None:
    """What a directory holds that is `top` or below it."""
    if directory == top:
        return folder
    found: Folder | None = folder if directory.startswith(top + os.sep) else None
    for name in directory[len(top) + 1 :].split(os.sep):
        found = enter(found, name) if found else None
    return found


def _is_behind_link(root: "RootLike", path: str) -> bool:
    tops = [top for top, _ in top_folders(root)]
    above = os.path.dirname(path)
    while above not in tops and above != os.path.dirname(above):
        if os.path.islink(above):
            return True
        above = os.path.dirname(above)
    return False


def scan_files(
    root: "RootLike",
    kinds: "frozenset[str]" = INDEXED_KINDS,
    *,
    with_sessions: bool = True,
    skipped: "Reasons | None" = None,
) -> Iterator[ScannedFile]:
    """Every file of these kinds, a project at a time, each with one lstat. It never raises.

    An agent in both layouts is listed once, from the new one. Only `with_sessions` are legacy
    agents opened to find their session. Ignored files and the reason go into `skipped`.
    """
    if is_remote(root.path):
        return
    if kinds & _PROJECT_KINDS:
        for project in projects(root, kinds, skipped):
            yield from project.files(with_sessions=with_sessions)
    gone = forgotten_in(root)  # asked once: the log is looked at each time
    for directory, folder in top_folders(root)[1:]:
        if kinds & _KINDS_BESIDE[folder.holds]:
            for _, files in _walk(directory, folder, kinds, skipped):
                yield from (file for file in files if not is_ignored(root, file, gone))


def scan_beside(root: "RootLike", name: str, *, within: str = "") -> Iterator[ScannedFile]:
    """The files of `tasks`, `todos`, `plans` or `jobs`, or of one directory `within`."""
    if root.is_loose or is_remote(root.path):
        return
    allowed_roots.add(root.path, root.projects, root.only)
    directory, folder = side_folder(root, name)
    below = enter(folder, within) if within else folder
    if below:
        for _, files in _walk(os.path.join(directory, within), below, _SIDE_KINDS):
            yield from files


def file_beside(root: "RootLike", folder: str, name: str) -> str | None:
    """A file of one of these directories, by its name; None if it is not there."""
    directory, holds = side_folder(root, folder)
    path = os.path.join(directory, name)
    return path if name_file(holds, name) and stat_file(path) and not root.is_loose else None


def scan_below(
    root: "RootLike", directory: str, kinds: "frozenset[str]" = INDEXED_KINDS
) -> Iterator[ScannedFile]:
    """Every file of these kinds in a directory of a root, at any depth."""
    for top, holds in top_folders(root):
        start = top if top.startswith(directory + os.sep) else directory
        if folder := _descend(top, holds, start):
            for _, files in _walk(start, folder, kinds):
                yield from files


def scan_folders(root: "RootLike") -> Iterator[str]:
    """Every directory in which a transcript can appear."""
    if root.only is None:
        yield root.projects
    for project in projects(root, _NO_KINDS):
        yield project.path
        for session in project.sessions:
            yield os.path.join(project.path, session)
            yield from project.folders(session)


def projects(
    root: "RootLike", kinds: "frozenset[str]" = INDEXED_KINDS, skipped: "Reasons | None" = None
) -> Iterator["Project"]:
    """The projects of a root by name; each is listed on first use."""
    if is_remote(root.path):
        return
    if not root.is_loose:
        allowed_roots.add(root.path, root.projects, root.only)
    (top, folder), gone = top_folders(root)[0], forgotten_in(root)
    if folder.holds == "project":
        yield Project(top, folder, kinds, skipped, gone.get(os.path.basename(top), _NO_KINDS))
        return
    for name in _listed(top, folder, _NO_KINDS, skipped)[1]:
        if below := enter(folder, name):
            path = os.path.join(top, name)
            yield Project(path, below, kinds, skipped, gone.get(name, _NO_KINDS))


def open_project(root: "RootLike", path: str, kinds: "frozenset[str]") -> "Project":
    """One project of a root, by the path of its directory."""
    if not root.is_loose:
        allowed_roots.add(root.path, root.projects, root.only)
    name = os.path.basename(path)
    gone = forgotten_in(root).get(name, _NO_KINDS)
    return Project(path, Folder("project", root.prefix + name), kinds, forgotten=gone)


class Project:
    """One project directory, listed once, without its forgotten sessions."""

    def __init__(
        self,
        path: str,
        folder: Folder,
        kinds: "frozenset[str]" = INDEXED_KINDS,
        skipped: "Reasons | None" = None,
        forgotten: frozenset[str] = _NO_KINDS,
    ) -> None:
        self.path, self.id = path, folder.project_id
        self._folder, self._kinds, self._skipped = folder, kinds, skipped
        self._forgotten = forgotten

    @cached_property
    def _list(self) -> tuple[list[ScannedFile], list[str]]:
        files, names = _listed(self.path, self._folder, self._kinds, self._skipped)
        if not self._forgotten:
            return files, names
        sessions = ((file, file.session_id or first_session_id(file.path)) for file in files)
        shown = [file for file, id in sessions if id not in self._forgotten]
        return shown, [name for name in names if name not in self._forgotten]

    @property
    def mains(self) -> list[ScannedFile]:
        """The main transcripts, by name."""
        return [file for file in self._list[0] if file.kind == "main"]

    @property
    def legacy(self) -> list[ScannedFile]:
        """The agents beside their sessions, as before 2026, without session ids."""
        return [file for file in self._list[0] if file.kind == "legacy_subagent"]

    @property
    def sessions(self) -> list[str]:
        """The directories in it, each named after a session."""
        return [name for name in self._list[1] if enter(self._folder, name)]

    def agents(self, session: str) -> Iterator[ScannedFile]:
        """The agents and journals in the directory of one session, workflows included."""
        return (file for _, files in self._walk(session) for file in files)

    def has_agent(self, session: str, agent: str | None) -> bool:
        """Whether the directory of a session has this agent."""
        return any(file.agent_id == agent for file in self.agents(session))

    def folders(self, session: str) -> Iterator[str]:
        """The directories that may contain agents of one session."""
        return (directory for directory, _ in self._walk(session))

    def files(self, *, with_sessions: bool) -> Iterator[ScannedFile]:
        """All files: main transcripts, then agents and journals, then legacy agents."""
        yield from self.mains
        if not self._kinds & AGENT_KINDS:
            return
        known: dict[str | None, set[str]] = {}
        for session in self.sessions:
            for file in self.agents(session):
                known.setdefault(file.agent_id, set()).add(session)
                yield file
        for file in self.legacy:
            # An agent in both layouts is rare; otherwise no file needs to be opened.
            is_asked = with_sessions or file.agent_id in known
            session_id = first_session_id(file.path) if is_asked else None
            if session_id not in known.get(file.agent_id, ()):
                yield file._replace(session_id=session_id)
            elif self._skipped is not None:
                reason = f"the same agent is in {session_id}/{SUBAGENTS}"
                self._skipped.append((file.path, reason))

    def _walk(self, session: str) -> Iterator[tuple[str, list[ScannedFile]]]:
        below = enter(self._folder, session) if session not in self._forgotten else None
        folder = enter(below, SUBAGENTS) if below else None
        directory = os.path.join(self.path, session, SUBAGENTS)
        return _walk(directory, folder, self._kinds, self._skipped) if folder else iter(())


def _walk(
    directory: str, folder: Folder, kinds: "frozenset[str]", skipped: "Reasons | None" = None
) -> Iterator[tuple[str, list[ScannedFile]]]:
    """A directory and all below it, each with its files."""
    waiting = [(directory, folder)]
    while waiting:
        directory, folder = waiting.pop()
        files, names = _listed(directory, folder, kinds, skipped)
        yield directory, files
        for name in reversed(names):
            if below := enter(folder, name):
                waiting.append((directory + os.sep + name, below))


def _listed(
    directory: str, folder: Folder, kinds: "frozenset[str]", skipped: "Reasons | None"
) -> tuple[list[ScannedFile], list[str]]:
    """The files of these kinds in a directory, and the names of the directories in it."""
    files: list[ScannedFile] = []
    names: list[str] = []
    above = directory + os.sep
    try:
        for entry in allowed_roots.scan(directory):
            found = name_file(folder, entry.name)
            if found is None and entry.is_dir(follow_symlinks=False):
                names.append(entry.name)
            if found is not None and found[0] not in kinds:
                continue
            if found is not None and (info := _regular(entry)):
                files.append(ScannedFile(above + entry.name, *found, info))
            elif skipped is not None and (reason := _reason(folder, entry)):
                skipped.append((os.path.join(directory, entry.name), reason))
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        if skipped is not None:
            skipped.append((directory, getattr(error, "strerror", None) or str(error)))
    files.sort(key=_PATH)
    return files, sorted(names)


def _regular(entry: "os.DirEntry[str]") -> os.stat_result | None:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return None  # it has just been deleted
    return info if stat.S_ISREG(info.st_mode) else None


def _reason(folder: Folder, entry: "os.DirEntry[str]") -> str:
    """Why a file that looks like ours is ignored; '' for others."""
    may_be = may_be_ours(folder, entry.name)
    try:
        if may_be and not stat.S_ISREG(mode := entry.stat(follow_symlinks=False).st_mode):
            return next((name for test, name in _SHAPES if test(mode)), "a device")
        if not may_be and not entry.is_dir(follow_symlinks=False):
            return "a symbolic link" if entry.is_symlink() and entry.is_dir() else ""
    except OSError:
        return ""  # it has just been deleted, or it is a link to itself
    if is_odd(entry.name):
        is_text = entry.name.encode(errors="ignore").decode() == entry.name
        return "set aside by Claude Code" if is_text else "its name is not UTF-8"
    return "not a transcript name for this directory" if may_be else ""
