"""The state of an installation: findings of `unspool doctor`, installed hooks, the index."""

from typing import Literal, TypeAlias

from msgspec import Struct

Grade: TypeAlias = Literal["ok", "note", "wrong"]
OddityKind: TypeAlias = Literal["type", "subtype", "block", "attachment", "field"]


class Finding(Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing looked at, how it stands, and the command that puts it right."""

    about: str
    grade: Grade = "ok"
    said: str
    fix: str = ""
    details: tuple[str, ...] = ()


class Oddity(Struct, frozen=True, kw_only=True, rename="camel"):
    """A name this version does not know, by the Claude Code version that wrote it."""

    version: str
    kind: OddityKind
    name: str
    count: int
    path: str  # where it stood first
    line: int


EventState: TypeAlias = Literal["installed", "outdated", "missing", "avoided"]
ScriptState: TypeAlias = Literal["current", "outdated", "missing"]


class EmptySettings(Struct, frozen=True):
    """What was there and empty before we came, so that it is there and empty when we leave."""

    created: bool = False  # nothing at all: the file is ours
    hooks: bool = False
    events: tuple[str, ...] = ()
    blanks: dict[str, str] = {}  # what stood between their brackets; "": those of the whole file


class InstalledHook(Struct, frozen=True, rename="camel"):
    """One event: how our hook for it stands, and how many of others' stand beside it."""

    event: str
    state: EventState
    others: int


class HookSwitch(Struct, frozen=True, rename="camel"):
    """A setting that keeps our hooks from running, or makes their failure matter."""

    path: str
    name: str


class HookChange(Struct, frozen=True):
    """What was done to a settings file, or would be; None is no file."""

    settings: str
    command: str
    before: str | None
    after: str | None
    backup: str | None = None

    @property
    def changed(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after


class HookStatus(Struct, frozen=True, kw_only=True, rename="camel"):
    """How the hooks stand, for people and programs."""

    settings: str
    exists: bool
    installed: bool
    command: str
    script: ScriptState
    spool: str
    spool_files: int
    spool_bytes: int
    switches: tuple[HookSwitch, ...]
    events: tuple[InstalledHook, ...]


class Lag(Struct, frozen=True, rename="camel"):
    """What lies in files and is not yet in the index."""

    files: int = 0
    bytes: int = 0


class WriterProcess(Struct, frozen=True, kw_only=True, rename="camel"):
    """The process that keeps the index up to date."""

    pid: int
    is_daemon: bool = False
    since: str | None = None


class IndexCounts(Struct, frozen=True, kw_only=True, rename="camel"):
    """Counts and sizes of an index and its archive."""

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
    archived_bytes: int = 0  # of transcripts, before packing
    outputs: int = 0  # archived files of long tool outputs
    output_bytes: int = 0  # of those, before packing
    trouble: tuple[str, ...] = ()


class StoreStatus(IndexCounts, frozen=True, kw_only=True, rename="camel"):
    """What a store knows about itself."""

    database: str = ""  # version of the database's software


class IndexStatus(IndexCounts, frozen=True, kw_only=True, rename="camel"):
    """The answer of `unspool index status`: what the index holds, and what it has not read yet."""

    home: str
    roots: tuple[str, ...] = ()
    lag: Lag = Lag()
    forgotten: int = 0  # sessions
    writer: WriterProcess | None = None
    sqlite: str = ""


class Health(Struct, frozen=True, kw_only=True, rename="camel"):
    """Whether all is well, and what is not."""

    status: Literal["ok", "behind", "trouble"]
    version: str
    demo: bool = False  # the sessions are made up
    seq: int = 0
    sessions: int = 0
    lines: int = 0
    bad_lines: int = 0
    forgotten: int = 0  # sessions
    lag_files: int = 0
    lag_bytes: int = 0
    writer_pid: int | None = None  # None: no process keeps the index up to date
    disk_free_bytes: int | None = None
    integrity: Literal["ok", "damaged", "unknown"] = "unknown"  # unknown: not checked yet
    trouble: tuple[str, ...] = ()
