"""Small files beside the transcripts, in Claude Code's own words."""

from msgspec import Raw, Struct

from unspool.model.blocks import NULL, Int53


class AgentMeta(Struct, frozen=True, rename="camel", gc=False):
    """`agent-<id>.meta.json`: who a subagent is and which call started it."""

    agent_type: str | None = None
    description: str | None = None
    tool_use_id: str | None = None
    spawn_depth: Int53 | None = None
    parent_agent_id: str | None = None
    model: str | None = None
    request_shape: str | None = None
    request_non_interactive: bool | None = None
    is_fork: bool | None = None
    name: str | None = None
    worktree_path: str | None = None
    worktree_branch: str | None = None
    spawned_with_worktree: bool | None = None
    custom_agent_type: str | None = None
    stopped_by_user: bool | None = None
    task_kind: str | None = None
    team_name: str | None = None
    color: str | None = None
    plan_mode_required: bool | None = None
    permission_mode: str | None = None
    workflow_phase: str | None = None


class RegistryEntry(Struct, frozen=True, rename="camel", gc=False):
    """`sessions/<pid>.json`: a running session, removed when it ends; times in milliseconds."""

    pid: Int53 | None = None
    session_id: str | None = None
    cwd: str | None = None
    started_at: float | None = None
    updated_at: float | None = None
    status_updated_at: float | None = None
    status: str | None = None  # idle | busy | waiting
    waiting_for: Raw = NULL
    version: str | None = None
    kind: str | None = None
    entrypoint: str | None = None
    name: str | None = None
    name_source: str | None = None
    bridge_session_id: str | None = None
    tmux: Raw = NULL


class HistoryLine(Struct, frozen=True, rename="camel", gc=False):
    """One prompt of `history.jsonl`; the time is in milliseconds."""

    display: str | None = None
    timestamp: float | None = None
    project: str | None = None
    session_id: str | None = None
    pasted_contents: Raw = NULL


class Todo(Struct, frozen=True, rename="camel", gc=False):
    """An item of a TodoWrite list."""

    content: str | None = None
    status: str | None = None
    active_form: str | None = None
    id: str | None = None
    priority: str | None = None


class Task(Struct, frozen=True, rename="camel", gc=False):
    """An item of a TaskCreate list."""

    id: str | None = None
    subject: str | None = None
    description: str | None = None
    active_form: str | None = None
    status: str | None = None
    owner: str | None = None
    blocks: list[str] | None = None
    blocked_by: list[str] | None = None


class JobState(Struct, frozen=True, rename="camel", gc=False):
    """`jobs/<id>/state.json`: a session that runs in the background."""

    session_id: str | None = None
    name: str | None = None
    intent: str | None = None  # what it was asked to do
    state: str | None = None  # working | blocked | done | failed | stopped
    detail: str | None = None  # what it does, or did last
    needs: str | None = None  # what it asks its user for


class WorkflowAgent(Struct, frozen=True, rename="camel", gc=False):
    """One agent's progress in a workflow's run."""

    type: str | None = None
    agent_id: str | None = None
    label: str | None = None
    model: str | None = None
    state: str | None = None
    started_at: Raw = NULL
    queued_at: Raw = NULL
    attempt: Int53 | None = None
    tokens: Int53 | None = None
    tool_calls: Int53 | None = None
    duration_ms: float | None = None
    result_preview: str | None = None


class WorkflowRun(Struct, frozen=True, rename="camel", gc=False):
    """`workflows/wf_<run>.json`, written when a workflow has ended."""

    run_id: str | None = None
    timestamp: str | None = None
    task_id: str | None = None
    workflow_name: str | None = None
    status: str | None = None
    summary: str | None = None
    script_path: str | None = None
    result: Raw = NULL
    agent_count: Int53 | None = None
    duration_ms: float | None = None
    start_time: Raw = NULL
    phases: Raw = NULL
    default_model: str | None = None
    workflow_progress: list[WorkflowAgent] | None = None
    total_tokens: Int53 | None = None
    total_tool_calls: Int53 | None = None
