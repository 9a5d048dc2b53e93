"""Where unspool's own files are and which roots are meant, asked without loading anything."""

import os
import zlib
from collections.abc import Sequence

import unspool
from unspool.source import roots
from unspool.source.roots import INDEX as INDEX
from unspool.source.roots import RAW as RAW


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
    bundled = os.path.join(os.path.dirname(unspool.__file__), "source", "prices.json")
    return "".join(_sum(path) for path in (bundled, os.path.join(home, "prices.toml")))


def _sum(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return f"{zlib.crc32(file.read()):08x}"
    except OSError:
        return "-"
