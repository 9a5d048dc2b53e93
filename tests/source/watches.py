"""A root that is watched, and what is heard of it within a generous time."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic, sleep

from unspool.model.files import WatchEvent
from unspool.source.roots import find_roots
from unspool.source.watch import Watcher

ENOUGH = 60.0
A_WHILE = 0.6
NEVER = 1e9


def watcher(
    root: Path, *, spool: Path | None = None, rescan: float = NEVER, polling: bool = False
) -> Watcher:
    """A watcher of real directories that does not sweep, unless told to."""
    found = find_roots([root], {}, root)
    place = str(spool) if spool else None
    return Watcher(found, place, say=_never, rescan=rescan, polling=polling)


def transcript(root: Path, name: str = "s1.jsonl", data: str = "{}\n", project: str = "-p") -> Path:
    """A file in a project of the root, its directories made."""
    path = root / "projects" / project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data)
    return path


def append(path: Path, data: str = "{}\n") -> None:
    """Write on, as Claude Code does."""
    with path.open("a") as file:
        file.write(data)


def append_often(path: Path, times: int, every: float) -> None:
    """Write on again and again."""
    for _ in range(times):
        sleep(every)
        append(path)


def heard(
    watched: Watcher, count: int, *, meanwhile: Callable[[], object] = lambda: None
) -> list[WatchEvent]:
    """The next changes, so many at least; what happens `meanwhile` happens after the first."""
    changes: list[WatchEvent] = []
    end = monotonic() + ENOUGH
    for batch in watched.batches(Event(), idle=0.05):
        if batch and not changes:
            meanwhile()
        changes += batch
        if len(changes) >= count or monotonic() > end:
            break
    return changes


def heard_later(watched: Watcher, seconds: float = A_WHILE) -> list[WatchEvent]:
    """All that is heard within a while."""
    changes: list[WatchEvent] = []
    end = monotonic() + seconds
    for batch in watched.batches(Event(), idle=0.05):
        changes += batch
        if monotonic() > end:
            break
    return changes


def names(changes: list[WatchEvent]) -> list[str]:
    """The files heard of, in order."""
    return [os.path.basename(change.path) for change in changes]


def _never(said: str) -> None:
    raise AssertionError(said)
