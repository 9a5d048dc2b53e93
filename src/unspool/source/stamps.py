"""A root -> how each of its files stands: one look at each, and nothing made of it.

What is found is what `layout.discover` finds.
"""

import os
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from unspool.model.files import Root
from unspool.source.fence import OURS
from unspool.source.sweep import directories, entries, files, look

_HOOK_LOG: Final = ".hooks.jsonl"


class Stamp(NamedTuple):
    """What tells a file that has changed from one that has not."""

    size: int
    inode: int
    mtime_ns: int


Stamped: TypeAlias = tuple[str, Stamp]


def stamps(root: Root) -> Iterator[Stamped]:
    """Every transcript and event log, a project at a time."""
    OURS.add(root.path, root.projects, root.only)
    for path, info in files(root.projects, root.only, with_journals=True):
        yield path, stamp_of(info)
    for directory in directories(os.path.join(root.path, "hooks")):
        for entry in entries(directory):
            if entry.name.endswith(_HOOK_LOG):
                yield from ((path, stamp_of(info)) for path, info in look(directory, entry))


def stamp_of(info: os.stat_result) -> Stamp:
    """What a look tells of a file."""
    return Stamp(info.st_size, info.st_ino, info.st_mtime_ns)
