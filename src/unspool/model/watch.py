"""What a watcher tells: a file that has grown, come or gone, and whose it is."""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.files import FileKind

WatchedKind: TypeAlias = FileKind | Literal["registry", "spool"]


class Changed(Struct, frozen=True, kw_only=True):
    """One file that is not as it was; the registry and the spool belong to no session."""

    path: str
    kind: WatchedKind
    project_id: str = ""
    session_id: str | None = None
    is_subagent: bool = False
    gone: bool = False
