"""Read, price and watch the sessions Claude Code leaves on disk.

import unspool

with unspool.open() as ws:
    for row in ws.sessions(since="7d"):
        print(row.id, row.title, row.status, row.cost_usd)
    session = ws.session("latest")
    for call in session.tool_calls():
        print(call.execution.name, call.execution.state)
    print(ws.cost(by="day").total.spend.usd)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from os import PathLike

    from unspool.engine.sessions.session import Session
    from unspool.engine.workspace import Workspace
    from unspool.errors import (
        Ambiguous,
        ConfigError,
        NotFound,
        SourceError,
        StoreError,
        UnspoolError,
    )
    from unspool.model.document import SessionDocument
    from unspool.model.live import LiveEvent
    from unspool.model.session import Board, SessionSummary
    from unspool.model.transcript import Entry
    from unspool.model.usage import Report

__version__ = "0.1.1"

__all__ = [
    "Ambiguous",
    "Board",
    "ConfigError",
    "LiveEvent",
    "NotFound",
    "Report",
    "Session",
    "SessionDocument",
    "SessionSummary",
    "SourceError",
    "StoreError",
    "UnspoolError",
    "Workspace",
    "__version__",
    "open",
    "open_session",
    "parse",
    "price",
    "sessions",
]

_MODULES = {
    "Board": "unspool.model.session",
    "LiveEvent": "unspool.model.live",
    "Report": "unspool.model.usage",
    "Session": "unspool.engine.sessions.session",
    "SessionDocument": "unspool.model.document",
    "SessionSummary": "unspool.model.session",
    "Workspace": "unspool.engine.workspace",
}


def open(
    root: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
    *,
    home: str | PathLike[str] | None = None,
    now: int | datetime | None = None,
) -> Workspace:
    """The sessions of one or several Claude Code directories.

    Without a root these are the directories Claude Code itself uses on this machine. `home` is
    where unspool keeps its index, your prices and your marks (default: UNSPOOL_HOME, or the usual
    data directory). `now` fixes the moment statuses and spans such as `7d` are counted from, as a
    datetime or in milliseconds since 1970. NotFound if a root is no directory.
    """
    from collections.abc import Sequence
    from os import environ, fspath
    from os.path import expanduser
    from pathlib import Path

    from unspool.engine.stores import Machine, Stores
    from unspool.engine.usage.price_files import PriceFiles
    from unspool.engine.workspace import Workspace
    from unspool.source import roots
    from unspool.store.sqlite.migrations import archived_roots

    if root is None:
        root = ()
    given = root if isinstance(root, Sequence) and not isinstance(root, str) else [root]
    env = dict(environ) if home is None else {**environ, "UNSPOOL_HOME": expanduser(fspath(home))}
    user_home = expanduser("~")
    explicit = [expanduser(fspath(one)) for one in given]
    scope = roots.own_scope(explicit, env, user_home, archived_roots)
    prices = PriceFiles(roots.unspool_home(env, user_home))
    machine = Machine(_clock(now), Path(user_home), prices, _warn)
    return Workspace(Stores(scope, machine, read_only=True))


def sessions(
    root: str | PathLike[str] | None = None, *, now: int | datetime | None = None
) -> Iterator[SessionSummary]:
    """Short for `open(root).sessions()`: newest activity first."""
    return open(root, now=now).sessions()


def open_session(
    name: str | PathLike[str] = "latest",
    *,
    root: str | PathLike[str] | None = None,
    project: str | None = None,
    now: int | datetime | None = None,
) -> Session:
    """Short for `open(root).session(name)`: by id, prefix, path, or `latest`."""
    return open(root, now=now).session(name, project=project)


def parse(path: str | PathLike[str]) -> Iterator[Entry]:
    """The entries of one transcript, line by line; nothing else is read.

    A line that cannot be read is an entry as well: `Unreadable`, `Unknown` or `Oversize`.
    NotFound if there is no such file, SourceError if it cannot be read.
    """
    from os import fspath
    from os.path import expanduser

    from unspool.engine.transcripts.rows import parse

    return parse(expanduser(fspath(path)))


def price(  # noqa: PLR0913 - all optional, by name
    model: str,
    *,
    input: int = 0,
    output: int = 0,
    cache_read: int = 0,
    cache_write_5m: int = 0,
    cache_write_1h: int = 0,
    web_searches: int = 0,
    at: int | datetime | None = None,
    home: str | PathLike[str] | None = None,
) -> float | None:
    """What one response costs in dollars; None if no price is known for the model.

    Prices are those of the day `at`, by default today. Your own in `prices.toml` win.
    """
    from os import environ, fspath
    from os.path import expanduser

    from unspool.engine.usage.price_files import PriceFiles
    from unspool.model.usage import Tokens
    from unspool.source.roots import unspool_home

    where = unspool_home(environ, expanduser("~")) if home is None else fspath(home)
    tokens = Tokens(
        input,
        output,
        cache_read,
        cache_write_5m + cache_write_1h,
        cache_write_5m,
        cache_write_1h,
        web_searches,
    )
    pico = PriceFiles(expanduser(where)).pricer().price(tokens, model, _clock(at)())
    return None if pico is None else pico / 10**12


def _clock(now: int | datetime | None) -> Callable[[], int]:
    from time import time_ns

    if now is None:
        return lambda: time_ns() // 1_000_000
    moment = now if isinstance(now, int) else int(now.timestamp() * 1_000)
    return lambda: moment


def _warn(text: str) -> None:
    from warnings import warn

    warn(text, stacklevel=3)


def __getattr__(name: str) -> object:
    """Load a type when it is first used: `unspool --version` needs none."""
    from importlib import import_module

    if name in __all__:
        return getattr(import_module(_MODULES.get(name, "unspool.errors")), name)
    raise AttributeError(f"module 'unspool' has no attribute {name!r}")
