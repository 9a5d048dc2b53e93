"""Inputs of the built-in tools, in Claude Code's own words; every field may be missing."""

from typing import Any

from msgspec import Raw, Struct, field

from unspool.model.blocks import NULL, Int53
from unspool.model.document import ToolExecution
from unspool.model.sidecars import Todo


class ToolCall(Struct, frozen=True):
    """A call as the document has it, and what it was given and gave back, typed by its tool."""

    execution: ToolExecution
    arguments: Struct | dict[str, Any]  # a Struct of this module, plain where nobody knows the tool
    result: Struct | str | list[Any] | dict[str, Any]  # of `tool_results`; "" if none


class BashInput(Struct, frozen=True, gc=False):
    command: str | None = None
    description: str | None = None
    timeout: float | None = None
    run_in_background: bool | None = None
    disable_sandbox: bool | None = field(default=None, name="dangerouslyDisableSandbox")


class BashOutputInput(Struct, frozen=True, gc=False):
    bash_id: str | None = None
    filter: str | None = None


class KillShellInput(Struct, frozen=True, gc=False):
    shell_id: str | None = None


class ReadInput(Struct, frozen=True, gc=False):
    file_path: str | None = None
    offset: Int53 | None = None
    limit: Int53 | None = None
    pages: str | None = None


class WriteInput(Struct, frozen=True, gc=False):
    file_path: str | None = None
    content: str | None = None


class EditInput(Struct, frozen=True, gc=False):
    file_path: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool | None = None


class OneEdit(Struct, frozen=True, gc=False):
    """One of several edits to the same file."""

    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool | None = None


class MultiEditInput(Struct, frozen=True, gc=False):
    file_path: str | None = None
    edits: list[OneEdit] | None = None


class NotebookEditInput(Struct, frozen=True, gc=False):
    notebook_path: str | None = None
    cell_id: str | None = None
    new_source: str | None = None
    cell_type: str | None = None
    edit_mode: str | None = None


class GlobInput(Struct, frozen=True, gc=False):
    pattern: str | None = None
    path: str | None = None


class GrepInput(Struct, frozen=True, gc=False):
    pattern: str | None = None
    path: str | None = None
    glob: str | None = None
    type: str | None = None
    output_mode: str | None = None
    multiline: bool | None = None
    head_limit: Int53 | None = None
    offset: Int53 | None = None
    ignore_case: bool | None = field(default=None, name="-i")
    numbered: bool | None = field(default=None, name="-n")
    before: Int53 | None = field(default=None, name="-B")
    after: Int53 | None = field(default=None, name="-A")
    around: Int53 | None = field(default=None, name="-C")


class LsInput(Struct, frozen=True, gc=False):
    path: str | None = None
    ignore: list[str] | None = None


class WebFetchInput(Struct, frozen=True, gc=False):
    url: str | None = None
    prompt: str | None = None


class WebSearchInput(Struct, frozen=True, gc=False):
    query: str | None = None
    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None


class AgentInput(Struct, frozen=True, gc=False):
    """Agent, and Task as it was called before."""

    description: str | None = None
    prompt: str | None = None
    subagent_type: str | None = None
    model: str | None = None
    name: str | None = None
    team_name: str | None = None
    mode: str | None = None
    isolation: str | None = None
    resume: str | None = None
    run_in_background: bool | None = None
    max_turns: Int53 | None = None


class TodoWriteInput(Struct, frozen=True, gc=False):
    todos: list[Todo] | None = None


class TaskCreateInput(Struct, frozen=True, rename="camel", gc=False):
    subject: str | None = None
    description: str | None = None
    active_form: str | None = None
    metadata: Raw = NULL


class TaskGetInput(Struct, frozen=True, rename="camel", gc=False):
    task_id: str | None = None


class TaskUpdateInput(Struct, frozen=True, rename="camel", gc=False):
    task_id: str | None = None
    subject: str | None = None
    description: str | None = None
    active_form: str | None = None
    status: str | None = None
    owner: str | None = None
    add_blocks: list[str] | None = None
    add_blocked_by: list[str] | None = None
    metadata: Raw = NULL


class TaskStopInput(Struct, frozen=True, gc=False):
    task_id: str | None = None
    shell_id: str | None = None


class TaskOutputInput(Struct, frozen=True, gc=False):
    task_id: str | None = None
    block: bool | None = None
    timeout: float | None = None


class SendMessageInput(Struct, frozen=True, gc=False):
    """`to` and `message` now; `recipient`, `content` and `type` before."""

    to: str | None = None
    message: Raw = NULL
    summary: str | None = None
    type: str | None = None
    recipient: str | None = None
    content: str | None = None
    request_id: str | None = None
    approve: bool | None = None


class TeamCreateInput(Struct, frozen=True, gc=False):
    team_name: str | None = None
    description: str | None = None
    agent_type: str | None = None


class SkillInput(Struct, frozen=True, gc=False):
    skill: str | None = None
    args: str | None = None
    command: str | None = None


class ToolSearchInput(Struct, frozen=True, gc=False):
    query: str | None = None
    max_results: Int53 | None = None


class Option(Struct, frozen=True, gc=False):
    label: str | None = None
    description: str | None = None
    preview: str | None = None


class Question(Struct, frozen=True, rename="camel", gc=False):
    question: str | None = None
    header: str | None = None
    options: list[Option] | None = None
    multi_select: bool | None = None


class AskUserQuestionInput(Struct, frozen=True, gc=False):
    questions: list[Question] | None = None
    answers: Raw = NULL


class ExitPlanModeInput(Struct, frozen=True, rename="camel", gc=False):
    plan: str | None = None
    plan_file_path: str | None = None
    allowed_prompts: Raw = NULL


class WorkflowInput(Struct, frozen=True, rename="camel", gc=False):
    name: str | None = None
    title: str | None = None
    description: str | None = None
    script: str | None = None
    script_path: str | None = None
    args: Raw = NULL
    resume_from_run_id: str | None = None


class MonitorInput(Struct, frozen=True, gc=False):
    command: str | None = None
    description: str | None = None
    timeout_ms: float | None = None
    persistent: bool | None = None
    ws: Raw = NULL


class CronCreateInput(Struct, frozen=True, gc=False):
    cron: str | None = None
    prompt: str | None = None
    recurring: bool | None = None
    durable: bool | None = None


class ScheduleWakeupInput(Struct, frozen=True, rename="camel", gc=False):
    delay_seconds: float | None = None
    reason: str | None = None
    prompt: str | None = None
    stop: bool | None = None
    noop: bool | None = None


class EnterWorktreeInput(Struct, frozen=True, gc=False):
    name: str | None = None
    path: str | None = None


class ExitWorktreeInput(Struct, frozen=True, gc=False):
    action: str | None = None
    discard_changes: bool | None = None


class NoInput(Struct, frozen=True, gc=False):
    """EnterPlanMode, TaskList, TeamDelete: the call says it all."""
