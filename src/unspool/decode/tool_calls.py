"""Tool inputs and tool results -> Structs where the tool is known, plain values where not."""

import re
from functools import cache
from typing import Any, Final

from msgspec import Raw, Struct, json
from msgspec.structs import fields

from unspool.decode.lenient import plain_value, read_as
from unspool.model import tool_inputs, tool_results

INPUTS: Final[dict[str, type[Struct]]] = {
    "Agent": tool_inputs.AgentInput,
    "AskUserQuestion": tool_inputs.AskUserQuestionInput,
    "Bash": tool_inputs.BashInput,
    "BashOutput": tool_inputs.BashOutputInput,
    "CronCreate": tool_inputs.CronCreateInput,
    "Edit": tool_inputs.EditInput,
    "EnterPlanMode": tool_inputs.NoInput,
    "EnterWorktree": tool_inputs.EnterWorktreeInput,
    "ExitPlanMode": tool_inputs.ExitPlanModeInput,
    "ExitWorktree": tool_inputs.ExitWorktreeInput,
    "Glob": tool_inputs.GlobInput,
    "Grep": tool_inputs.GrepInput,
    "KillShell": tool_inputs.KillShellInput,
    "LS": tool_inputs.LsInput,
    "Monitor": tool_inputs.MonitorInput,
    "MultiEdit": tool_inputs.MultiEditInput,
    "NotebookEdit": tool_inputs.NotebookEditInput,
    "PowerShell": tool_inputs.BashInput,
    "Read": tool_inputs.ReadInput,
    "ScheduleWakeup": tool_inputs.ScheduleWakeupInput,
    "SendMessage": tool_inputs.SendMessageInput,
    "Skill": tool_inputs.SkillInput,
    "Task": tool_inputs.AgentInput,
    "TaskCreate": tool_inputs.TaskCreateInput,
    "TaskGet": tool_inputs.TaskGetInput,
    "TaskList": tool_inputs.NoInput,
    "TaskOutput": tool_inputs.TaskOutputInput,
    "TaskStop": tool_inputs.TaskStopInput,
    "TaskUpdate": tool_inputs.TaskUpdateInput,
    "TeamCreate": tool_inputs.TeamCreateInput,
    "TeamDelete": tool_inputs.NoInput,
    "TodoWrite": tool_inputs.TodoWriteInput,
    "ToolSearch": tool_inputs.ToolSearchInput,
    "WebFetch": tool_inputs.WebFetchInput,
    "WebSearch": tool_inputs.WebSearchInput,
    "Workflow": tool_inputs.WorkflowInput,
    "Write": tool_inputs.WriteInput,
    "exit_plan_mode": tool_inputs.ExitPlanModeInput,
}

RESULTS: Final[dict[str, type[Struct]]] = {
    "Agent": tool_results.AgentResult,
    "AskUserQuestion": tool_results.AskUserQuestionResult,
    "Bash": tool_results.BashResult,
    "CronCreate": tool_results.CronCreateResult,
    "Edit": tool_results.EditResult,
    "EnterPlanMode": tool_results.EnterPlanModeResult,
    "EnterWorktree": tool_results.WorktreeResult,
    "ExitPlanMode": tool_results.ExitPlanModeResult,
    "ExitWorktree": tool_results.WorktreeResult,
    "Glob": tool_results.GlobResult,
    "Grep": tool_results.GrepResult,
    "Monitor": tool_results.MonitorResult,
    "MultiEdit": tool_results.EditResult,
    "NotebookEdit": tool_results.NotebookEditResult,
    "PowerShell": tool_results.BashResult,
    "Read": tool_results.ReadResult,
    "ReportFindings": tool_results.ReportFindingsResult,
    "ScheduleWakeup": tool_results.ScheduleWakeupResult,
    "Skill": tool_results.SkillResult,
    "Task": tool_results.AgentResult,
    "TaskCreate": tool_results.TaskResult,
    "TaskGet": tool_results.TaskResult,
    "TaskList": tool_results.TaskListResult,
    "TaskStop": tool_results.TaskStopResult,
    "TaskUpdate": tool_results.TaskUpdateResult,
    "TodoWrite": tool_results.TodoWriteResult,
    "ToolSearch": tool_results.ToolSearchResult,
    "WebFetch": tool_results.WebFetchResult,
    "WebSearch": tool_results.WebSearchResult,
    "Workflow": tool_results.WorkflowResult,
    "Write": tool_results.EditResult,
    "exit_plan_mode": tool_results.ExitPlanModeResult,
}

Plain = str | list[Any] | dict[str, Any]

_SHELLS: Final = frozenset({"Bash", "PowerShell"})
_EXIT: Final = re.compile(r"\s*(?:Error: )?Exit code (-?\d{1,6})\b")
_HUMP: Final = re.compile(r"(?<!^)(?=[A-Z])")
# Fields that repeat the call's input or the text of its result.
_REPEATED: Final = frozenset(
    "content originalFile oldString newString original_file updated_file old_source new_source"
    " base64 cells prompt plan result usage structuredContent".split()
)


def tool_arguments(name: str, raw: Raw) -> Struct | dict[str, Any]:
    """Decode a call's input; a plain object for an unknown tool, {} without input."""
    kind = INPUTS.get(name)
    if kind is not None:
        return read_as(kind, raw) or kind()
    found = plain_value(raw)
    return found if isinstance(found, dict) else {}


def tool_result(name: str, raw: Raw) -> Struct | Plain:
    """Decode a structured result; a plain value if it is not an object of that tool."""
    found = plain_value(raw)
    if isinstance(found, str | list):
        return found
    if not isinstance(found, dict):
        return "" if found is None else bytes(raw).decode("utf-8", "replace")
    kind = RESULTS.get(name)
    if kind is None or _field_names(kind).isdisjoint(found):
        return found
    return read_as(kind, raw) or found


@cache
def _field_names(kind: type[Struct]) -> frozenset[str]:
    return frozenset(field.encode_name for field in fields(kind))


def tool_facts(name: str, raw: Raw) -> dict[str, Any]:
    """A structured result as the document has it: `kind` and the fields of that kind.

    Fields that repeat the input or the result text are left out, except the output of a command:
    only here are its two streams separate. {} if the tool is not known, or there is no result.
    """
    found = tool_result(name, raw)
    if isinstance(found, str):
        code = _EXIT.match(found) if name in _SHELLS else None
        return {"kind": "bash", "exitCode": int(code[1])} if code else {}
    if not isinstance(found, Struct):
        return {}
    kind = _HUMP.sub("_", type(found).__name__.removesuffix("Result")).lower()
    facts = _compact(plain_value(Raw(json.encode(found))) or {})
    if isinstance(found, tool_results.BashResult) and _has_succeeded(found):
        facts["exitCode"] = 0
    return {"kind": kind, **facts}


def _compact(found: Any, repeated: frozenset[str] = _REPEATED) -> Any:
    if isinstance(found, list):
        return [_compact(one, frozenset()) for one in found]
    if not isinstance(found, dict):
        return found
    return {
        name: _compact(one, repeated)
        for name, one in found.items()
        if one is not None and name not in repeated
    }


def _has_succeeded(found: tool_results.BashResult) -> bool:
    """Whether a command exited with 0: failures are text, and it was not stopped or detached."""
    return not (
        found.interrupted
        or found.background_task_id
        or found.timed_out_after_ms
        or found.return_code_interpretation
    )
