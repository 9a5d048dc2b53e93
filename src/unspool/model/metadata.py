"""Lines beside the conversation: titles, modes, ledgers. Re-appended often; the last one wins."""

from typing import TypeAlias

from msgspec import Raw, Struct, field

from unspool.model.blocks import NULL, Int53


class MetadataLine(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", gc=False):
    """What most metadata lines share. They carry no parent, and most no uuid."""

    session_id: str | None = None
    timestamp: str | None = None
    uuid: str | None = None


class Summary(MetadataLine, frozen=True, kw_only=True, tag="summary", gc=False):
    """A conversation's title in 2025; it may name a leaf of another file. Never a compaction."""

    summary: str | None = None
    leaf_uuid: str | None = None


class AiTitle(MetadataLine, frozen=True, kw_only=True, tag="ai-title", gc=False):
    ai_title: str | None = None


class CustomTitle(MetadataLine, frozen=True, kw_only=True, tag="custom-title", gc=False):
    custom_title: str | None = None


class AgentName(MetadataLine, frozen=True, kw_only=True, tag="agent-name", gc=False):
    agent_name: str | None = None


class AgentColor(MetadataLine, frozen=True, kw_only=True, tag="agent-color", gc=False):
    agent_color: str | None = None


class AgentSetting(MetadataLine, frozen=True, kw_only=True, tag="agent-setting", gc=False):
    agent_setting: str | None = None


class Tag(MetadataLine, frozen=True, kw_only=True, tag="tag", gc=False):
    tag: str | None = None


class LastPrompt(MetadataLine, frozen=True, kw_only=True, tag="last-prompt", gc=False):
    last_prompt: str | None = None
    leaf_uuid: str | None = None


class Mode(MetadataLine, frozen=True, kw_only=True, tag="mode", gc=False):
    mode: str | None = None


class PermissionMode(MetadataLine, frozen=True, kw_only=True, tag="permission-mode", gc=False):
    permission_mode: str | None = None


class PrLink(MetadataLine, frozen=True, kw_only=True, tag="pr-link", gc=False):
    pr_number: Int53 | None = None
    pr_url: str | None = None
    pr_repository: str | None = None


class QueueOperation(MetadataLine, frozen=True, kw_only=True, tag="queue-operation", gc=False):
    operation: str | None = None
    content: Raw = NULL
    reason: str | None = None


class FileSnapshot(Struct, frozen=True, rename="camel", gc=False):
    message_id: str | None = None
    tracked_file_backups: Raw = NULL
    timestamp: str | None = None


class FileHistorySnapshot(
    MetadataLine, frozen=True, kw_only=True, tag="file-history-snapshot", gc=False
):
    message_id: str | None = None
    snapshot: FileSnapshot | None = None
    is_snapshot_update: bool | None = None


class FileHistoryDelta(MetadataLine, frozen=True, kw_only=True, tag="file-history-delta", gc=False):
    message_id: str | None = None
    snapshot_message_id: str | None = None
    tracking_path: str | None = None
    backup: Raw = NULL


class ModelCost(Struct, frozen=True, rename="camel", gc=False):
    input_tokens: Int53 | None = 0
    output_tokens: Int53 | None = 0
    cache_read_input_tokens: Int53 | None = 0
    cache_creation_input_tokens: Int53 | None = 0
    web_search_requests: Int53 | None = 0
    cost_usd: float | None = field(default=None, name="costUSD")


class CostState(MetadataLine, frozen=True, kw_only=True, tag="cost-state", gc=False):
    """The client's own running total, auxiliary calls included: the cross-check for ours."""

    total_cost_usd: float | None = field(default=None, name="totalCostUSD")
    total_duration: float | None = None
    total_lines_added: Int53 | None = None
    total_lines_removed: Int53 | None = None
    model_usage: dict[str, ModelCost] | None = None
    has_unknown_model_cost: bool | None = None


class BridgeSession(MetadataLine, frozen=True, kw_only=True, tag="bridge-session", gc=False):
    bridge_session_id: str | None = None


class WorktreeState(MetadataLine, frozen=True, kw_only=True, tag="worktree-state", gc=False):
    worktree_session: Raw = NULL


class Relocated(MetadataLine, frozen=True, kw_only=True, tag="relocated", gc=False):
    relocated_cwd: str | None = None


class ContentReplacement(
    MetadataLine, frozen=True, kw_only=True, tag="content-replacement", gc=False
):
    replacements: Raw = NULL
    agent_id: str | None = None


class ForkContextRef(MetadataLine, frozen=True, kw_only=True, tag="fork-context-ref", gc=False):
    """A fork that points at its parent's history instead of copying it."""

    agent_id: str | None = None
    parent_session_id: str | None = None
    parent_last_uuid: str | None = None
    context_length: Int53 | None = None


class ContinuedIn(MetadataLine, frozen=True, kw_only=True, tag="continued-in", gc=False):
    continued_in_session_id: str | None = None


class FrameLink(MetadataLine, frozen=True, kw_only=True, tag="frame-link", gc=False):
    artifact_count: Int53 | None = None
    path: str | None = None
    frame_url: str | None = None
    title: str | None = None


class ArtifactLedger(
    MetadataLine, frozen=True, kw_only=True, tag="artifact-autoreact-ledger", gc=False
):
    artifacts: Raw = NULL


class ArtifactMonitor(
    MetadataLine, frozen=True, kw_only=True, tag="artifact-comment-monitor", gc=False
):
    artifacts: Raw = NULL


class AtisLatch(MetadataLine, frozen=True, kw_only=True, tag="atis-latch", gc=False):
    atis: str | None = None


class IsolationLatch(MetadataLine, frozen=True, kw_only=True, tag="isolation-latch", gc=False):
    side: str | None = None


class EndedByModel(MetadataLine, frozen=True, kw_only=True, tag="ended-by-model", gc=False):
    pass


class AgentMetadata(MetadataLine, frozen=True, kw_only=True, tag="agent_metadata", gc=False):
    agent_type: str | None = None
    description: str | None = None
    tool_use_id: str | None = None


class Launched(MetadataLine, frozen=True, kw_only=True, tag="launched", gc=False):
    """A workflow's journal: it began."""


class Started(MetadataLine, frozen=True, kw_only=True, tag="started", gc=False):
    """A workflow's journal: an agent of it began."""

    key: str | None = None
    agent_id: str | None = None
    label: str | None = None
    phase: str | None = None


class Result(MetadataLine, frozen=True, kw_only=True, tag="result", gc=False):
    """A workflow's journal: an agent of it ended."""

    key: str | None = None
    agent_id: str | None = None
    result: Raw = NULL


Metadata: TypeAlias = (
    Summary
    | AiTitle
    | CustomTitle
    | AgentName
    | AgentColor
    | AgentSetting
    | Tag
    | LastPrompt
    | Mode
    | PermissionMode
    | PrLink
    | QueueOperation
    | FileHistorySnapshot
    | FileHistoryDelta
    | CostState
    | BridgeSession
    | WorktreeState
    | Relocated
    | ContentReplacement
    | ForkContextRef
    | ContinuedIn
    | FrameLink
    | ArtifactLedger
    | ArtifactMonitor
    | AtisLatch
    | IsolationLatch
    | EndedByModel
    | AgentMetadata
    | Launched
    | Started
    | Result
)
