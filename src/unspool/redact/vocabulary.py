"""Claude Code's own words: field names, tool names and phrases that anonymising keeps."""

import re
from collections.abc import Iterator
from types import ModuleType
from typing import Final

import msgspec

from unspool.model import (
    blocks,
    document,
    hooks,
    metadata,
    sidecars,
    tool_inputs,
    tool_results,
    transcript,
)


def _names(*modules: ModuleType) -> Iterator[str]:
    for module in modules:
        for found in vars(module).values():
            if isinstance(found, type) and issubclass(found, msgspec.Struct):
                yield from (field.encode_name for field in msgspec.structs.fields(found))


# Field names that Claude Code writes and unspool does not read.
_UNREAD: Final = frozenset(
    "userType isVisibleInTranscriptOnly interruptedMessageId imagePasteIds mcpMeta queuePriority "
    "queueSkipAttachments scheduledTaskId classifierMetaLines turnCompanion toolEndsTurn "
    "interruptedByShutdown thinkingMetadata perTurnEffort wireToolInputs wireIngestContext "
    "quotaLimits advisorModel attributionPlugin attributionMcpTool errorDetails "
    "isAbortedMidStream hasOutput hookAdditionalContext microcompactMetadata cause "
    "pendingBackgroundAgentCount pendingWorkflowCount direction apiRefusalCategory "
    "apiRefusalExplanation retractedMessageUuids refusedUserMessageUuid choice "
    "persistedAsDefault normalizedMessages fullOutput elapsedTimeSeconds serverName "
    "taskDescription elapsedTimeMs resultCount totalBytes preservedSegment preservedMessages "
    "preCompactDiscoveredTools messagesSummarized userContext precomputed container "
    "stop_sequence stop_details context_management iterations citations cache_control signature "
    "caller identity outputFilePath addedNames removedNames readdedNames addedTypes removedTypes "
    "autoModeConsentFlow condition isInitial isNew itemCount met names needsAuthMcpServers "
    "pendingMcpServers sentinel showConcurrencyNote skillCount used sessionEpoch "
    "totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration thinkingTokens "
    "lastSequenceNum userFeedback ownerAccountUuid ownerOrganizationUuid v accountUuid".split()
)
# Field names: kept everywhere, and no others are.
KEYS: Final = (
    frozenset(
        _names(blocks, document, hooks, metadata, sidecars, tool_inputs, tool_results, transcript)
    )
    | _UNREAD
    | frozenset("type message content text input result source data media_type lines".split())
)
# Below these keys are tool inputs and results, where even a listed value may be somebody's word.
FREE: Final = frozenset(
    "input toolUseResult tool_input tool_response result trackedFileBackups answers annotations "
    "structuredContent mcpMeta env headers metadata replacements artifacts backup".split()
)
# Names of tools, agents, hook events and notices.
NAMES: Final = frozenset(
    "Bash PowerShell BashOutput KillShell KillBash Monitor Edit MultiEdit Write NotebookEdit Read "
    "NotebookRead LS ReadMcpResourceTool ListMcpResourcesTool Grep Glob LSP ToolSearch Agent Task "
    "SendMessage Workflow TaskOutput TaskStop TodoWrite TaskCreate TaskUpdate TaskList TaskGet "
    "WebFetch WebSearch ExitPlanMode EnterPlanMode exit_plan_mode AskUserQuestion Skill "
    "SlashCommand StructuredOutput web_search web_fetch advisor "
    "general-purpose Explore Plan statusline-setup output-style-setup claude-code-guide "
    "api_error error permission_denied permission_granted model_refusal_fallback "
    "model_refusal_no_fallback model_fallback model_consent_fallback agents_killed "
    "PreToolUse PostToolUse PostToolUseFailure PermissionRequest Notification UserPromptSubmit "
    "SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact "
    "TeammateIdle TaskCompleted ConfigChange Setup startup resume clear compact".split()
)
# Keys whose values come from Claude Code's fixed lists, or are versions and models.
LISTED: Final = frozenset(
    "type subtype role stop_reason stopReason stop_sequence model models version userType "
    "entrypoint level operation trigger mode permissionMode permission_mode service_tier speed "
    "inference_geo status state evidence proof voice origin ownership kind hookEvent "
    "hook_event_name decision behavior by commandMode promptSource turnOrigin toolDenialKind "
    "effort unpriced media_type cell_type edit_mode output_mode side phase color agentColor "
    "memberColor originalModel fallbackModel startTime endTime since timestamp day source".split()
)
# Values of those that are kept inside tool inputs and results as well.
WORDS: Final = frozenset(
    "text image document tool_use tool_result tool_reference user assistant system create update "
    "delete completed in_progress pending deleted async_launched remote_launched success error "
    "base64 url content files_with_matches count code markdown add modified replace insert "
    "shutdown_request shutdown_response plan_approval_response message broadcast opus sonnet "
    "haiku inherit teammate_spawned queued running killed failed stopped allow deny ask "
    "image/png image/jpeg image/gif image/webp application/pdf".split()
)
# Objects with a model for each key.
_BY_MODEL: Final = frozenset({"modelUsage", "models"})
_LISTED: Final = re.compile(r"[\w.<>\[\]:@/+-]{0,80}\Z")
_MODEL: Final = re.compile(r"claude-[\w.@\[\]-]{1,60}\Z")


def is_known_key(key: str, above: str) -> bool:
    """Whether a key is a field name of Claude Code, or below `above` the name of a model."""
    return key in KEYS or (above in _BY_MODEL and bool(_MODEL.match(key)))


def is_listed(key: str, value: str, *, free: bool) -> bool:
    """Whether a value is one of Claude Code's own words and is kept."""
    if key not in LISTED:
        return False
    return value in WORDS or bool((_MODEL if free else _LISTED).match(value))


_TAGS: Final = (
    "system-reminder local-command-caveat task-notification agent-notification command-name "
    "command-message command-args bash-input bash-stdout bash-stderr local-command-stdout "
    "local-command-stderr persisted-output teammate-message task-id agent-id tool-use-id status "
    "summary result tool_use_error usage total_tokens tool_uses duration_ms output-file "
    "ide_opened_file ide_selection ide_diagnostics new-diagnostics user-prompt-submit-hook "
    "session-start-hook post-tool-use-hook user-memory-input ci-monitor-event "
    "github-webhook-activity scheduled-task channel-message mcp-resource-update "
    "mcp-polling-update cross-session-message"
).split()
_PHRASES: Final = (
    "[Request interrupted by user for tool use]",
    "[Request interrupted by user]",
    "[Request interrupted by user",
    "Base directory for this skill:",
    "Another Claude session sent a message",
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to",
    "User rejected tool use",
    "Permission to use ",
    "Permission for this action ",
    "Full output saved to: ",
    "Read the output file to retrieve the full result:",
    "Read the output file to retrieve the result:",
    "This session is being continued from a previous conversation",
    "Caveat: The messages below were generated by the user while running local commands",
    "teammate_id=",
    "agentId: ",
    "https://",
    "http://",
)
# Ids in a text that name an agent or a call.
_IDS: Final = (
    r"(?<=<task-id>)[\w@.-]{1,128}|(?<=<agent-id>)[\w@.-]{1,128}"
    r"|(?<=<tool-use-id>)[\w@.-]{1,128}|(?<=agentId: )\w{1,64}"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\btoolu_\w{8,64}"
)
# What unspool recognises in a text; `id` is an id that must match others.
SIGNS: Final = re.compile(
    "|".join(
        (
            f"(?P<id>{_IDS})",
            rf"</?(?:{'|'.join(_TAGS)})(?=[\s>])>?",
            *map(re.escape, _PHRASES),
            r"(?:\A|(?<=\n))Exit code \d{1,3}",
            r"(?:\A|(?<=\n))Error: ",
            r"(?<=<status>)(?:completed|failed|killed|stopped|running)(?=</)",
        )
    )
)
