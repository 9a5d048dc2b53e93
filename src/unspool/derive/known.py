"""Names Claude Code is known to write and unspool has no use for; those it reads are Structs."""

from typing import Final

from msgspec import Struct
from msgspec.structs import fields

from unspool.model.blocks import Document, Image, Text, Thinking, ToolResult, ToolUse
from unspool.model.metadata import (
    AgentMetadata,
    ArtifactLedger,
    ArtifactMonitor,
    BridgeSession,
    CostState,
    MetadataLine,
    ModelCost,
    QueueOperation,
)
from unspool.model.sidecars import AgentMeta
from unspool.model.transcript import (
    Assistant,
    AttachmentBody,
    CompactMetadata,
    ConversationLine,
    MessageBody,
    Progress,
    ProgressData,
    System,
    Usage,
    User,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _names(kind: type[Struct]) -> frozenset[str]:
    return frozenset(field.encode_name for field in fields(kind))


TYPES: Final = _words(
    "history-suppression attribution-snapshot memory-mode dev-mods observer-ref api-request "
    "api-request-shape api-request-blob"
)
TYPES_LIKE: Final = "marble-origami-"

SUBTYPES: Final = _words(
    "turn_duration stop_hook_summary compact_boundary microcompact_boundary api_error "
    "local_command away_summary informational bridge_status scheduled_task_fire agents_killed "
    "model_refusal_fallback model_refusal_no_fallback model_fallback model_consent_fallback "
    "permission_granted permission_denied error init"
)

ATTACHMENTS: Final = _words(
    "hook_success hook_non_blocking_error hook_blocking_error hook_cancelled "
    "hook_additional_context hook_system_message hook_stopped_continuation async_hook_response "
    "queued_command task_status task_reminder todo_reminder goal_status team_context "
    "file directory already_read_file edited_text_file compact_file_reference "
    "plan_file_reference nested_memory instructions diagnostics opened_file_in_ide "
    "selected_lines_in_ide read_truncation_notice "
    "plan_mode plan_mode_exit plan_mode_reentry auto_mode auto_mode_exit output_style "
    "command_permissions ultra_effort_enter ultra_effort_exit "
    "skill_listing invoked_skills dynamic_skill deferred_tools_delta deferred_tools_record "
    "mcp_instructions_delta agent_listing_delta "
    "environment model date date_change session_context prompt_snapshot total_tokens_reminder "
    "structured_output remote_session_change silent_turn_reminder bash_output_audience_note "
    "batching_reminder_sent workflow_keyword_request workflow_size_guideline_change "
    "companion_intro"
)

FIELDS: Final[dict[type[Struct], frozenset[str]]] = {
    ConversationLine: _words(
        "userType session_id isMeta teamName agentName forkedFrom logicalParentUuid"
    ),
    User: _words(
        "isVisibleInTranscriptOnly interruptedMessageId imagePasteIds mcpMeta queuePriority "
        "queueSkipAttachments scheduledTaskId classifierMetaLines turnCompanion toolEndsTurn "
        "interruptedByShutdown thinkingMetadata planContent"
    ),
    Assistant: _words(
        "perTurnEffort wireToolInputs wireIngestContext quotaLimits advisorModel "
        "attributionPlugin attributionMcpTool errorDetails isAbortedMidStream costUSD durationMs"
    ),
    System: _words(
        "requestId hasOutput hookAdditionalContext microcompactMetadata cause "
        "pendingBackgroundAgentCount pendingWorkflowCount taskId cron prompt taskKind trigger "
        "direction apiRefusalCategory apiRefusalExplanation retractedMessageUuids "
        "refusedUserMessageUuid choice persistedAsDefault"
    ),
    Progress: _words("content level"),
    ProgressData: _words(
        "message normalizedMessages output fullOutput elapsedTimeSeconds totalLines status "
        "serverName toolName taskDescription taskId taskType elapsedTimeMs query resultCount "
        "resume timeoutMs totalBytes"
    ),
    CompactMetadata: _words(
        "preservedSegment preservedMessages preCompactDiscoveredTools messagesSummarized "
        "userContext direction precomputed"
    ),
    MessageBody: _words("type container stop_sequence stop_details diagnostics context_management"),
    Usage: _words("iterations"),
    Text: _words("citations cache_control"),
    Thinking: _words("signature"),
    ToolUse: _words("caller cache_control"),
    ToolResult: _words("cache_control"),
    Image: _words("cache_control"),
    Document: _words("context citations cache_control"),
    AttachmentBody: _words(
        "identity outputFilePath taskType addedNames removedNames readdedNames addedTypes "
        "removedTypes allowedTools autoModeConsentFlow condition isInitial isNew itemCount "
        "iterations met names needsAuthMcpServers pendingMcpServers reason sentinel "
        "showConcurrencyNote skillCount timedOut timeoutMs timestamp tokens total used"
    ),
    MetadataLine: _words("session_id"),
    QueueOperation: _words("sessionEpoch"),
    CostState: _words(
        "totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration startTime"
    ),
    ModelCost: _words("thinkingTokens"),
    BridgeSession: _words("lastSequenceNum ownerAccountUuid ownerOrganizationUuid"),
    ArtifactLedger: _words("v accountUuid"),
    ArtifactMonitor: _words("v"),
    AgentMetadata: _names(AgentMeta) - _names(AgentMetadata),
}
