"""What Claude Code wrote: one class per kind of line, in its own words.

Nothing here is ours to rename. Fields nobody asks for are left out: the line's bytes stay in
the file and in the archive. Every field may be missing; a line we cannot place becomes
`Unknown` or `Unreadable` and keeps its bytes.
"""

from typing import TypeAlias

from msgspec import Raw, Struct, field

from unspool.model.blocks import NULL, ContentBlock, Count, Int53
from unspool.model.metadata import Metadata


class CacheCreation(Struct, frozen=True, gc=False):
    ephemeral_5m_input_tokens: Count | None = 0
    ephemeral_1h_input_tokens: Count | None = 0


class ServerTools(Struct, frozen=True, gc=False):
    web_search_requests: Count | None = 0
    web_fetch_requests: Count | None = 0


class OutputDetails(Struct, frozen=True, gc=False):
    thinking_tokens: Count | None = 0


class Usage(Struct, frozen=True, gc=False):
    """Tokens of one API response, repeated on each of its lines; early lines may lack output."""

    input_tokens: Count | None = 0
    output_tokens: Count | None = 0
    cache_creation_input_tokens: Count | None = 0
    cache_read_input_tokens: Count | None = 0
    cache_creation: CacheCreation | None = None
    server_tool_use: ServerTools | None = None
    output_tokens_details: OutputDetails | None = None
    service_tier: str | None = None
    inference_geo: str | None = None
    speed: str | None = None


class MessageBody(Struct, frozen=True, gc=False):
    """The API message carried by a `user` or `assistant` line."""

    content: str | list[ContentBlock] | None = None
    role: str | None = None
    id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None


class MessageOrigin(Struct, frozen=True, gc=False):
    kind: str | None = None


class ForkedFrom(Struct, frozen=True, rename="camel", gc=False):
    session_id: str | None = None
    message_uuid: str | None = None


class ConversationLine(
    Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", gc=False
):
    """The envelope of the lines that form the conversation."""

    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | None = None
    session_id: str | None = None
    is_sidechain: bool | None = False
    agent_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    slug: str | None = None


class User(ConversationLine, frozen=True, kw_only=True, tag="user", gc=False):
    """A human prompt, a tool result, or text injected by the client."""

    message: MessageBody | None = None
    is_meta: bool | None = False
    is_compact_summary: bool | None = False
    prompt_id: str | None = None
    prompt_source: str | None = None
    turn_origin: str | None = None
    origin: MessageOrigin | None = None
    permission_mode: str | None = None
    tool_use_result: Raw = NULL
    source_tool_assistant_uuid: str | None = field(default=None, name="sourceToolAssistantUUID")
    source_tool_use_id: str | None = field(default=None, name="sourceToolUseID")
    tool_denial_kind: str | None = None
    forked_from: ForkedFrom | None = None
    todos: Raw = NULL


class Assistant(ConversationLine, frozen=True, kw_only=True, tag="assistant", gc=False):
    """One content block of one API response; older versions put several blocks on a line."""

    message: MessageBody | None = None
    request_id: str | None = None
    api_block_index: Int53 | None = None
    is_api_error_message: bool | None = False
    error: Raw = NULL
    api_error_status: Raw = NULL
    forked_from: ForkedFrom | None = None
    effort: str | None = None
    attribution_agent: str | None = None
    attribution_skill: str | None = None
    attribution_mcp_server: str | None = None


class CompactMetadata(Struct, frozen=True, rename="camel", gc=False):
    trigger: str | None = None
    pre_tokens: Int53 | None = None
    post_tokens: Int53 | None = None
    duration_ms: Int53 | None = None
    cumulative_dropped_tokens: Int53 | None = None


class HookInfo(Struct, frozen=True, rename="camel", gc=False):
    command: str | None = None
    duration_ms: Int53 | None = None


class System(ConversationLine, frozen=True, kw_only=True, tag="system", gc=False):
    """Something the client noted; `subtype` says what."""

    subtype: str | None = None
    content: Raw = NULL
    level: str | None = None
    is_meta: bool | None = False
    logical_parent_uuid: str | None = None
    compact_metadata: CompactMetadata | None = None
    duration_ms: Int53 | None = None
    message_count: Int53 | None = None
    error: Raw = NULL
    retry_in_ms: float | None = None
    retry_attempt: Int53 | None = None
    max_retries: Int53 | None = None
    hook_count: Int53 | None = None
    hook_infos: list[HookInfo] | None = None
    hook_errors: Raw = NULL
    prevented_continuation: bool | None = None
    stop_reason: str | None = None
    tool_use_id: str | None = field(default=None, name="toolUseID")
    url: str | None = None
    original_model: str | None = None
    fallback_model: str | None = None
    forked_from: ForkedFrom | None = None


class AttachmentBody(Struct, frozen=True, rename="camel", gc=False):
    """One injected thing; 49 inner types share these fields where they have any of them."""

    type: str = ""
    prompt: Raw = NULL
    command_mode: str | None = None
    origin: MessageOrigin | None = None
    content: Raw = NULL
    text: Raw = NULL
    file_path: str | None = None
    filename: str | None = None
    path: str | None = None
    display_path: str | None = None
    hook_name: str | None = None
    hook_event: str | None = None
    command: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    exit_code: Int53 | None = None
    duration_ms: float | None = None
    tool_use_id: str | None = field(default=None, name="toolUseID")
    task_id: str | None = None
    status: str | None = None
    blocking_error: Raw = NULL
    snippet: Raw = NULL
    skills: Raw = NULL
    files: Raw = NULL
    plan_content: Raw = NULL
    added_lines: Raw = NULL
    added_blocks: Raw = NULL


class Attachment(ConversationLine, frozen=True, kw_only=True, tag="attachment", gc=False):
    """What older versions injected as hidden user text is a line of its own since 2.1.92."""

    attachment: AttachmentBody | None = None
    rendered: Raw = NULL
    is_meta: bool | None = False
    forked_from: ForkedFrom | None = None


class ProgressData(Struct, frozen=True, rename="camel", gc=False):
    type: str | None = None
    agent_id: str | None = None
    prompt: str | None = None
    hook_event: str | None = None
    hook_name: str | None = None
    command: str | None = None
    message: Raw = NULL  # of an agent: one of its own lines


class Progress(ConversationLine, frozen=True, kw_only=True, tag="progress", gc=False):
    """Streaming progress of older versions: not shown, but it may report an agent's response."""

    data: ProgressData | None = None
    progress_data: ProgressData | None = None
    tool_use_id: str | None = field(default=None, name="toolUseID")
    parent_tool_use_id: str | None = field(default=None, name="parentToolUseID")


class Unknown(Struct, frozen=True, gc=False):
    """A well-formed line of a kind this version does not know."""

    type: str
    raw: bytes


class Unreadable(Struct, frozen=True, gc=False):
    """Bytes that are not a record, and why."""

    reason: str
    raw: bytes


class Oversize(Struct, frozen=True, gc=False):
    """A line longer than the limit: known by its place alone."""

    length: int


KnownEntry: TypeAlias = User | Assistant | System | Attachment | Progress | Metadata
Entry: TypeAlias = KnownEntry | Unknown | Unreadable | Oversize
