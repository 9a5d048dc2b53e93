"""Files -> the sums of what they say was spent, by as many processes as that is worth."""

import gc
import os
import sys
from importlib import import_module

from unspool.cli.costs.asked import Asked
from unspool.ingest.scan.crew import WORTH_MANY, Crew, Turn, shares, usual_count
from unspool.ingest.scan.links import Link, Lost
from unspool.model.costs import Total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Then: TypeAlias = Callable[[Sequence[str]], None]


def scanned(wanted: Asked, *, keep: bool = False, then: "Then | None" = None) -> list[Total]:
    """Sums of all files as they are now; `keep` leaves a ledger where there is none.

    A large one is written by the processes that scanned, after this has returned; what is to be
    done with it then, the last of them does.
    """
    count = usual_count()
    if count and sum(size for _, size, _ in wanted.files) >= WORTH_MANY:
        try:
            return _together(wanted, count, keep, then)
        except Lost:
            pass  # alone, what goes wrong is told
    return alone(wanted, keep=keep)


def _together(wanted: Asked, count: int, keep: bool, then: "Then | None") -> list[Total]:
    def work(paths: list[str], link: Link, turn: Turn) -> None:
        _work(wanted, paths, link, turn)
        if then and turn.is_last:
            then(wanted.explicit)

    crew = Crew(shares(wanted.files, count), work)
    try:
        found = crew.totals()
        if keep:
            crew.keep(wanted.home)
        return found
    finally:
        crew.close()


def _work(wanted: Asked, paths: list[str], link: Link, turn: Turn) -> None:
    """In a process of its own: scan, tell, and write what was scanned where that is wanted."""
    gc.disable()  # it ends before there is much to collect
    load()
    from unspool.cli.costs import given
    from unspool.ingest.scan.worker import serve, tallied

    tally = tallied(paths, given.roots(wanted), given.prices())
    places = serve(tally, link, turn)
    if places is not None:
        from unspool.ingest.scan.keep import keep

        keep(tally, wanted.prices, places, turn)


def alone(wanted: Asked, *, keep: bool = False) -> list[Total]:
    """The same in this process; what is kept is there when it returns."""
    load()
    from unspool.cli.costs import given
    from unspool.ingest.scan.tally import settled_sums
    from unspool.ingest.scan.worker import tallied

    paths = (path for path, _, _ in wanted.files)
    tally = tallied(paths, given.roots(wanted), given.prices())
    sums, rows = tally.sums()
    if keep:
        from unspool.ingest.scan import keep as keeping

        aside = os.path.join(wanted.home, f"scan-{os.getpid()}")
        keeping.keep(tally, wanted.prices, (wanted.home, aside), Turn(None, None))
    return sums + settled_sums(rows, tally.price)


def load() -> None:
    """Load msgspec without typing_extensions: it has other names for all it takes from there."""
    names = "msgspec", "typing_extensions"
    if not any(name in sys.modules for name in names):
        sys.modules[names[1]] = None  # type: ignore[assignment]
        try:
            import_module(names[0])
        finally:
            del sys.modules[names[1]]
