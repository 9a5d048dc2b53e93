"""A root -> its transcript files, told apart by where they lie."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from unspool.model.files import FileKind, Root, Skipped, TranscriptFile
from unspool.source.fence import OURS, Entry, Fence
from unspool.source.heads import first_session_id

_AGENT = re.compile(r"agent-([A-Za-z0-9][A-Za-z0-9@._-]{0,127})\.jsonl")
_HOOK_LOG = ".hooks.jsonl"
_PUT_ASIDE = (".orphaned", ".superseded")
_SHAPES = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)

Class: TypeAlias = tuple[FileKind, str | None, str | None]


def discover(root: Root, skipped: list[Skipped] | None = None) -> Iterator[TranscriptFile]:
    """Every transcript of a root; what is left alone goes into `skipped` with its reason."""
    walk = Walk(root, skipped)
    for project in walk.projects():
        yield from walk.project_files(project)
    yield from walk.hook_logs()


def classify(parts: Sequence[str]) -> Class | None:
    """Kind, session and agent of a path below `projects/`; None is no transcript's place."""
    *above, name = parts
    stem = name.removesuffix(".jsonl")
    agent = _AGENT.fullmatch(name)
    if len(above) == 1:
        if name.startswith("agent-"):
            return ("legacy_subagent", None, agent[1]) if agent else None
        return ("main", stem, None) if stem else None
    if len(above) < 3 or above[2] != "subagents":
        return None
    in_workflow = above[3:4] == ["workflows"]
    if agent:
        return "workflow_subagent" if in_workflow else "subagent", above[1], agent[1]
    return ("journal", above[1], None) if in_workflow and name == "journal.jsonl" else None


class Walk:
    """One pass over a root: looks, never follows a link, never raises for what it meets."""

    def __init__(
        self, root: Root, skipped: list[Skipped] | None = None, fence: Fence = OURS
    ) -> None:
        self.root = root
        self._fence = fence
        if root.index:
            fence.add(root.path, root.projects, root.only)
        self._skipped = skipped if skipped is not None else []

    def projects(self) -> Iterator[str]:
        """The project directories, by name."""
        if self.root.only is not None:
            yield os.path.join(self.root.projects, self.root.only)
            return
        for entry in self.entries(self.root.projects):
            if self._is_directory(entry):
                yield entry.path

    def project_files(self, project: str) -> Iterator[TranscriptFile]:
        """Everything of one project; an agent that lies in both layouts comes once."""
        entries = self.entries(project)
        beside = [file for entry in entries for file in self._file(entry)]
        yield from (file for file in beside if file.kind == "main")
        agents = set()
        for entry in entries:
            for file in self.session_dir(entry.path) if self._is_directory(entry) else ():
                agents.add((file.session_id, file.agent_id))
                yield file
        for file in (file for file in beside if file.kind != "main"):
            if (file.session_id, file.agent_id) in agents:
                self.skip(file.path, f"the same agent lies in {file.session_id}/subagents")
            else:
                yield file

    def mains(self, project: str, begins: str = "") -> Iterator[TranscriptFile]:
        """The main transcripts of one project, all or those whose name begins so."""
        for entry in self.entries(project):
            if entry.name.startswith(begins) and not entry.name.startswith("agent-"):
                yield from self._file(entry)

    def legacy(self, project: str) -> Iterator[TranscriptFile]:
        """The agents that lie beside their sessions, as before 2026."""
        for entry in self.entries(project):
            if entry.name.startswith("agent-"):
                yield from self._file(entry)

    def session_dir(self, directory: str) -> Iterator[TranscriptFile]:
        """The agents and journals of one session, workflows included."""
        for entry in self.below(os.path.join(directory, "subagents")):
            yield from self._file(entry)

    def below(self, directory: str) -> Iterator[Entry]:
        """All that is not a directory, at any depth."""
        waiting = [directory]
        while waiting:
            for entry in self.entries(waiting.pop()):
                if self._is_directory(entry):
                    waiting.append(entry.path)
                else:
                    yield entry

    def hook_logs(self, session_id: str = "") -> Iterator[TranscriptFile]:
        """Event logs, `hooks/<project>/<session>.hooks.jsonl`: all, or one session's."""
        for project in self.entries(os.path.join(self.root.path, "hooks")):
            for entry in self.entries(project.path) if self._is_directory(project) else ():
                session = entry.name.removesuffix(_HOOK_LOG)
                if session == entry.name or session_id not in ("", session):
                    continue
                if info := self._stat(entry):
                    project_id = self.root.prefix + project.name
                    yield self.file(entry.path, project_id, ("hook_log", session, None), info)

    def entries(self, directory: str) -> list[Entry]:
        """What a directory holds, by name; nothing when it is missing or closed to us."""
        try:
            found = self._fence.listed(directory, ".jsonl")
            return sorted(found, key=lambda entry: entry.name)
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            self.skip(directory, getattr(error, "strerror", None) or str(error))
            return []

    def skip(self, path: str, reason: str) -> None:
        """Note something left alone."""
        self._skipped.append(Skipped(path.encode("utf-8", "backslashreplace").decode(), reason))

    def file(
        self, path: str, project_id: str, place: Class, info: os.stat_result
    ) -> TranscriptFile:
        """Name a file whose place and size are known."""
        kind, session, agent = place
        if kind == "legacy_subagent":
            session = first_session_id(path)
        return TranscriptFile(
            root=self.root,
            path=path,
            relpath=_below(path, self.root.path),
            kind=kind,
            project_id=project_id,
            session_id=session,
            agent_id=agent,
            size=info.st_size,
            mtime_ns=info.st_mtime_ns,
            inode=info.st_ino,
        )

    def _file(self, entry: Entry) -> Iterator[TranscriptFile]:
        if not entry.name.endswith(".jsonl") or not (info := self._stat(entry)):
            return
        parts = _below(entry.path, self.root.projects).split(os.sep)
        if place := classify(parts):
            yield self.file(entry.path, self.root.prefix + parts[0], place, info)
        else:
            self.skip(entry.path, "no transcript has this name in this place")

    def _is_directory(self, entry: Entry) -> bool:
        if entry.name.endswith(".jsonl"):
            return False
        if entry.is_dir(follow_symlinks=False):
            return self._named_well(entry)
        if entry.is_symlink() and entry.is_dir():
            self.skip(entry.path, "a symbolic link")
        return False

    def _stat(self, entry: Entry) -> os.stat_result | None:
        """Size and times of a regular file that may be read."""
        try:
            info = entry.stat()
        except OSError:
            return None  # it went away while we looked
        if stat.S_ISREG(info.st_mode):
            return info if self._named_well(entry) else None
        reason = next((name for test, name in _SHAPES if test(info.st_mode)), "a device")
        self.skip(entry.path, reason)
        return None

    def _named_well(self, entry: Entry) -> bool:
        if any(mark in entry.name for mark in _PUT_ASIDE):
            self.skip(entry.path, "put aside by Claude Code")
            return False
        try:
            entry.name.encode()
        except UnicodeEncodeError:
            self.skip(entry.path, "its name is not UTF-8")
            return False
        return True


def _below(path: str, directory: str) -> str:
    return path.removeprefix(directory).lstrip(os.sep)
