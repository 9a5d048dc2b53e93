"""Read, price and watch the sessions Claude Code leaves on disk.

import unspool

session = unspool.open_session("~/.claude/projects/-repo/0141fab3.jsonl")
print(session.document().metrics.total.cost_usd)

for row in unspool.sessions("~/.claude"):
    print(row.session.title, row.metrics.cost_usd)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from unspool.errors import Ambiguous, NotFound, SourceError, UnspoolError
    from unspool.model.document import SessionDocument
    from unspool.model.listing import SessionSummary
    from unspool.recall import Recall, Session

__version__ = "0.1.1"

__all__ = [
    "Ambiguous",
    "NotFound",
    "Session",
    "SessionDocument",
    "SessionSummary",
    "SourceError",
    "UnspoolError",
    "__version__",
    "open_session",
    "sessions",
]


def open_session(path: str | PathLike[str], *, now: int | None = None) -> Session:
    """Open the session of one transcript file, its subagents included.

    `now` is the moment its status is told for, in milliseconds since 1970; by default this one.
    Raises NotFound where there is no such file, SourceError where it cannot be read.
    """
    from pathlib import Path

    return _recall(now).open(Path(path).expanduser())


def sessions(
    root: str | PathLike[str] | None = None, *, now: int | None = None
) -> Iterator[SessionSummary]:
    """Every session of a Claude Code directory worth reading, newest activity first.

    Without a root, the directories that Claude Code itself would use on this machine. Where
    there is an index it is brought up to date and asked; else the files are read, one by one.
    """
    from pathlib import Path

    from unspool.cli.freshen import listed
    from unspool.cli.stores import Stores

    given = [] if root is None else [str(Path(root).expanduser())]
    return (row for row in listed(Stores(given), _moment(now)) if not row.hidden)


def _moment(now: int | None) -> int:
    from time import time

    return int(time() * 1000) if now is None else now


def _recall(now: int | None) -> Recall:
    from pathlib import Path

    from unspool.decode.prices import price_table
    from unspool.recall import Recall
    from unspool.source.prices import bundled

    return Recall([], price_table(bundled(), None), now=_moment(now), home=Path.home())


def __getattr__(name: str) -> object:
    """Load the named types when they are first asked for: `unspool --version` needs none."""
    if name in ("Session", "Recall"):
        from unspool import recall

        return getattr(recall, name)
    if name == "SessionDocument":
        from unspool.model.document import SessionDocument

        return SessionDocument
    if name == "SessionSummary":
        from unspool.model.listing import SessionSummary

        return SessionSummary
    if name in __all__:
        from unspool import errors

        return getattr(errors, name)
    raise AttributeError(f"module 'unspool' has no attribute {name!r}")
