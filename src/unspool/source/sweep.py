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
    File: TypeAlias = tuple[str, os.stat_result]


def sweep(projects: str, only: str | None = None) -> "Iterator[Look]":
    """Every transcript and every agent's below a `projects` directory, or below one of it."""
    for path, info in files(projects, only):
        yield path, info.st_size, info.st_mtime_ns


def files(
    projects: str, only: str | None = None, *, with_journals: bool = False
) -> "Iterator[File]":
    """The same and all that a look tells; journals of workflows are nobody's transcripts."""
    found = directories(projects) if only is None else [os.path.join(projects, only)]
    for directory in found:
        yield from _project(directory, with_journals)


def directories(directory: str) -> list[str]:
    """Those in it that Claude Code has not put aside, by name."""
    names = sorted(entry.name for entry in entries(directory) if _is_directory(entry))
    return [os.path.join(directory, name) for name in names]


def _project(directory: str, with_journals: bool) -> "Iterator[File]":
    legacy, agents = [], set()
    for entry in entries(directory):
        if _is_directory(entry):
            below = os.path.join(directory, entry.name, "subagents")
            for agent, file in _agents(below, with_journals):
                agents.add((entry.name, agent))
                yield file
        elif found := _AGENT.fullmatch(entry.name):
            legacy += [(found[1], file) for file in look(directory, entry)]
        elif _is_main(entry.name):
            yield from look(directory, entry)
    twice = {agent for _, agent in agents}
    for agent, old in legacy:
        if not (agent in twice and (_session(old[0]), agent) in agents):
            yield old


def _agents(subagents: str, with_journals: bool) -> "Iterator[tuple[str, File]]":
    waiting, workflows = [subagents], os.path.join(subagents, "workflows", "")
    while waiting:
        directory = waiting.pop()
        has_journal = with_journals and os.path.join(directory, "").startswith(workflows)
        for entry in entries(directory):
            if _is_directory(entry):
                waiting.append(os.path.join(directory, entry.name))
            elif found := _AGENT.fullmatch(entry.name):
                yield from ((found[1], file) for file in look(directory, entry))
            elif has_journal and entry.name == "journal.jsonl":
                yield from (("", file) for file in look(directory, entry))


def _session(path: str) -> str | None:
    # An agent that lies in both layouts is rare; only then is a file opened.
    from unspool.source.heads import first_session_id  # noqa: PLC0415

    return first_session_id(path)


def _is_main(name: str) -> bool:
    return name.endswith(".jsonl") and name != ".jsonl" and not name.startswith("agent-")


def entries(directory: str) -> "Iterator[Entry]":
    """What a directory has; one that cannot be listed has nothing."""
    try:
        yield from OURS.scan(directory)
    except (OSError, ValueError):
        return


def _is_directory(entry: "Entry") -> bool:
    name = entry.name
    return not name.endswith(".jsonl") and entry.is_dir(follow_symlinks=False) and _is_named(name)


def look(directory: str, entry: "Entry") -> "tuple[File, ...]":
    """A file, unless it is something else or went away while we looked."""
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return ()
    if not stat.S_ISREG(info.st_mode) or not _is_named(entry.name):
        return ()
    return ((directory + os.sep + entry.name, info),)


def _is_named(name: str) -> bool:
    if ".orphaned" in name or ".superseded" in name:
        return False
    # A byte that is not UTF-8 stands as half a surrogate pair.
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)
