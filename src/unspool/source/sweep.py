"""A root -> size and time of each file that can tell what was spent, one look at each.

A report of costs comes through here before anything else. It loads no model: where nothing has
changed, looking is all there is to do. What is found is what `layout.discover` finds.
"""

import os
import re
import stat
from collections.abc import Iterator

from unspool.source.fence import OURS

_AGENT = re.compile(r"agent-([A-Za-z0-9][A-Za-z0-9@._-]{0,127})\.jsonl")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Look: TypeAlias = tuple[str, int, int]  # path, size, mtime_ns
    Entry: TypeAlias = os.DirEntry[str]


def sweep(projects: str, only: str | None = None) -> "Iterator[Look]":
    """Every transcript and every agent's below a `projects` directory, or below one of it."""
    if only is not None:
        yield from _project(os.path.join(projects, only))
        return
    for entry in _entries(projects):
        if _is_directory(entry):
            yield from _project(os.path.join(projects, entry.name))


def _project(directory: str) -> "Iterator[Look]":
    legacy, agents = [], set()
    for entry in _entries(directory):
        if _is_directory(entry):
            for agent, look in _agents(os.path.join(directory, entry.name)):
                agents.add((entry.name, agent))
                yield look
        elif found := _AGENT.fullmatch(entry.name):
            legacy.append((found[1], _look(directory, entry)))
        elif _is_main(entry.name) and (main := _look(directory, entry)):
            yield main
    twice = {agent for _, agent in agents}
    for agent, old in legacy:
        if old and not (agent in twice and (_session(old[0]), agent) in agents):
            yield old


def _agents(session: str) -> "Iterator[tuple[str, Look]]":
    waiting = [os.path.join(session, "subagents")]
    while waiting:
        directory = waiting.pop()
        for entry in _entries(directory):
            if _is_directory(entry):
                waiting.append(os.path.join(directory, entry.name))
            elif (found := _AGENT.fullmatch(entry.name)) and (look := _look(directory, entry)):
                yield found[1], look


def _session(path: str) -> str | None:
    # An agent that lies in both layouts is rare; only then is a file opened.
    from unspool.source.heads import first_session_id  # noqa: PLC0415

    return first_session_id(path)


def _is_main(name: str) -> bool:
    return name.endswith(".jsonl") and name != ".jsonl" and not name.startswith("agent-")


def _entries(directory: str) -> "Iterator[Entry]":
    try:
        yield from OURS.scan(directory)
    except (OSError, ValueError):
        return


def _is_directory(entry: "Entry") -> bool:
    name = entry.name
    return not name.endswith(".jsonl") and entry.is_dir(follow_symlinks=False) and _is_named(name)


def _look(directory: str, entry: "Entry") -> "Look | None":
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return None  # it went away while we looked
    if not stat.S_ISREG(info.st_mode) or not _is_named(entry.name):
        return None
    return directory + os.sep + entry.name, info.st_size, info.st_mtime_ns


def _is_named(name: str) -> bool:
    if ".orphaned" in name or ".superseded" in name:
        return False
    # A byte that is not UTF-8 stands as half a surrogate pair.
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)
