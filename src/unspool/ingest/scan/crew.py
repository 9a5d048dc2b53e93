"""Processes that scan together: each counts its share, and no answer is counted twice.

They are forked from a process that has no thread, no connection and no model loaded, and stays
so: whoever waits for a report waits for nothing else.
"""

import os
from array import array
from collections.abc import Callable, Sequence

from unspool.ingest.scan.links import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TypeAlias

    from unspool.model.costs import Total
    from unspool.source.files import FileState

    Serve: TypeAlias = Callable[[list[str], Link, "Turn"], None]

# Less than this is done sooner alone.
WORTH_MANY = 20 * 1024 * 1024
# Opening a file takes about as long as looking through this much of one.
_OPENING = 16 * 1024


def usual_count() -> int:
    """One for each processor; none where a process cannot be forked."""
    if not hasattr(os, "fork"):
        return 0
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shares(files: "Sequence[FileState]", count: int) -> list[list[str]]:
    """Paths in so many parts of about the same size, the largest files first."""
    parts: list[tuple[int, int, list[str]]] = [(0, n, []) for n in range(count)]
    for path, size, _ in sorted(files, key=lambda file: -file[1]):
        weight, n, paths = min(parts)
        paths.append(path)
        parts[n] = weight + size + _OPENING, n, paths
    return [paths for _, _, paths in parts]


class Turn:
    """Lets the processes write one after the other: the next begins when one is done."""

    def __init__(self, before: int | None, after: int | None) -> None:
        self._before, self._after = before, after

    @property
    def is_first(self) -> bool:
        """Whether nobody comes before."""
        return self._before is None

    @property
    def is_last(self) -> bool:
        """Whether nobody comes after."""
        return self._after is None

    def wait(self) -> bool:
        """Wait for the one before; False where it failed."""
        return self._before is None or os.read(self._before, 1) == b"."

    def done(self) -> None:
        """Let the next begin."""
        if self._after is not None:
            os.write(self._after, b".")


class Crew:
    """Some processes, each with its share; the first settles what several of them have."""

    def __init__(self, parts: Sequence[list[str]], serve: "Serve") -> None:
        self._links: list[Link] = []
        turns = [os.pipe() for _ in parts[1:]]
        for n, part in enumerate(parts):
            (theirs, to_them), (from_them, out) = os.pipe(), os.pipe()
            if not os.fork():
                for fd in (to_them, from_them):
                    os.close(fd)
                _live(serve, part, Link(theirs, out), self._turn(n, turns))
            os.close(theirs)
            os.close(out)
            self._links.append(Link(from_them, to_them))
        for fd in (end for pipe in turns for end in pipe):
            os.close(fd)

    def _turn(self, n: int, turns: list[tuple[int, int]]) -> Turn:
        """In a new process: keep what is its own, let go of what is the others'."""
        for link in self._links:
            link.close()
        before = turns[n - 1][0] if n else None
        after = turns[n][1] if n < len(turns) else None
        for fd in {end for pipe in turns for end in pipe} - {before, after}:
            os.close(fd)
        return Turn(before, after)

    def totals(self) -> "list[Total]":
        """Wait for all shares and give their sums; Lost where a process died."""
        first, *others = self._links
        shared = _shared([link.receive() for link in self._links])
        for link in self._links:
            link.send(shared)
        parts = [link.receive() for link in others]
        first.send([rows for _, rows in parts])
        totals: list[Total] = first.receive()
        for sums, _ in parts:
            totals += sums
        return totals

    def keep(self, home: str) -> None:
        """Have all of it written into an index in this directory; nobody waits for that."""
        aside = os.path.join(home, f"scan-{os.getpid()}")
        for link in self._links:
            link.send((home, aside))

    def close(self) -> None:
        """Let them end: at once, or when they have written what they were told to."""
        for link in self._links:
            link.close()


def _shared(names: list[bytes]) -> bytes:
    """What more than one process has met, by the hashes that forked processes have in common."""
    seen: set[int] = set()
    twice: set[int] = set()
    for packed in names:
        met = set(array("q", packed))
        twice |= seen & met
        seen |= met
    return array("q", twice).tobytes()


def _live(serve: "Serve", part: list[str], link: Link, turn: Turn) -> "NoReturn":
    """A process's life: whatever happens in it, it ends here."""
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        serve(part, link, turn)
        os._exit(0)
    except BaseException:  # its parent does the work again, and tells
        os._exit(1)
