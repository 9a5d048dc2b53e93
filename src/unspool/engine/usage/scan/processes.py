"""Files -> what each of them used, by as many processes as that is worth.

They are forked from a process that has no thread, and end with it.
"""

import gc
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from unspool.engine.usage.scan.cache import ScanJob, ScannedUsage, usage_of
from unspool.system.forks import can_fork, fork, processors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from unspool.derive.usage.prices import Pricer
    from unspool.source.roots import Scope

# Less than this is done sooner alone.
WORTH_MANY = 20 * 1024 * 1024
# Opening a file takes about as long as looking through this much of one.
_OPENING = 16 * 1024
_ROOM = 16 * 1024 * 1024
_CLOSER = "unspool.engine.usage.scan.closer"


class ScannerLost(Exception):
    """A process has ended too early."""


class Scanner:
    """Scans files of some roots, and prices what it finds."""

    def __init__(
        self,
        scope: "Scope",
        pricer: "Callable[[], Pricer]",
        now: int,
        *,
        may_fork: bool = True,
    ) -> None:
        self._scope, self._pricer, self._now = scope, pricer, now
        self._may_fork = may_fork  # not in a process that may have threads
        self._prices: Pricer | None = None
        self._links: list[Link] = []

    def scan(self, jobs: Sequence[ScanJob]) -> list[ScannedUsage]:
        """Scan whole files. Those that cannot be opened are left out."""
        if not jobs:
            return []  # nothing has to be loaded for that
        if self._links or self._is_worth_many(jobs):
            try:
                return self._scan_together(jobs)
            except ScannerLost:
                self.close()  # alone, what goes wrong is told
        return [usage_of(one) for one in self._scan(jobs)]

    def _is_worth_many(self, jobs: Sequence[ScanJob]) -> bool:
        is_much = self._may_fork and sum(job.size for job in jobs) >= WORTH_MANY
        return is_much and usual_count() > 1

    def _scan_together(self, jobs: Sequence[ScanJob]) -> list[ScannedUsage]:
        if not self._links:
            self._fork(usual_count())
        for link, part in zip(self._links, shares(jobs, len(self._links)), strict=True):
            link.send([tuple(job) for job in part])
        return [usage_of(one) for link in self._links for one in link.receive()]

    def _fork(self, count: int) -> None:
        self._scan([])  # what that loads, all of them have
        import_module(_CLOSER)  # in so many files there is a line for it
        for _ in range(count):
            (theirs, to_them), (from_them, out) = os.pipe(), os.pipe()
            if not fork():
                for fd in (to_them, from_them):
                    os.close(fd)
                self.close()
                self._serve(Link(theirs, out))
            os.close(theirs)
            os.close(out)
            self._links.append(Link(from_them, to_them))

    def _serve(self, link: "Link") -> "NoReturn":
        """A process's life: whatever happens in it, it ends here."""
        try:
            gc.disable()  # it ends before there is much to collect
            while True:
                link.send(self._scan([ScanJob(*job) for job in link.receive()]))
        except BaseException:  # its parent does the work again, and tells
            os._exit(1)

    def _scan(self, jobs: Sequence[ScanJob]) -> "list[tuple[Any, ...]]":
        load_msgspec()
        from unspool.engine.usage.scan.sums import scan_jobs  # noqa: PLC0415

        # What glibc has once seen freed it keeps from then on: else each window is given back to
        # the system, and the next one comes from there page by page.
        bytes(_ROOM)
        self._prices = self._prices or self._pricer()
        found = scan_jobs(jobs, self._scope.roots, self._prices, self._now)
        return [usage.plain() for usage in found]

    def close(self) -> None:
        """Let the processes end."""
        for link in self._links:
            link.close()
        self._links = []


class Link:
    """One end of a pair of pipes between two processes."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._in, self._out = os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")

    def send(self, value: "Any") -> None:
        """Pass a plain value on; ScannerLost where nobody takes it."""
        data = marshal.dumps(value)
        try:
            self._out.write(len(data).to_bytes(8, "big") + data)
            self._out.flush()
        except OSError as error:
            raise ScannerLost from error

    def receive(self) -> "Any":
        """The next value; ScannerLost where none will come."""
        size = self._in.read(8)
        data = self._in.read(int.from_bytes(size, "big"))
        if len(size) < 8 or not data:
            raise ScannerLost
        return marshal.loads(data)  # noqa: S302 - only processes of our own hold the other end

    def close(self) -> None:
        """Close both ends."""
        for end in (self._in, self._out):
            with suppress(OSError):
                end.close()


def usual_count() -> int:
    """One for each processor; none where a process cannot be forked."""
    return processors() if can_fork() else 0


def shares(jobs: Sequence[ScanJob], count: int) -> list[list[ScanJob]]:
    """Jobs in so many parts of about the same size, the largest files first."""
    parts: list[tuple[int, int, list[ScanJob]]] = [(0, n, []) for n in range(count)]
    for job in sorted(jobs, key=lambda job: -job.size):
        weight, n, mine = min(parts, key=lambda part: part[:2])
        mine.append(job)
        parts[n] = weight + job.size + _OPENING, n, mine
    return [mine for _, _, mine in parts]


def load_msgspec() -> None:
    """Load msgspec without typing_extensions: it has other names for all it takes from there."""
    names = "msgspec", "typing_extensions"
    if not any(name in sys.modules for name in names):
        sys.modules[names[1]] = None  # type: ignore[assignment]
        try:
            import_module(names[0])
        finally:
            del sys.modules[names[1]]
