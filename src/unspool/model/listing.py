"""One row of a list of sessions: what `ls` prints and the session pages show."""

from msgspec import Struct

from unspool.model.document import SessionInfo, TotalMetrics


class SessionSummary(Struct, frozen=True, kw_only=True, rename="camel"):
    """A session without its conversation."""

    session: SessionInfo
    metrics: TotalMetrics = TotalMetrics()
    agents: int = 0
    compactions: int = 0
    lines: int = 0
    bytes: int = 0
    message_count: int = 0  # prompts, and the first answer to each
    has_subagents: bool = False
    is_ongoing: bool = False
    source_gone: bool = False  # its file was deleted: it is read from the archive
    displayable: bool = True  # False: nothing in it is for a reader
