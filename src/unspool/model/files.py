"""Files and places: where transcripts lie, how far one has been read, what changed."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool.remote_paths import machine_in

AgentKind: TypeAlias = Literal["subagent", "legacy_subagent", "workflow_subagent"]
FileKind: TypeAlias = Literal["main", AgentKind, "journal", "hook_log", "spool"]

# What a directory of a project or the file of a session can be called, as a pattern.
NAME: Final = r"[^/\x00\ud800-\udfff]{1,255}"


class Root(Struct, frozen=True):
    """One Claude Code directory; `index` counts from 1, 0 is a loose file outside every root."""

    index: int
    path: str
    prefix: str
    projects: str
    only: str | None = None  # the one project directory asked for, when a root is narrowed
    tombstones: str = ""  # the log of its forgotten sessions: see `source.forgotten`

    @property
    def is_loose(self) -> bool:
        """Whether it was made up for a file that lies in no root."""
        return self.index == 0

    @property
    def machine(self) -> str:
        """The machine that its sessions are of; "" is this one."""
        return machine_in(self.prefix)


class TranscriptFile(Struct, frozen=True):
    """A file of lines, named by its place; `project_id` carries the root's prefix."""

    root: Root
    path: str
    relpath: str
    kind: FileKind
    project_id: str
    session_id: str | None  # None only for a legacy agent file whose first line names no session
    agent_id: str | None
    size: int
    mtime_ns: int
    inode: int


class SkippedFile(Struct, frozen=True):
    """Something that looked like a transcript and was left alone."""

    path: str
    reason: str


class SessionFiles(Struct, frozen=True):
    """Everything one session left on disk; `metas` maps an agent's transcript to its sidecar."""

    main: TranscriptFile | None = None
    subagents: tuple[TranscriptFile, ...] = ()
    journals: tuple[TranscriptFile, ...] = ()
    hook_logs: tuple[TranscriptFile, ...] = ()
    metas: dict[str, str] = {}
    registry: str | None = None


class OutputFile(Struct, frozen=True):
    """A tool's output that was too long for its line, in a file below its session's directory."""

    root: str
    path: str  # below the root
    project_id: str
    session_id: str
    size: int
    mtime_ns: int


class LineSpan(Struct, frozen=True):
    """A line's place in its file; `length` leaves the newline out."""

    offset: int
    length: int


class TailState(Struct, frozen=True):
    """How far a file has been read, and what proves it is still that file.

    `chain` covers the whole 64 KiB blocks from `start` to `offset`, `open_hash` the rest of them.
    """

    generation: int = 0
    offset: int = 0
    inode: int = 0
    head_len: int = 0
    head_hash: bytes = b""
    mark_len: int = 0
    mark_hash: bytes = b""
    chain: bytes = b""
    open_hash: bytes = b""
    pending: int = 0
    size_seen: int = 0
    mtime_ns: int = 0
    start: int = 0  # the block in which reading began


class TailRead(Struct, frozen=True):
    """What one read of a growing file gave: whole lines from `base` on, or one oversize place."""

    state: TailState
    generation: int
    base: int
    data: bytes = b""
    oversize: tuple[LineSpan, ...] = ()
    reset: bool = False
    gone: bool = False
    more: bool = False


class RegistryFile(Struct, frozen=True):
    """One `sessions/<pid>.json` as it stands, and whether that process lives."""

    pid: int
    path: str
    data: bytes
    mtime_ns: int
    alive: bool


class SpoolFile(Struct, frozen=True):
    """One file of the spool, as it stands."""

    path: str
    name: str
    size: int
    mtime_ns: int
    inode: int


class SpoolEvent(Struct, frozen=True, gc=False):
    """One event and where it lies; `at` is in milliseconds, and `cut` says the end is missing."""

    offset: int
    length: int
    at: int
    payload: bytes
    cut: bool = False


class SpoolGap(Struct, frozen=True, gc=False):
    """Bytes that are no whole event: torn, or damaged since."""

    offset: int
    length: int


class SpoolRead(Struct, frozen=True):
    """What one read of a spool file gave, and where the next one goes on."""

    state: TailState
    events: tuple[SpoolEvent, ...] = ()
    gaps: tuple[SpoolGap, ...] = ()
    more: bool = False


WatchedKind: TypeAlias = FileKind | Literal["registry", "spool", "todo", "task", "plan", "job"]


class WatchEvent(Struct, frozen=True, kw_only=True):
    """One file that is not as it was; the registry and the spool belong to no session."""

    path: str
    kind: WatchedKind
    project_id: str = ""
    session_id: str | None = None
    is_subagent: bool = False
    gone: bool = False
