"""Our hooks in a settings file: how they stand, what a change makes of the file."""

from typing import Literal, TypeAlias

from msgspec import Struct

EventState: TypeAlias = Literal["installed", "outdated", "missing", "avoided"]
ScriptState: TypeAlias = Literal["current", "outdated", "missing"]


class Husks(Struct, frozen=True):
    """What was there and empty before we came, so that it is there and empty when we leave."""

    created: bool = False  # nothing at all: the file is ours
    hooks: bool = False
    events: tuple[str, ...] = ()
    blanks: dict[str, str] = {}  # what stood between their brackets; "": those of the whole file


class HookState(Struct, frozen=True, rename="camel"):
    """One event: how our hook for it stands, and how many of others' stand beside it."""

    event: str
    state: EventState
    others: int


class Switch(Struct, frozen=True, rename="camel"):
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
    switches: tuple[Switch, ...]
    events: tuple[HookState, ...]
