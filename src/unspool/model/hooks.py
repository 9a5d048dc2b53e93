"""Hook events: their payloads in Claude Code's own words, and the one form we bring them to."""

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, Struct

from unspool.model.blocks import NULL, Int53


class HookInput(Struct, frozen=True, kw_only=True, tag_field="hook_event_name", gc=False):
    """What every hook is told; `agent_id` only inside a subagent."""

    session_id: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    prompt_id: str | None = None
    permission_mode: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    effort: Raw = NULL


class ToolHookInput(HookInput, frozen=True, kw_only=True, gc=False):
    tool_name: str | None = None
    tool_input: Raw = NULL
    tool_use_id: str | None = None
    mcp_server: Raw = NULL


class StopHookInput(HookInput, frozen=True, kw_only=True, gc=False):
    stop_hook_active: bool | None = None
    last_assistant_message: str | None = None
    background_tasks: Raw = NULL
    session_crons: Raw = NULL


class ModelSwitchInput(HookInput, frozen=True, kw_only=True, gc=False):
    from_model: str | None = None
    to_model: str | None = None
    requested_model: str | None = None
    source: str | None = None
    context_tokens: Int53 | None = None
    prompt_cache_warm: bool | None = None
    cache_ttl: str | None = None
    estimated_cache_write_usd: float | None = None
    pricing: str | None = None


class TaskHookInput(HookInput, frozen=True, kw_only=True, gc=False):
    task_id: str | None = None
    task_subject: str | None = None
    task_description: str | None = None
    teammate_name: str | None = None
    team_name: str | None = None


class PreToolUse(ToolHookInput, frozen=True, kw_only=True, tag="PreToolUse", gc=False):
    pass


class PostToolUse(ToolHookInput, frozen=True, kw_only=True, tag="PostToolUse", gc=False):
    tool_response: Raw = NULL
    duration_ms: float | None = None


class PostToolUseFailure(
    ToolHookInput, frozen=True, kw_only=True, tag="PostToolUseFailure", gc=False
):
    error: str | None = None
    is_interrupt: bool | None = None
    duration_ms: float | None = None


class PermissionDenied(ToolHookInput, frozen=True, kw_only=True, tag="PermissionDenied", gc=False):
    reason: str | None = None


class PermissionRequest(
    ToolHookInput, frozen=True, kw_only=True, tag="PermissionRequest", gc=False
):
    """The one tool event without a tool_use_id."""

    permission_suggestions: Raw = NULL


class PostToolBatch(HookInput, frozen=True, kw_only=True, tag="PostToolBatch", gc=False):
    tool_calls: Raw = NULL


class UserPromptSubmit(HookInput, frozen=True, kw_only=True, tag="UserPromptSubmit", gc=False):
    prompt: str | None = None
    source: str | None = None
    session_title: str | None = None


class UserPromptExpansion(
    HookInput, frozen=True, kw_only=True, tag="UserPromptExpansion", gc=False
):
    expansion_type: str | None = None
    command_name: str | None = None
    command_args: str | None = None
    command_source: str | None = None
    prompt: str | None = None


class SessionStart(HookInput, frozen=True, kw_only=True, tag="SessionStart", gc=False):
    source: str | None = None
    model: str | None = None
    session_title: str | None = None
    seconds_since_last_response: float | None = None
    context_tokens: Int53 | None = None
    prompt_cache_likely_expired: bool | None = None
    estimated_cache_write_usd: float | None = None


class SessionEnd(HookInput, frozen=True, kw_only=True, tag="SessionEnd", gc=False):
    reason: str | None = None


class Setup(HookInput, frozen=True, kw_only=True, tag="Setup", gc=False):
    trigger: str | None = None


class Stop(StopHookInput, frozen=True, kw_only=True, tag="Stop", gc=False):
    pass


class StopFailure(HookInput, frozen=True, kw_only=True, tag="StopFailure", gc=False):
    error: str | None = None
    error_details: str | None = None
    last_assistant_message: str | None = None


class SubagentStart(HookInput, frozen=True, kw_only=True, tag="SubagentStart", gc=False):
    """agent_id and agent_type say which."""


class SubagentStop(StopHookInput, frozen=True, kw_only=True, tag="SubagentStop", gc=False):
    agent_transcript_path: str | None = None


class PreCompact(HookInput, frozen=True, kw_only=True, tag="PreCompact", gc=False):
    trigger: str | None = None
    custom_instructions: str | None = None


class PostCompact(HookInput, frozen=True, kw_only=True, tag="PostCompact", gc=False):
    trigger: str | None = None
    compact_summary: str | None = None


class PreModelSwitch(ModelSwitchInput, frozen=True, kw_only=True, tag="PreModelSwitch", gc=False):
    pass


class PostModelSwitch(ModelSwitchInput, frozen=True, kw_only=True, tag="PostModelSwitch", gc=False):
    pass


class Notification(HookInput, frozen=True, kw_only=True, tag="Notification", gc=False):
    message: str | None = None
    title: str | None = None
    notification_type: str | None = None


class MessageDisplay(HookInput, frozen=True, kw_only=True, tag="MessageDisplay", gc=False):
    """`message_id` is a uuid, not the API's."""

    turn_id: str | None = None
    message_id: str | None = None
    index: Int53 | None = None
    final: bool | None = None
    delta: str | None = None


class TeammateIdle(HookInput, frozen=True, kw_only=True, tag="TeammateIdle", gc=False):
    teammate_name: str | None = None
    team_name: str | None = None


class TaskCreated(TaskHookInput, frozen=True, kw_only=True, tag="TaskCreated", gc=False):
    pass


class TaskCompleted(TaskHookInput, frozen=True, kw_only=True, tag="TaskCompleted", gc=False):
    pass


class Elicitation(HookInput, frozen=True, kw_only=True, tag="Elicitation", gc=False):
    mcp_server_name: str | None = None
    message: str | None = None
    mode: str | None = None
    url: str | None = None
    elicitation_id: str | None = None
    requested_schema: Raw = NULL


class ElicitationResult(HookInput, frozen=True, kw_only=True, tag="ElicitationResult", gc=False):
    mcp_server_name: str | None = None
    elicitation_id: str | None = None
    mode: str | None = None
    action: str | None = None
    content: Raw = NULL


class ConfigChange(HookInput, frozen=True, kw_only=True, tag="ConfigChange", gc=False):
    source: str | None = None
    file_path: str | None = None


class InstructionsLoaded(HookInput, frozen=True, kw_only=True, tag="InstructionsLoaded", gc=False):
    file_path: str | None = None
    memory_type: str | None = None
    load_reason: str | None = None
    globs: list[str] | None = None
    trigger_file_path: str | None = None
    parent_file_path: str | None = None


class CwdChanged(HookInput, frozen=True, kw_only=True, tag="CwdChanged", gc=False):
    old_cwd: str | None = None
    new_cwd: str | None = None


class FileChanged(HookInput, frozen=True, kw_only=True, tag="FileChanged", gc=False):
    file_path: str | None = None
    event: str | None = None


class DirectoryAdded(HookInput, frozen=True, kw_only=True, tag="DirectoryAdded", gc=False):
    directory: str | None = None
    source: str | None = None


class WorktreeCreate(HookInput, frozen=True, kw_only=True, tag="WorktreeCreate", gc=False):
    name: str | None = None


class WorktreeRemove(HookInput, frozen=True, kw_only=True, tag="WorktreeRemove", gc=False):
    worktree_path: str | None = None


class OtherHook(HookInput, frozen=True, kw_only=True, tag="", gc=False):
    """An event this version does not know; the payload beside it is whole."""


HookPayload: TypeAlias = (
    PreToolUse
    | PostToolUse
    | PostToolUseFailure
    | PermissionDenied
    | PermissionRequest
    | PostToolBatch
    | UserPromptSubmit
    | UserPromptExpansion
    | SessionStart
    | SessionEnd
    | Setup
    | Stop
    | StopFailure
    | SubagentStart
    | SubagentStop
    | PreCompact
    | PostCompact
    | PreModelSwitch
    | PostModelSwitch
    | Notification
    | MessageDisplay
    | TeammateIdle
    | TaskCreated
    | TaskCompleted
    | Elicitation
    | ElicitationResult
    | ConfigChange
    | InstructionsLoaded
    | CwdChanged
    | FileChanged
    | DirectoryAdded
    | WorktreeCreate
    | WorktreeRemove
    | OtherHook
)


class LogContext(Struct, frozen=True, rename="camel", gc=False):
    hook_event: str | None = None
    transcript_path: str | None = None
    cwd: str | None = None
    claude_code_version: str | None = None


class HookLogEntry(Struct, frozen=True, rename="camel", gc=False):
    """A line of an event logger's `<session>.hooks.jsonl`."""

    timestamp: str | None = None
    session_id: str | None = None
    event_type: str | None = None
    tool_use_id: str | None = None
    tool_name: str | None = None
    decision: str | None = None
    handler_results: Raw = NULL
    input: Raw = NULL
    context: LogContext | None = None
    line_number: Int53 | None = None


class PostedEvent(Struct, frozen=True, rename="camel", gc=False):
    """An event a script has put into an envelope: `type` is the event, `data` the payload."""

    type: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    uuid: str | None = None
    data: Raw = NULL


class HookEvent(Struct, frozen=True, kw_only=True, gc=False):
    """One hook event, whichever way it came; `data` is the payload as it was."""

    event: str  # as Claude Code names it
    event_type: str = ""  # the same in snake_case
    session_id: str = ""
    timestamp: str = ""
    tool_use_id: str = ""
    tool_name: str = ""
    agent_id: str = ""
    prompt_id: str = ""
    decision: str = ""
    duration_ms: float | None = None
    handler_results: Raw = NULL
    uuid: str = ""
    data: Raw = NULL
    source: Literal["stdin", "log", "post"] = "stdin"


EVENT_NAME: Final = r"[A-Za-z][A-Za-z0-9_-]{0,63}"
SESSION_ID: Final = r"[A-Za-z0-9_][A-Za-z0-9@._-]{0,127}"
_DAY: Final = (
    r"(20(2[1-9]|[3-8][0-9])-"
    r"((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)"
    r"|20([2468][48]|[468]0|[357][26])-02-29)"
)
_TIME: Final = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"
_ZONE: Final = r"(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9])"

EventName = Annotated[
    str, Meta(pattern=f"^{EVENT_NAME}$", description="PreToolUse or pre_tool_use.")
]
SessionId = Annotated[str, Meta(pattern=f"^{SESSION_ID}$")]
IsoTime = Annotated[
    str, Meta(pattern=f"^{_DAY}T{_TIME}{_ZONE}$", description="A time in ISO 8601 with its zone.")
]


class HookRequest(Struct, frozen=True, kw_only=True):
    """What Claude Code tells a hook; whatever else it has is kept as it is."""

    hook_event_name: EventName
    session_id: SessionId
    tool_name: Annotated[Any, Meta(description="Where a tool is called.")] = UNSET
    tool_use_id: Annotated[Any, Meta(description="Joins a call, its result and its line.")] = UNSET
    agent_id: Annotated[Any, Meta(description="The subagent it happened in.")] = UNSET


class EventEnvelope(Struct, frozen=True, kw_only=True, rename="camel"):
    """The same with its time and a name of its own, in `data` what the hook was told."""

    type: EventName
    session_id: SessionId
    timestamp: IsoTime
    uuid: Annotated[Any, Meta(description="Sent again under one name it is kept once.")] = UNSET
    data: Annotated[Any, Meta(description="What the hook was told.")] = UNSET
