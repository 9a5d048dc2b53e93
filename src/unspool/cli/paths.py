"""Where unspool's own files are and which roots are meant, asked without loading anything."""

import os
import sys
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress

import unspool
from unspool.source.roots import Scope, adopted, find_scope, known_roots, remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unspool.derive.usage.prices import Pricer
    from unspool.model.usage import Mode

INDEX, RAW = "index.db", "raw.db"
_BUNDLED = os.path.join(os.path.dirname(unspool.__file__), "source", "prices.json")


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def unspool_home() -> str:
    """Where unspool keeps its own files."""
    named = os.environ.get("UNSPOOL_HOME")
    if named:
        return named
    if sys.platform != "linux":
        from platformdirs import user_data_dir

        return user_data_dir("unspool", appauthor=False)
    data = os.environ.get("XDG_DATA_HOME", "")
    return os.path.join(data if data.strip() else os.path.expanduser("~/.local/share"), "unspool")


def scope(explicit: Sequence[str] = ()) -> Scope:
    """The Claude Code directories to read, and where their index is."""
    home, user_home = unspool_home(), os.path.expanduser("~")
    if not known_roots(home) and os.path.exists(os.path.join(home, RAW)):
        # A home of 0.1.0 kept no prefixes, or somebody damaged the file that does.
        from unspool.store.sqlite.migrations import archived_roots

        own = [place.path for place in find_scope((), os.environ, user_home, home).places]
        with suppress(OSError):  # nowhere to write: it is found out again next time
            remember(home, adopted(archived_roots(home), own))
    return find_scope(explicit, os.environ, user_home, home)


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
