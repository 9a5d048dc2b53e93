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

    return _recall([], now).open(Path(path).expanduser())


def sessions(
    root: str | PathLike[str] | None = None, *, now: int | None = None
) -> Iterator[SessionSummary]:
    """Every session of a Claude Code directory worth reading, last written first.

    Without a root, the directories that Claude Code itself would use on this machine.
    """
    from pathlib import Path

    given = [] if root is None else [str(Path(root).expanduser())]
    return iter(_recall(given, now, search=True).summaries())


def _recall(explicit: list[str], now: int | None, *, search: bool = False) -> Recall:
    from os import environ
    from pathlib import Path
    from time import time

    from unspool.decode.prices import price_table
    from unspool.recall import Recall
    from unspool.source.prices import bundled
    from unspool.source.roots import find_roots

    roots = find_roots(explicit, environ, Path.home()) if search else []
    moment = int(time() * 1000) if now is None else now
    return Recall(roots, price_table(bundled(), None), now=moment, home=Path.home())


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
