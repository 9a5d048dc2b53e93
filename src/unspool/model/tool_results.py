"""Results of the built-in tools, in Claude Code's own words; every field may be missing."""

from msgspec import Raw, Struct, field

from unspool.model.blocks import NULL, Int53
from unspool.model.sidecars import Task, Todo
from unspool.model.tool_inputs import Question


class GitCommit(Struct, frozen=True, gc=False):
    sha: str | None = None
    kind: str | None = None
    branch: str | None = None


class GitPush(Struct, frozen=True, gc=False):
    branch: str | None = None


class GitBranch(Struct, frozen=True, gc=False):
    ref: str | None = None
    action: str | None = None


class GitPullRequest(Struct, frozen=True, gc=False):
    number: Int53 | None = None
    url: str | None = None
    action: str | None = None


class GitOperation(Struct, frozen=True, gc=False):
    """What a command did to the repository."""

    commit: GitCommit | None = None
    push: GitPush | None = None
    branch: GitBranch | None = None
    pr: GitPullRequest | None = None


class BashResult(Struct, frozen=True, rename="camel", gc=False):
    """There is no exit code: failure is on the block, as text."""

    stdout: str | None = None
    stderr: str | None = None
    interrupted: bool | None = None
    is_image: bool | None = None
    raw_output_path: str | None = None
    background_task_id: str | None = None
    backgrounded_by_user: bool | None = None
    assistant_auto_backgrounded: bool | None = None
    timed_out_after_ms: float | None = None
    background_cwd_hint: str | None = None
    background_ends_with_final_response: bool | None = None
    background_wakes_owner: bool | None = None
    dangerously_disable_sandbox: bool | None = None
    return_code_interpretation: str | None = None
    no_output_expected: bool | None = None
    structured_content: Raw = NULL
    persisted_output_path: str | None = None
    persisted_output_size: Int53 | None = None
    stale_read_file_state_hint: str | None = None
    gh_rate_limit_hint: str | None = None
    bash_edit_diff: Raw = NULL
    git_operation: GitOperation | None = None


class ReadFile(Struct, frozen=True, rename="camel", gc=False):
    """The file of a Read: its text, or where its image, cells or pages are."""

    file_path: str | None = None
    content: str | None = None
    num_lines: Int53 | None = None
    start_line: Int53 | None = None
    total_lines: Int53 | None = None
    truncated_by_token_cap: bool | None = None
    base64: str | None = None
    type: str | None = None
    original_size: Int53 | None = None
    dimensions: Raw = NULL
    cells: Raw = NULL
    count: Int53 | None = None
    output_dir: str | None = None


class ReadResult(Struct, frozen=True, rename="camel", gc=False):
    """`type` is text, image, notebook, pdf, parts or file_unchanged."""

    type: str | None = None
    file: ReadFile | None = None
    pages: Raw = NULL


class Hunk(Struct, frozen=True, rename="camel", gc=False):
    old_start: Int53 | None = None
    old_lines: Int53 | None = None
    new_start: Int53 | None = None
    new_lines: Int53 | None = None
    lines: list[str] | None = None


class GitDiff(Struct, frozen=True, rename="camel", gc=False):
    filename: str | None = None
    status: str | None = None
    additions: Int53 | None = None
    deletions: Int53 | None = None
    changes: Int53 | None = None
    patch: str | None = None
    repository: str | None = None


class EditResult(Struct, frozen=True, rename="camel", gc=False):
    """Of Edit, MultiEdit and Write; a new file has no patch, only content."""

    type: str | None = None
    file_path: str | None = None
    content: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    original_file: str | None = None
    structured_patch: list[Hunk] | None = None
    git_diff: GitDiff | None = None
    user_modified: bool | None = None
    replace_all: bool | None = None
    staged: bool | None = None


class NotebookEditResult(Struct, frozen=True, gc=False):
    new_source: str | None = None
    old_source: str | None = None
    cell_id: str | None = None
    cell_type: str | None = None
    language: str | None = None
    edit_mode: str | None = None
    error: str | None = None
    notebook_path: str | None = None
    original_file: str | None = None
    updated_file: str | None = None


class GlobResult(Struct, frozen=True, rename="camel", gc=False):
    filenames: list[str] | None = None
    num_files: Int53 | None = None
    duration_ms: float | None = None
    truncated: bool | None = None
    total_matches: Int53 | None = None
    count_is_complete: bool | None = None
    timed_out: bool | None = None


class GrepResult(Struct, frozen=True, rename="camel", gc=False):
    mode: str | None = None
    filenames: list[str] | None = None
    num_files: Int53 | None = None
    content: str | None = None
    num_lines: Int53 | None = None
    num_matches: Int53 | None = None
    total_files: Int53 | None = None
    total_lines: Int53 | None = None
    applied_limit: Int53 | None = None
    applied_offset: Int53 | None = None
    timed_out: bool | None = None


class TodoWriteResult(Struct, frozen=True, rename="camel", gc=False):
    old_todos: list[Todo] | None = None
    new_todos: list[Todo] | None = None


class TaskResult(Struct, frozen=True, gc=False):
    """Of TaskCreate and TaskGet."""

    task: Task | None = None


class TaskListResult(Struct, frozen=True, gc=False):
    tasks: list[Task] | None = None


class StatusChange(Struct, frozen=True, gc=False):
    before: str | None = field(default=None, name="from")
    after: str | None = field(default=None, name="to")


class TaskUpdateResult(Struct, frozen=True, rename="camel", gc=False):
    success: bool | None = None
    task_id: str | None = None
    updated_fields: list[str] | None = None
    error: str | None = None
    status_change: StatusChange | None = None


class TaskStopResult(Struct, frozen=True, gc=False):
    message: str | None = None
    task_id: str | None = None
    task_type: str | None = None
    command: str | None = None


class ToolStats(Struct, frozen=True, rename="camel", gc=False):
    read_count: Int53 | None = None
    search_count: Int53 | None = None
    bash_count: Int53 | None = None
    edit_file_count: Int53 | None = None
    lines_added: Int53 | None = None
    lines_removed: Int53 | None = None
    other_tool_count: Int53 | None = None
    frame_count: Int53 | None = None


class AgentResult(Struct, frozen=True, rename="camel", gc=False):
    """`status` is completed, async_launched or remote_launched; tokens are the last request's."""

    status: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    is_async: bool | None = None
    task_id: str | None = None
    description: str | None = None
    prompt: str | None = None
    content: Raw = NULL
    resolved_model: str | None = None
    models_used: list[str] | None = None
    total_tool_use_count: Int53 | None = None
    total_duration_ms: float | None = None
    total_tokens: Int53 | None = None
    usage: Raw = NULL
    tools_used: list[str] | None = None
    tool_stats: ToolStats | None = None
    output_file: str | None = None
    can_read_output_file: bool | None = None
    session_url: str | None = None
    worktree_path: str | None = None
    worktree_branch: str | None = None


class WebFetchResult(Struct, frozen=True, rename="camel", gc=False):
    url: str | None = None
    result: str | None = None
    bytes: Int53 | None = None
    code: Int53 | None = None
    code_text: str | None = None
    duration_ms: float | None = None
    artifact_read: Raw = NULL


class WebSearchHit(Struct, frozen=True, gc=False):
    title: str | None = None
    url: str | None = None
    snippet: str | None = None


class WebSearchHits(Struct, frozen=True, gc=False):
    tool_use_id: str | None = None
    content: list[WebSearchHit] | None = None


class WebSearchResult(Struct, frozen=True, rename="camel", gc=False):
    query: str | None = None
    results: list[WebSearchHits | str] | None = None
    duration_seconds: float | None = None
    search_count: Int53 | None = None


class AskUserQuestionResult(Struct, frozen=True, rename="camel", gc=False):
    questions: list[Question] | None = None
    answers: Raw = NULL
    response: str | None = None
    annotations: Raw = NULL
    afk_timeout_ms: float | None = None


class ExitPlanModeResult(Struct, frozen=True, rename="camel", gc=False):
    plan: str | None = None
    is_agent: bool | None = None
    file_path: str | None = None
    has_task_tool: bool | None = None
    plan_was_edited: bool | None = None
    awaiting_leader_approval: bool | None = None
    request_id: str | None = None


class EnterPlanModeResult(Struct, frozen=True, gc=False):
    message: str | None = None


class WorkflowResult(Struct, frozen=True, rename="camel", gc=False):
    status: str | None = None
    task_id: str | None = None
    task_type: str | None = None
    workflow_name: str | None = None
    run_id: str | None = None
    summary: str | None = None
    transcript_dir: str | None = None
    script_path: str | None = None
    session_url: str | None = None
    warning: str | None = None
    error: str | None = None


class MonitorResult(Struct, frozen=True, rename="camel", gc=False):
    task_id: str | None = None
    timeout_ms: float | None = None
    persistent: bool | None = None


class CronCreateResult(Struct, frozen=True, rename="camel", gc=False):
    id: str | None = None
    human_schedule: str | None = None
    recurring: bool | None = None
    durable: bool | None = None
    next_fire_at: Raw = NULL


class ScheduleWakeupResult(Struct, frozen=True, rename="camel", gc=False):
    scheduled_for: float | None = None
    clamped_delay_seconds: float | None = None
    was_clamped: bool | None = None
    stopped: bool | None = None
    cancelled_wakeups: Int53 | None = None


class WorktreeResult(Struct, frozen=True, rename="camel", gc=False):
    """Of EnterWorktree and ExitWorktree."""

    action: str | None = None
    original_cwd: str | None = None
    worktree_path: str | None = None
    worktree_branch: str | None = None
    tmux_session_name: str | None = None
    discarded_files: Int53 | None = None
    discarded_commits: Int53 | None = None
    message: str | None = None


class ReviewFinding(Struct, frozen=True, gc=False):
    file: str | None = None
    line: Int53 | None = None
    summary: str | None = None
    failure_scenario: str | None = None
    category: str | None = None
    verdict: str | None = None
    outcome: str | None = None


class ReportFindingsResult(Struct, frozen=True, gc=False):
    count: Int53 | None = None
    level: str | None = None
    findings: list[ReviewFinding] | None = None


class SkillResult(Struct, frozen=True, rename="camel", gc=False):
    success: bool | None = None
    command_name: str | None = None
    allowed_tools: list[str] | None = None


class ToolSearchResult(Struct, frozen=True, gc=False):
    query: str | None = None
    matches: Raw = NULL
    total_deferred_tools: Int53 | None = None
