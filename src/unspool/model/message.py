"""One line of the conversation with all that later steps ask of it, but not its text; and agents.

A session of 100 MB must fit in a few: a message keeps sizes, links and the place of its line;
the text is read back by that place for the part that is shown.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from unspool.model.document import Proof, Team, Time
from unspool.model.files import AgentKind
from unspool.model.sidecars import AgentMeta
from unspool.model.usage import Tokens

Category: TypeAlias = Literal["noise", "compact", "system", "user", "ai"]

# What a message says beyond its category. "" is an ordinary answer, call or result.
Voice: TypeAlias = Literal[
    "",
    "prompt",  # a person wrote it
    "command",  # a slash command
    "memory",  # a note for the memory: "# always use uv"
    "bash_input",  # the `!` shell
    "bash_output",
    "stdout",  # a local command's output
    "stderr",
    "teammate",  # another agent's message
    "notification",  # a background task reports
    "event",  # another program reports: CI, a schedule, a channel
    "interruption",
    "meta",  # injected by the client
    "skill",  # the instructions of a skill
    "reminder",  # nothing but reminders, caveats or what an editor shows
    "notice",  # API errors, retries, refusals, synthetic answers
    "hook",  # a hook ran
    "injected",  # an attachment: files, memory, listings
]

PieceKind: TypeAlias = Literal[
    "text", "thinking", "call", "result", "image", "document", "hook", "notice", "other"
]


class Spawn(Struct, frozen=True, gc=False):
    """What a Task or Agent call (or a Workflow) says about the agent it starts."""

    description: str = ""
    subagent_type: str = ""
    prompt_digest: str = ""  # of the stripped prompt text; equality is the proof "prompt"
    team_name: str = ""
    name: str = ""
    background: bool = False


class AgentReport(Struct, frozen=True, gc=False):
    """What a tool's structured result, a notification or a queue entry says about an agent."""

    agent_id: str = ""
    tool_use_id: str = ""
    status: str = ""
    run_id: str = ""  # a workflow's
    transcript_dir: str = ""
    color: str = ""
    team_name: str = ""
    name: str = ""
    is_async: bool = False


class Piece(Struct, frozen=True, gc=False):
    """One block of a message: what kind, how heavy, and what it links to."""

    n: int  # index in the content list
    kind: PieceKind
    tokens: int = 0  # estimate of devtools-behaviour 6.2
    id: str = ""  # tool_use id, for calls and results
    name: str = ""  # tool, hook event, or unknown block type
    is_error: bool = False
    path: str = ""  # the file a Read, Edit, Write, … names
    spawn: Spawn | None = None
    report: AgentReport | None = None
    # Results: rejected (by a person), denied (by a rule), interrupted, persisted. Calls: shutdown,
    # plan, skill:<name>, to:<who>. Hooks: the attachment's type.
    flag: str = ""
    duration_ms: int | None = None  # hooks say how long they ran
    print: int = 0  # checksum of a block, to tell a repeated one from another
    searches: int = 0  # web searches that a result says were made for it


class Message(Struct, frozen=True, kw_only=True, gc=False):
    """A line of the conversation, read once."""

    line: int  # 1-based number in its file
    part: int = 0  # which record, where one line held several
    type: str
    subtype: str = ""
    category: Category
    voice: Voice = ""
    uuid: str = ""
    parent_uuid: str = ""
    logical_parent_uuid: str = ""
    at: int | None = None  # milliseconds since 1970; None where the line has no usable time
    agent_id: str = ""
    prompt_id: str = ""
    is_sidechain: bool = False
    is_meta: bool = False
    pieces: tuple[Piece, ...] = ()
    head: str = ""  # first 500 characters of the sanitised text, for prompts and notices
    text_tokens: int = 0  # estimate over the sanitised text of what was said to the model
    mentions: tuple[str, ...] = ()  # @paths in the text
    model: str = ""
    message_id: str = ""
    request_id: str = ""
    tokens: Tokens | None = None  # None: no usage on this line, or a synthetic one
    stop_reason: str = ""
    error: str = ""  # of a notice that a request failed: Claude Code's word for it, or "unknown"
    source_tool_use_id: str = ""
    reports: tuple[AgentReport, ...] = ()  # task notifications in its text
    compaction: tuple[str, int | None, int | None] | None = None  # trigger, pre, post
    duration_ms: int | None = None  # turn_duration
    forked_from: tuple[str, str] | None = None  # session, message uuid


FactsKind: TypeAlias = Literal["main", AgentKind, "inline_subagent"]


class SpawnCall(Struct, frozen=True, gc=False):
    """A call that starts an agent, or a workflow of them."""

    tool_use_id: str
    spawn: Spawn
    tool: str
    at: int | None = None
    line: int = 0


class AgentClaim(Struct, frozen=True, gc=False):
    """A line that ties an agent to a call, and which proof that is."""

    proof: Proof
    report: AgentReport  # its tool_use_id is filled in from the line around it


class LinkFacts(Struct, frozen=True, kw_only=True):
    """What one transcript says that linking asks for; the main one has no id."""

    id: str = ""
    path: str = ""
    kind: FactsKind = "main"
    workflow: str = ""  # the run's directory name
    start: int | None = None
    end: int | None = None
    messages: int = 0
    prompt_digest: str = ""
    is_warmup: bool = False
    teammate_id: str = ""  # who wrote the first user message, in a team
    teammate_summary: str = ""
    first_parent_uuid: str = ""
    last_uuid: str = ""
    calls: tuple[SpawnCall, ...] = ()
    claims: tuple[AgentClaim, ...] = ()
    labels: dict[str, str] = {}  # agent -> its name in a workflow's journal
    finished: dict[str, int | None] = {}  # agent -> when this transcript says it ended
    meta: AgentMeta | None = None
    is_ongoing: bool = False
    row: bytes = b""  # what the session's row asks about it, packed
    inline: tuple["LinkFacts", ...] = ()  # of a main file: the agents that wrote into it


class AgentLink(Struct, frozen=True, kw_only=True):
    """Who started an agent, and what proves it."""

    agent_id: str
    parent_task_id: str | None = None
    parent_agent_id: str | None = None  # None: the main conversation
    proof: Proof = "none"
    description: str = ""
    subagent_type: str = ""
    team: Team | None = None


class ConversationMessage(Struct, frozen=True, kw_only=True, rename="camel"):
    """One message with its text, as the library gives it."""

    line: int  # 1-based number in its file
    uuid: str = ""
    parent_uuid: str = ""
    timestamp: Time = None
    type: str  # user, assistant, system or attachment
    category: Category
    voice: Voice = ""
    text: str = ""
    thinking: str = ""
    model: str = ""
    tokens: Tokens | None = None
    tool_calls: tuple[str, ...] = ()  # ids of the calls it makes
    tool_results: tuple[str, ...] = ()  # ids of the calls it answers
    stop_reason: str = ""
    is_meta: bool = False
