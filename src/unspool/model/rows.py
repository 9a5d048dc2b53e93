"""Rows: what the indexer writes and the store keeps, one class per table.

Times are milliseconds since 1970, money is whole picodollars (1e-12 USD).
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.files import FileKind, TailState
from unspool.model.usage import UsageRow

TextKind: TypeAlias = Literal[
    "", "prompt", "answer", "thinking", "tool_input", "tool_result", "summary", "system"
]


class SourceRow(Struct, frozen=True, kw_only=True):
    """One transcript file of one root, and how far it has been taken in.

    `source_id` is made from root and path, so it is the same after a rebuild.
    """

    source_id: int
    root: str
    path: str  # below the root
    kind: FileKind
    project_id: str
    session_id: str
    agent_id: str = ""
    generation: int = 0
    offset: int = 0
    lines: int = 0
    size: int = 0
    mtime_ns: int = 0
    tail: TailState = TailState()
    gone_at: int | None = None


class StoredLine(Struct, frozen=True, array_like=True, gc=False):
    """One line of a transcript; its text stays in the file and in the archive."""

    line_id: int  # begins with the time: newest first is the order of ids
    offset: int
    length: int
    line_number: int
    type: str
    subtype: str = ""
    uuid: str = ""
    parent_uuid: str = ""
    timestamp: int | None = None
    role: str = ""
    model: str = ""
    message_id: str = ""
    request_id: str = ""
    event_type: str = ""
    text_kind: TextKind = ""
    turn: int = 0
    agent_id: str = ""  # only where it is not the source's: agents once wrote into main files


class TextRow(Struct, frozen=True, array_like=True, gc=False):
    """What a search can find of one line."""

    line_id: int
    body: str


class CallRow(Struct, frozen=True, array_like=True, gc=False):
    """A tool was called."""

    tool_use_id: str
    name: str
    line_id: int
    start_time: int | None
    agent_id: str


class ResultRow(Struct, frozen=True, array_like=True, gc=False):
    """A tool answered."""

    tool_use_id: str
    line_id: int
    end_time: int | None
    state: str
    is_error: bool


class CauseRow(Struct, frozen=True, array_like=True, gc=False):
    """What a line says about why something was spent: an answer's attribution, or a prompt."""

    line_id: int
    skill: str = ""
    mcp_server: str = ""
    agent: str = ""  # the type of agent that Claude Code names
    command: str | None = None  # of a prompt; "" where it is no command; None: it is no prompt


class TouchedFile(Struct, frozen=True, array_like=True, gc=False):
    path: str
    tool: str
    line_id: int


class BadLine(Struct, frozen=True, array_like=True, gc=False):
    offset: int
    length: int
    line_number: int
    reason: str


class HookRow(Struct, frozen=True, array_like=True, gc=False):
    """One hook event; empty `session_id` and `project_id` mean those of the source.

    A spool holds the events of many sessions.
    """

    event_id: str
    timestamp: int | None
    event_type: str
    tool_use_id: str
    tool_name: str
    decision: str
    handler_results: str
    input: str
    agent_id: str
    duration_ms: float | None
    source: str
    line_id: int
    session_id: str = ""
    project_id: str = ""
    print: int = 0  # of what the tool was given: a request for approval names no call
    uuid: str = ""
    key: str = ""  # records of one event share it: see `derive.hooks`


class OddityRow(Struct, frozen=True, array_like=True, gc=False):
    """Something this version of unspool does not know, by the Claude Code version that wrote it."""

    version: str
    what: str  # type | subtype | block | attachment | field
    name: str
    count: int
    line_id: int  # where it stood first


class SessionRow(Struct, frozen=True, kw_only=True):
    """What a transcript or hooks say about a session so far; None is unknown."""

    session_id: str
    project_id: str
    cwd: str = ""
    transcript_path: str = ""
    title: str = ""
    goal: str = ""
    recent_output: str | None = None
    slug: str | None = None
    start_time: int | None = None
    end_time: int | None = None
    last_activity: int | None = None
    git_branch: str | None = None
    model: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    compactions: int | None = None
    lines: int | None = None
    bad_lines: int | None = None
    message_count: int | None = None
    is_displayable: bool = True
    origin: str = "transcript"
    cost_state_usd: float | None = None
    facts: bytes = b""  # the rest of its `RowFacts`


class AgentRow(Struct, frozen=True, array_like=True, gc=False):
    agent_id: str
    parent_agent_id: str
    tool_use_id: str
    depth: int
    proof: str
    type: str
    description: str
    start_time: int | None
    end_time: int | None
    facts: bytes = b""  # its `AgentFacts`


class Segment(Struct, frozen=True):
    """A run of whole lines as it lay in the file, packed: the atom of the archive."""

    source_id: int
    generation: int
    offset: int
    end: int
    checksum: int
    packed: bytes


class Batch(Struct, frozen=True, kw_only=True):
    """All that one segment changes; it is written in one transaction, or not at all."""

    source: SourceRow
    begins: int  # offset where the segment starts
    is_provisional: bool = False  # an unfinished last line: shown, but its checkpoint waits
    lines: list[StoredLine] = []
    texts: list[TextRow] = []
    usage: list[UsageRow] = []
    calls: list[CallRow] = []
    results: list[ResultRow] = []
    files: list[TouchedFile] = []
    causes: list[CauseRow] = []
    bad: list[BadLine] = []
    hooks: list[HookRow] = []
    oddities: list[OddityRow] = []
    sessions: list[SessionRow] = []
    facts: bytes = b""  # what linking agents needs of this source
    ties: tuple[int, ...] = ()  # what else its session has in common with others
    state: bytes = b""  # of the fold, after the last of these lines; nothing: the last one stands
    guesses: dict[str, str] = {}  # projects of sessions that hooks do not name and nobody knows
