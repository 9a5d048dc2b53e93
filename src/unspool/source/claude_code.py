"""The layout of a Claude Code root: names of directories and files -> what each of them is.

The adapter that `source.files` walks with: another agent's layout would be another module with the
same functions. It never touches the disk and loads no model.
"""

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    from unspool.model.files import WatchedKind

    # The fields of a FileName: a walk names thousands, and most of them are needed only once.
    NameParts: TypeAlias = tuple[WatchedKind, str, str | None, str | None]

    class RootLike(Protocol):
        """A `Root`, or a `RootPlace` where the model is not loaded."""

        @property
        def path(self) -> str: ...
        @property
        def prefix(self) -> str: ...
        @property
        def projects(self) -> str: ...
        @property
        def only(self) -> str | None: ...
        @property
        def tombstones(self) -> str: ...
        @property
        def is_loose(self) -> bool: ...


# An unfinished last line is accepted once its file has not been written to for this long.
QUIET_MS = 30_000
# A longer line is not read.
MAX_LINE_BYTES = 64 * 1024 * 1024
LINES = ".jsonl"
HOOK_LOG = ".hooks.jsonl"
SUBAGENTS = "subagents"
REGISTRY_NAME = re.compile(r"([1-9][0-9]{0,9})\.json")

_AGENT_NAME = re.compile(r"agent-([A-Za-z0-9][A-Za-z0-9@._-]{0,127})\.jsonl")
_SPOOL_NAME = re.compile(r"(\d{4}-\d\d-\d\d|x-\d+-\d+)\.spool")
# The kind of an agent's file, by what its folder holds.
_AGENTS_IN: "dict[str, WatchedKind]" = {
    "project": "legacy_subagent",
    "subagents": "subagent",
    "agents": "subagent",
    "workflows": "workflow_subagent",
}
_TOPS = {"projects": "project", "hooks": "hook_logs"}
# Directories beside the projects: what a directory in each holds, and the files there.
_BESIDE = {"tasks": "task_list", "jobs": "job"}
_SIDE_NAMES: "dict[str, tuple[WatchedKind, re.Pattern[str]]]" = {
    "todos": ("todo", re.compile(r"[^/]+\.json")),
    "task_list": ("task", re.compile(r"[^/.][^/]*\.json")),
    "plans": ("plan", re.compile(r"[^/]+\.md")),
    "job": ("job", re.compile(r"state\.json")),
}


class FileName(NamedTuple):
    """What a path says about its file; the session of a legacy agent is on its first line."""

    kind: "WatchedKind"
    project_id: str = ""
    session_id: str | None = None
    agent_id: str | None = None


class Folder(NamedTuple):
    """A directory that may contain files of ours, and what it holds."""

    holds: str
    project_id: str = ""  # for one that holds projects: their prefix
    session_id: str | None = None


SPOOL = Folder("spool")  # our own, in our own home


def top_folders(root: "RootLike") -> tuple[tuple[str, Folder], ...]:
    """The directories of a root that hold files of ours. Each may be a link itself."""
    return _top_folders(root.path, root.prefix, root.projects, root.only)


@lru_cache(maxsize=64)
def _top_folders(
    path: str, prefix: str, projects: str, only: str | None
) -> tuple[tuple[str, Folder], ...]:
    hooks, registry = os.path.join(path, "hooks"), os.path.join(path, "sessions")
    if only is None:
        return (
            (projects, Folder("projects", prefix)),
            (hooks, Folder("hooks", prefix)),
            (registry, Folder("registry")),
        )
    return (
        (os.path.join(projects, only), Folder("project", prefix + only)),
        (os.path.join(hooks, only), Folder("hook_logs", prefix + only)),
        (registry, Folder("registry")),
    )


def side_folder(root: "RootLike", name: str) -> tuple[str, Folder]:
    """One of the directories `tasks`, `todos`, `plans` and `jobs` of a root."""
    return os.path.join(root.path, name), Folder(name)


def enter(folder: Folder, name: str) -> Folder | None:
    """What a subdirectory holds; None if it cannot contain files of ours."""
    holds, id, session = folder
    if holds in _BESIDE and is_name(name):
        return Folder(_BESIDE[holds])
    if not is_name(name) or name.endswith(LINES):
        return None
    if is_odd(name):
        return None
    if holds in _TOPS:
        return Folder(_TOPS[holds], id + name)
    if holds == "project":
        return Folder("session", id, name)
    if holds == "session":
        return Folder("subagents", id, session) if name == SUBAGENTS else None
    if holds == "subagents":
        return Folder("workflows" if name == "workflows" else "agents", id, session)
    return folder if holds in ("agents", "workflows") else None


def name_file(folder: Folder, name: str) -> "NameParts | None":
    """What a file in a folder is, by its name; None if it is not ours."""
    holds, id, session = folder
    if not name.endswith(LINES):
        return _name_other(holds, name)
    if is_odd(name):
        return None
    if holds == "hook_logs":
        log = name.removesuffix(HOOK_LOG)
        return ("hook_log", id, log, None) if log != name and is_name(log) else None
    if name.startswith("agent-"):
        kind, agent = _AGENTS_IN.get(holds), _AGENT_NAME.fullmatch(name)
        return (kind, id, session, agent[1]) if kind and agent else None
    if holds == "project":
        main = name.removesuffix(LINES)
        return ("main", id, main, None) if is_name(main) else None
    is_journal = holds == "workflows" and name == "journal.jsonl"
    return ("journal", id, session, None) if is_journal else None


def may_be_ours(folder: Folder, name: str) -> bool:
    """Whether a name looks like one of ours, even if it is not."""
    return name.endswith(HOOK_LOG if folder.holds == "hook_logs" else LINES) and (
        folder.holds == "hook_logs" or folder.holds in _AGENTS_IN
    )


def loose_project(path: str) -> str:
    """The project directory of a file outside every root, as far as its path shows it."""
    parts = path.split(os.sep)
    if SUBAGENTS in parts[2:-1]:
        at = len(parts) - 1 - parts[::-1].index(SUBAGENTS)
        return os.sep.join(parts[: at - 1])
    return os.path.dirname(path)


def _name_other(holds: str, name: str) -> "NameParts | None":
    """The registry of live sessions, lists, plans and jobs, and our own spool of hook events."""
    if holds in _SIDE_NAMES:
        kind, pattern = _SIDE_NAMES[holds]
        return (kind, "", None, None) if pattern.fullmatch(name) and not is_odd(name) else None
    if holds == "registry" and REGISTRY_NAME.fullmatch(name):
        return "registry", "", None, None
    return ("spool", "", None, None) if holds == "spool" and _SPOOL_NAME.fullmatch(name) else None


def is_name(text: str) -> bool:
    """Whether this is a valid project or session name: nothing else may become part of a path."""
    return text not in ("", ".", "..") and os.sep not in text and "\0" not in text


def is_odd(name: str) -> bool:
    """Whether a name is not a live file of Claude Code: set aside, or not UTF-8."""
    if ".orphaned" in name or ".superseded" in name:
        return True
    # A byte that is not UTF-8 is decoded as half a surrogate pair.
    return not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name)
