"""Where the ledger lies and which prices it should be of, asked without loading anything."""

import os
import sys
import zlib
from collections.abc import Sequence

import unspool

INDEX = "index.db"


def unspool_home() -> str:
    """The directory `config.unspool_home` names."""
    named = os.environ.get("UNSPOOL_HOME")
    if named:
        return named
    if sys.platform != "linux":
        from platformdirs import user_data_dir

        return user_data_dir("unspool", appauthor=False)
    data = os.environ.get("XDG_DATA_HOME", "")
    return os.path.join(data if data.strip() else os.path.expanduser("~/.local/share"), "unspool")


def beside(home: str, roots: Sequence[str]) -> str:
    """A home of their own for roots that the index of this one does not consist of."""
    named = "\0".join(roots).encode("utf-8", "surrogateescape")
    return os.path.join(home, "roots", f"{zlib.crc32(named):08x}")


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
