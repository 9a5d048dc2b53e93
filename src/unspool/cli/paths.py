"""Where unspool's own files are and which roots are meant, asked without loading anything."""

import os
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress

import unspool
from unspool.source import roots
from unspool.source.roots import INDEX as INDEX
from unspool.source.roots import RAW as RAW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.derive.usage.prices import Pricer
    from unspool.model.usage import Mode

_BUNDLED = os.path.join(os.path.dirname(unspool.__file__), "source", "prices.json")


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def unspool_home() -> str:
    """Where unspool keeps its own files."""
    return roots.unspool_home(os.environ, os.path.expanduser("~"))


def scope(explicit: Sequence[str] = ()) -> roots.Scope:
    """The Claude Code directories to read, and where their index is."""
    return roots.own_scope(explicit, os.environ, os.path.expanduser("~"), _archived)


def _archived(home: str) -> list[tuple[str, str, int]]:
    from unspool.store.sqlite.migrations import archived_roots

    return archived_roots(home)


def prices_name(home: str) -> str:
    """A name that changes when a price does: ours with this version, or the user's."""
    return "".join(_sum(path) for path in (_BUNDLED, os.path.join(home, "prices.toml")))


def pricer(mode: "Mode" = "billing") -> "Pricer":
    """The prices in force: ours, with the user's own over them."""
    from unspool.decode.prices import price_table
    from unspool.derive.usage.prices import Pricer

    overrides = None
    with suppress(OSError), open(os.path.join(unspool_home(), "prices.toml"), "rb") as file:
        overrides = file.read()
    with open(_BUNDLED, "rb") as file:
        return Pricer(price_table(file.read(), overrides), mode)


def _sum(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return f"{zlib.crc32(file.read()):08x}"
    except OSError:
        return "-"
