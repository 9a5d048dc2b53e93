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

    from unspool.engine.recall import Recall
    from unspool.engine.session import Session
    from unspool.errors import Ambiguous, NotFound, SourceError, UnspoolError
    from unspool.model.document import SessionDocument
    from unspool.model.session import SessionSummary

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


def open_session(
    name: str | PathLike[str],
    *,
    root: str | PathLike[str] | None = None,
    project: str | None = None,
    now: int | None = None,
) -> Session:
    """Open a session, its subagents included, wherever anything of it is left.

    `name` is the path of its transcript, its id, a unique beginning of that, or `latest`. Where
    two projects of a root have the same id, `project` says which. Sessions that are only in the
    archive, or known from hook events only, open too: `document().diagnostics.missing` says so.
    `now` is the moment its status is told for, in milliseconds since 1970; by default this one.
    Raises NotFound where there is no such session, SourceError where it cannot be read.
    """
    from os import fspath
    from os.path import expanduser

    recall = _recall(root, now)
    return recall.open(recall.find(expanduser(fspath(name)), project=project))


def sessions(
    root: str | PathLike[str] | None = None, *, now: int | None = None
) -> Iterator[SessionSummary]:
    """Every session of a Claude Code directory worth reading, newest activity first.

    Those that are only in the archive, or known from hook events only, are among them; those
    that were hidden are not. Without a root, the directories that Claude Code itself would use
    on this machine.
    """
    return (row for row in _recall(root, now).summaries() if not row.hidden)


def _recall(root: str | PathLike[str] | None, now: int | None) -> Recall:
    """Who reads the sessions of a root; the index is used where there is one, and never written."""
    from os import environ, fspath
    from os.path import exists, expanduser, join
    from pathlib import Path
    from time import time

    from unspool.decode.prices import price_table
    from unspool.engine.archive import Archive
    from unspool.engine.recall import Recall
    from unspool.errors import StoreError
    from unspool.source import prices, roots
    from unspool.store.sqlite.migrations import archived_roots
    from unspool.store.sqlite.store import SqliteStore

    given, user_home = [] if root is None else [expanduser(fspath(root))], expanduser("~")
    scope = roots.own_scope(given, environ, user_home, archived_roots)
    own = prices.overrides(Path(roots.unspool_home(environ, user_home)))
    table, moment = price_table(prices.bundled(), own), int(time() * 1000) if now is None else now
    archive = None
    if exists(join(scope.home, roots.INDEX)):
        try:
            # It is let go of with the last session that was opened by it.
            archive = Archive(SqliteStore(Path(scope.home), mode="ro"))
            archive.sources()
        except StoreError:
            archive = None  # the files can be read all the same
    return Recall.in_home(scope, table, now=moment, home=Path(user_home), archive=archive)


def __getattr__(name: str) -> object:
    """Load the named types when they are first asked for: `unspool --version` needs none."""
    if name == "Session":
        from unspool.engine.session import Session

        return Session
    if name == "Recall":
        from unspool.engine.recall import Recall

        return Recall
    if name == "SessionDocument":
        from unspool.model.document import SessionDocument

        return SessionDocument
    if name == "SessionSummary":
        from unspool.model.session import SessionSummary

        return SessionSummary
    if name in __all__:
        from unspool import errors

        return getattr(errors, name)
    raise AttributeError(f"module 'unspool' has no attribute {name!r}")
