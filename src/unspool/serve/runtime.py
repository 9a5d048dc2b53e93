"""`runtime.json`: where the server of a home listens, for programs that do not load the server."""

from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from unspool.json_depth import shallow

RUNTIME: Final = "runtime.json"
Kind = TypeVar("Kind")


class Runtime(Struct, frozen=True, kw_only=True, rename="camel"):
    """What `runtime.json` says while a server runs."""

    url: str
    port: int
    pid: int
    token: str
    ingest_token: str
    open: str = ""  # what a browser opens to sign in, once


def read_runtime(home: Path) -> Runtime | None:
    """Where the server of a home listens, by its own word."""
    return read_struct(home / RUNTIME, Runtime)


def read_struct(path: Path, kind: type[Kind]) -> Kind | None:
    try:
        return msgspec.json.decode(shallow(path.read_bytes()), type=kind)
    except (OSError, ValueError):
        return None
