"""A root -> how each of its files stands: one look at each, and nothing made of it.

What is found is what `layout.discover` finds.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from unspool.model.files import Root
from unspool.source.fence import OURS
from unspool.source.heads import first_session_id

_HOOK_LOG: Final = ".hooks.jsonl"
_AGENT: Final = re.compile(r"agent-([A-Za-z0-9][A-Za-z0-9@._-]{0,127})\.jsonl")


class Stamp(NamedTuple):
    """What tells a file that has changed from one that has not."""

    size: int
    inode: int
    mtime_ns: int


Look: TypeAlias = tuple[str, Stamp]


def stamps(root: Root) -> Iterator[Look]:
    """Every transcript and event log, a project at a time."""
    OURS.add(root.path, root.projects, root.only)
    for project in _projects(root):
        yield from _project(project)
    for directory in _directories(os.path.join(root.path, "hooks")):
        for entry in _entries(directory):
            if entry.name.endswith(_HOOK_LOG):
                yield from _look(directory, entry)


def _projects(root: Root) -> Iterable[str]:
    if root.only is not None:
        return [os.path.join(root.projects, root.only)]
    return _directories(root.projects)


def _project(directory: str) -> Iterator[Look]:
    legacy, agents = [], set()
    for entry in _entries(directory):
        name = entry.name
        if _is_directory(entry):
            for agent, look in _below(os.path.join(directory, name, "subagents")):
                agents.add((name, agent))
                yield look
        elif found := _AGENT.fullmatch(name):
            legacy += [(found[1], look) for look in _look(directory, entry)]
        elif name.endswith(".jsonl") and name != ".jsonl" and not name.startswith("agent-"):
            yield from _look(directory, entry)
    # An agent that lies in both layouts is rare; only then is a file opened.
    twice = {agent for _, agent in agents}
    for agent, look in legacy:
        if agent not in twice or (first_session_id(look[0]), agent) not in agents:
            yield look


def _below(subagents: str) -> Iterator[tuple[str, Look]]:
    """Agents at any depth, and the journals of workflows, which are nobody's."""
    waiting, workflows = [subagents], os.path.join(subagents, "workflows", "")
    while waiting:
        directory = waiting.pop()
        in_workflow = os.path.join(directory, "").startswith(workflows)
        for entry in _entries(directory):
            name = entry.name
            if _is_directory(entry):
                waiting.append(os.path.join(directory, name))
            elif found := _AGENT.fullmatch(name):
                yield from ((found[1], look) for look in _look(directory, entry))
            elif in_workflow and name == "journal.jsonl":
                yield from (("", look) for look in _look(directory, entry))


def _directories(directory: str) -> list[str]:
    every = [entry.name for entry in _entries(directory) if _is_directory(entry)]
    return [os.path.join(directory, name) for name in sorted(every)]


def _entries(directory: str) -> "Iterator[os.DirEntry[str]]":
    try:
        yield from OURS.scan(directory)
    except (OSError, ValueError):
        return


def _is_directory(entry: "os.DirEntry[str]") -> bool:
    name = entry.name
    return not name.endswith(".jsonl") and entry.is_dir(follow_symlinks=False) and _is_named(name)


def _look(directory: str, entry: "os.DirEntry[str]") -> tuple[Look, ...]:
    """A file, unless it is something else or went away while we looked."""
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return ()
    if not stat.S_ISREG(info.st_mode) or not _is_named(entry.name):
        return ()
    found = Stamp(info.st_size, info.st_ino, info.st_mtime_ns)
    return ((directory + os.sep + entry.name, found),)


def _is_named(name: str) -> bool:
    """Neither put aside by Claude Code nor in bytes that are no UTF-8."""
    if ".orphaned" in name or ".superseded" in name:
        return False
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)
