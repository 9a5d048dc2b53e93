"""Clock, home and roots of this machine, for commands that must start without loading anything."""

import os
import time
from collections.abc import Sequence

from unspool.engine.usage.price_files import PriceFiles
from unspool.source import roots
from unspool.source.roots import INDEX as INDEX
from unspool.source.roots import RAW as RAW


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def unspool_home() -> str:
    """Where unspool keeps its own files."""
    return roots.unspool_home(os.environ, os.path.expanduser("~"))


def price_files() -> PriceFiles:
    """The prices in force."""
    return PriceFiles(unspool_home())


def scope(explicit: Sequence[str] = ()) -> roots.Scope:
    """The Claude Code directories to read, and where their index is."""
    return roots.own_scope(explicit, os.environ, os.path.expanduser("~"), _archived)


def _archived(home: str) -> list[tuple[str, str, int]]:
    from unspool.store.sqlite.migrations import archived_roots

    return archived_roots(home)
