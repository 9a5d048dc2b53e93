"""Files that sessions edited, and each of their edits."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType


class EditQuery(Struct, frozen=True, kw_only=True):
    """Which edited files, the one with the newest edit first."""

    path: str = ""  # a part of it, in any case
    projects: tuple[str, ...] | None = None  # their whole ids; None: all
    roots: tuple[str, ...] = ()  # of these; none: of all
    after: tuple[int, str] | None = None  # newest edit and path of the file before
    limit: int = 50


class FileEdits(Struct, frozen=True):
    """A file, and how often which many sessions edited it."""

    path: str
    edits: int
    sessions: int
    newest: int  # in milliseconds


class EditLine(Struct, frozen=True, kw_only=True):
    """The line of a call that edited a file."""

    path: str
    tool: str
    source_id: int
    generation: int
    offset: int
    length: int
    project_id: str
    session_id: str
    agent_id: str
    cwd: str
    title: str
    timestamp: int


class FileEdit(Struct, frozen=True, kw_only=True, rename="camel"):
    """One edit, and where it was made."""

    event_id: str
    project_id: str
    session_id: str
    agent_id: str
    title: str
    tool: str
    timestamp: str | None
    # What the call was given, where it was asked for; null if the line cannot be read.
    input: dict[str, Any] | UnsetType | None = UNSET


class EditedFile(Struct, frozen=True, kw_only=True, rename="camel"):
    """A file; `name` is its path as seen from the project, `recent` its newest edits."""

    path: str
    name: str
    edits: int
    sessions: int
    last_edit: str | None
    recent: tuple[FileEdit, ...] = ()
