"""How the index stands: what it holds, what it lacks, who writes it."""

from msgspec import Struct


class Lag(Struct, frozen=True, rename="camel"):
    """What lies in files and is not yet in the index."""

    files: int = 0
    bytes: int = 0


class Writer(Struct, frozen=True, kw_only=True, rename="camel"):
    """The process that keeps the index up to date."""

    pid: int
    is_daemon: bool = False
    since: str | None = None


class IndexStatus(Struct, frozen=True, kw_only=True, rename="camel"):
    """What `unspool index status` tells."""

    home: str
    roots: tuple[str, ...] = ()
    lines: int = 0
    sessions: int = 0
    hook_events: int = 0
    hook_files: int = 0
    sources: int = 0
    bad_lines: int = 0
    superseded: int = 0
    gone: int = 0
    seq: int = 0
    index_bytes: int = 0
    raw_bytes: int = 0
    archived_bytes: int = 0
    outputs: int = 0
    output_bytes: int = 0
    lag: Lag = Lag()
    writer: Writer | None = None
    sqlite: str = ""
    trouble: tuple[str, ...] = ()
