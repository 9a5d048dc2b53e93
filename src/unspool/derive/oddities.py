"""Lines -> names that this version of unspool does not know, counted by Claude Code version.

The lists below are names that Claude Code writes and unspool does not read; what it reads is a
Struct of the model.
"""

from functools import cache
from types import UnionType
from typing import Any, Final, NamedTuple, TypeAlias, Union, get_args, get_origin

from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder
from msgspec.structs import fields

from unspool.model.blocks import (
    ContentBlock,
    Document,
    Image,
    OtherBlock,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from unspool.model.health import Oddity, OddityKind
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
    Attachment,
    AttachmentBody,
    CompactMetadata,
    ConversationLine,
    KnownEntry,
    MessageBody,
    Progress,
    ProgressData,
    System,
    Usage,
    User,
)

_TROUBLE: Final = (DecodeError, RecursionError, UnicodeError)
_LONGEST_NAME: Final = 120
_MAX_NAMES: Final = 2_000  # of a file full of made-up names, the first are enough


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _names(kind: type[Struct]) -> frozenset[str]:
    return frozenset(field.encode_name for field in fields(kind))


KNOWN_TYPES: Final = _words(
    "history-suppression attribution-snapshot memory-mode dev-mods observer-ref api-request "
    "api-request-shape api-request-blob"
)
KNOWN_TYPE_PREFIX: Final = "marble-origami-"

KNOWN_SUBTYPES: Final = _words(
    "turn_duration stop_hook_summary compact_boundary microcompact_boundary api_error "
    "local_command away_summary informational bridge_status scheduled_task_fire agents_killed "
    "model_refusal_fallback model_refusal_no_fallback model_fallback model_consent_fallback "
    "permission_granted permission_denied error init"
)

KNOWN_ATTACHMENTS: Final = _words(
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

# Of fields only those that no Struct has: unspool does not read them.
UNREAD_FIELDS: Final[dict[type[Struct], frozenset[str]]] = {
    ConversationLine: _words(
        "userType session_id isMeta teamName agentName forkedFrom logicalParentUuid"
    ),
    User: _words(
        "isVisibleInTranscriptOnly interruptedMessageId imagePasteIds mcpMeta queuePriority "
        "queueSkipAttachments scheduledTaskId classifierMetaLines turnCompanion toolEndsTurn "
        "interruptedByShutdown thinkingMetadata planContent userFeedback"
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
        "normalizedMessages output fullOutput elapsedTimeSeconds totalLines status "
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
        "showConcurrencyNote skillCount timedOut timeoutMs timestamp tokens total used data "
        "planFilePath"
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

_object: Final = Decoder(dict[str, Raw])
_objects: Final = Decoder(list[dict[str, Raw]])
_map: Final = Decoder(dict[str, dict[str, Raw]])
_text: Final = Decoder(str)

_RawObject: TypeAlias = dict[str, Raw]
_Key: TypeAlias = tuple[str, OddityKind, str]


class _Shape(NamedTuple):
    """The field names an object may have, and which of them contain objects of known shape."""

    names: frozenset[str]
    inner: tuple[tuple[str, Decoder[Any], type[Struct]], ...]


class OddityFold:
    """Fed the raw lines of files; a line that is not one object is skipped."""

    def __init__(self) -> None:
        self._path = ""
        self._line = 0
        self._version = ""
        self._counts: dict[_Key, int] = {}
        self._places: dict[_Key, tuple[str, int]] = {}

    def begin(self, path: str) -> None:
        """Start the next file; its lines say which version wrote it."""
        self._path, self._line, self._version = path, 0, ""

    def feed(self, line: bytes) -> None:
        """Check the next line of the file."""
        self._line += 1
        entry = _decode(_object, line)
        if not entry:
            return
        self._version = _string(entry.get("version"))[:_LONGEST_NAME] or self._version
        name = _string(entry.get("type"))
        kind = _ENTRIES.get(name)
        if kind is not None:
            self._compare(kind, entry, name)
            self._check_contents(kind, entry)
        elif name not in KNOWN_TYPES and not name.startswith(KNOWN_TYPE_PREFIX):
            self._note("type", name or "(none)")

    def oddities(self) -> list[Oddity]:
        """All unknown names, by version, kind and frequency."""
        oddities = [
            Oddity(version=version, kind=kind, name=name, count=count, path=path, line=line)
            for (version, kind, name), count in self._counts.items()
            for path, line in [self._places[version, kind, name]]
        ]
        order = ("type", "subtype", "attachment", "block", "field")
        return sorted(
            oddities,
            key=lambda one: (
                _version_key(one.version),
                order.index(one.kind),
                -one.count,
                one.name,
            ),
        )

    def _check_contents(self, kind: type[Struct], entry: _RawObject) -> None:
        """The subtype, attachment or content blocks of a line."""
        if kind is System:
            self._check_name("subtype", _string(entry.get("subtype")), KNOWN_SUBTYPES)
        elif kind is Attachment:
            body = _decode(_object, entry.get("attachment")) or {}
            name = _string(body.get("type"))
            self._check_name("attachment", name, KNOWN_ATTACHMENTS)
            if name in KNOWN_ATTACHMENTS:
                self._compare(AttachmentBody, body, f"attachment.{name}")
        elif "message" in entry:
            body = _decode(_object, entry["message"]) or {}
            for block in _decode(_objects, body.get("content")) or ():
                self._block(block)

    def _block(self, block: _RawObject) -> None:
        name = _string(block.get("type"))
        kind = _BLOCKS.get(name)
        if kind is None:
            self._note("block", name or "(none)")
        else:
            self._compare(kind, block, f"content.{name}")

    def _compare(self, kind: type[Struct], value: _RawObject, path: str) -> None:
        shape = _shape(kind)
        for name in value.keys() - shape.names:
            self._note("field", f"{path}.{name}")
        for name, decoder, inner in shape.inner:
            if name in value:
                below = _decode(decoder, value[name])
                for one in _objects_in(below):
                    self._compare(inner, one, f"{path}.{name}")

    def _check_name(self, kind: OddityKind, name: str, known: frozenset[str]) -> None:
        if name and name not in known:
            self._note(kind, name)

    def _note(self, kind: OddityKind, name: str) -> None:
        key = self._version, kind, name[:_LONGEST_NAME]
        if key not in self._counts and len(self._counts) >= _MAX_NAMES:
            return
        self._counts[key] = self._counts.get(key, 0) + 1
        self._places.setdefault(key, (self._path, self._line))


@cache
def _shape(kind: type[Struct]) -> _Shape:
    own = fields(kind)
    ignored = (UNREAD_FIELDS.get(one, frozenset[str]()) for one in kind.__mro__)
    names = frozenset({"type", *(one.encode_name for one in own)}).union(*ignored)
    inner = ((one.encode_name, *_inner_struct(one.type)) for one in own)
    return _Shape(names, tuple((name, how, what) for name, how, what in inner if how and what))


def _inner_struct(kind: Any) -> tuple[Decoder[Any] | None, type[Struct] | None]:
    """The Struct of which a field has one, a list or a map; `_check_contents` does the others."""
    options = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    for option in options:
        if _is_struct(option) and option is not AttachmentBody:
            return _object, option
        inner = [part for part in get_args(option) if _is_struct(part)]
        if inner:
            return (_map if get_origin(option) is dict else _objects), inner[0]
    return None, None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _objects_in(below: Any) -> list[_RawObject]:
    if isinstance(below, list):
        return below
    values = list(below.values()) if below else []
    return values if values and isinstance(values[0], dict) else [below or {}]


def _decode(decoder: Decoder[Any], raw: Raw | bytes | None) -> Any:
    if raw is None:
        return None
    try:
        return decoder.decode(raw)
    except _TROUBLE:
        return None


def _string(raw: Raw | None) -> str:
    return _decode(_text, raw) or ""


def _version_key(version: str) -> tuple[list[int], str]:
    """2.1.9 comes before 2.1.10."""
    return [int(part) for part in version.split(".") if part.isdecimal()][:8], version


def _by_tag(kinds: Any) -> dict[str, type[Struct]]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(kinds)}


_ENTRIES: Final = _by_tag(KnownEntry)
_BLOCKS: Final = {
    tag: kind for tag, kind in _by_tag(ContentBlock).items() if kind is not OtherBlock
}
