"""Tool inputs and tool results -> Structs where the tool is known, plain values where not."""

import re
from typing import Any, Final

from msgspec import Raw, Struct, json
from msgspec.structs import fields

from unspool.decode.lenient import read
from unspool.decode.values import value
from unspool.model import tool_inputs as asked
from unspool.model import tool_results as given

INPUTS: Final[dict[str, type[Struct]]] = {
    "Agent": asked.AgentInput,
    "AskUserQuestion": asked.AskUserQuestionInput,
    "Bash": asked.BashInput,
    "BashOutput": asked.BashOutputInput,
    "CronCreate": asked.CronCreateInput,
    "Edit": asked.EditInput,
    "EnterPlanMode": asked.NoInput,
    "EnterWorktree": asked.EnterWorktreeInput,
    "ExitPlanMode": asked.ExitPlanModeInput,
    "ExitWorktree": asked.ExitWorktreeInput,
    "Glob": asked.GlobInput,
    "Grep": asked.GrepInput,
    "KillShell": asked.KillShellInput,
    "LS": asked.LsInput,
    "Monitor": asked.MonitorInput,
    "MultiEdit": asked.MultiEditInput,
    "NotebookEdit": asked.NotebookEditInput,
    "PowerShell": asked.BashInput,
    "Read": asked.ReadInput,
    "ScheduleWakeup": asked.ScheduleWakeupInput,
    "SendMessage": asked.SendMessageInput,
    "Skill": asked.SkillInput,
    "Task": asked.AgentInput,
    "TaskCreate": asked.TaskCreateInput,
    "TaskGet": asked.TaskGetInput,
    "TaskList": asked.NoInput,
    "TaskOutput": asked.TaskOutputInput,
    "TaskStop": asked.TaskStopInput,
    "TaskUpdate": asked.TaskUpdateInput,
    "TeamCreate": asked.TeamCreateInput,
    "TeamDelete": asked.NoInput,
    "TodoWrite": asked.TodoWriteInput,
    "ToolSearch": asked.ToolSearchInput,
    "WebFetch": asked.WebFetchInput,
    "WebSearch": asked.WebSearchInput,
    "Workflow": asked.WorkflowInput,
    "Write": asked.WriteInput,
    "exit_plan_mode": asked.ExitPlanModeInput,
}

RESULTS: Final[dict[str, type[Struct]]] = {
    "Agent": given.AgentResult,
    "AskUserQuestion": given.AskUserQuestionResult,
    "Bash": given.BashResult,
    "CronCreate": given.CronCreateResult,
    "Edit": given.EditResult,
    "EnterPlanMode": given.EnterPlanModeResult,
    "EnterWorktree": given.WorktreeResult,
    "ExitPlanMode": given.ExitPlanModeResult,
    "ExitWorktree": given.WorktreeResult,
    "Glob": given.GlobResult,
    "Grep": given.GrepResult,
    "Monitor": given.MonitorResult,
    "MultiEdit": given.EditResult,
    "NotebookEdit": given.NotebookEditResult,
    "PowerShell": given.BashResult,
    "Read": given.ReadResult,
    "ReportFindings": given.ReportFindingsResult,
    "ScheduleWakeup": given.ScheduleWakeupResult,
    "Skill": given.SkillResult,
    "Task": given.AgentResult,
    "TaskCreate": given.TaskResult,
    "TaskGet": given.TaskResult,
    "TaskList": given.TaskListResult,
    "TaskStop": given.TaskStopResult,
    "TaskUpdate": given.TaskUpdateResult,
    "TodoWrite": given.TodoWriteResult,
    "ToolSearch": given.ToolSearchResult,
    "WebFetch": given.WebFetchResult,
    "WebSearch": given.WebSearchResult,
    "Workflow": given.WorkflowResult,
    "Write": given.EditResult,
    "exit_plan_mode": given.ExitPlanModeResult,
}

Plain = str | list[Any] | dict[str, Any]

_SHELLS: Final = frozenset({"Bash", "PowerShell"})
_EXIT: Final = re.compile(r"\s*(?:Error: )?Exit code (-?\d{1,6})\b")
_HUMP: Final = re.compile(r"(?<!^)(?=[A-Z])")
# What the call's input or the text of its result says already, at its full length.
_REPEATED: Final = frozenset(
    "content originalFile oldString newString original_file updated_file old_source new_source"
    " base64 cells prompt plan result usage structuredContent".split()
)


def tool_arguments(name: str, raw: Raw) -> Struct | dict[str, Any]:
    """Read a call's input; a tool we do not know keeps its plain object, {} when it has none."""
    kind = INPUTS.get(name)
    if kind is not None:
        return read(kind, raw) or kind()
    found = value(raw)
    return found if isinstance(found, dict) else {}


def tool_result(name: str, raw: Raw) -> Struct | Plain:
    """Read a structured result; what is no object of that tool's stays as plain as it is."""
    found = value(raw)
    if isinstance(found, str | list):
        return found
    if not isinstance(found, dict):
        return "" if found is None else bytes(raw).decode("utf-8", "replace")
    kind = RESULTS.get(name)
    if kind is None or not found.keys() & {field.encode_name for field in fields(kind)}:
        return found
    return read(kind, raw) or found


def tool_facts(name: str, raw: Raw) -> dict[str, Any]:
    """A structured result as the document has it: `kind` and the fields of that kind.

    What input and result say already is left out, but for what a command printed: only here are
    its two streams told apart. {} where the tool is not known, or noted nothing.
    """
    found = tool_result(name, raw)
    if isinstance(found, str):
        code = _EXIT.match(found) if name in _SHELLS else None
        return {"kind": "bash", "exitCode": int(code[1])} if code else {}
    if not isinstance(found, Struct):
        return {}
    kind = _HUMP.sub("_", type(found).__name__.removesuffix("Result")).lower()
    told = _told(value(Raw(json.encode(found))) or {})
    if isinstance(found, given.BashResult) and _has_ended_well(found):
        told["exitCode"] = 0
    return {"kind": kind, **told}


def _told(found: Any, repeated: frozenset[str] = _REPEATED) -> Any:
    if isinstance(found, list):
        return [_told(one, frozenset()) for one in found]
    if not isinstance(found, dict):
        return found
    return {
        name: _told(one, repeated)
        for name, one in found.items()
        if one is not None and name not in repeated
    }


def _has_ended_well(found: given.BashResult) -> bool:
    """A failure is told as text; what runs on, was stopped or is explained ended otherwise."""
    return not (
        found.interrupted
        or found.background_task_id
        or found.timed_out_after_ms
        or found.return_code_interpretation
    )
