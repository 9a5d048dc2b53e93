"""Tool executions of one session, as they come -> alerts: failures, edits, inputs, sizes."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, structs

from unspool.derive.alerts.words import alert, given, json, said
from unspool.derive.reading.clock import millis
from unspool.derive.reading.results import call, result
from unspool.derive.regex import PatternError, compiled
from unspool.model.alerts import (
    Alert,
    AlertRule,
    EditingRule,
    ErrorRule,
    FailingRule,
    InputRule,
    TokensRule,
)
from unspool.model.blocks import NULL
from unspool.model.document import ToolExecution

_EDITORS: Final = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
_MOST_TEXT: Final = 10_000  # characters that a pattern is looked for in
_LONGEST: Final = 1_000  # of a command, a path: what is longer is told apart no further


class CallAlerts:
    """Feed an execution when it begins, and again when it has ended: it counts once."""

    def __init__(self, rules: Sequence[AlertRule], session: str, project: str = "") -> None:
        self._rules = rules
        self._session = session
        self._project = project
        self._ended: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._edits: Counter[str] = Counter()

    def feed(self, execution: ToolExecution) -> list[Alert]:
        """What this execution gives reason to tell."""
        has_ended = execution.state not in ("running", "no_result")
        ends = has_ended and execution.tool_use_id not in self._ended
        if ends:
            self._ended.add(execution.tool_use_id)
            self._count(execution)
        found = (self._alert(rule, execution, ends=ends) for rule in self._rules)
        return [structs.replace(one, tool_use_id=execution.tool_use_id) for one in found if one]

    def _count(self, execution: ToolExecution) -> None:
        command, path = _command(execution), _path(execution)
        if command and execution.state == "error":
            self._failures[command] += 1
        elif command and execution.state == "ok":
            self._failures.pop(command, None)
        if path and execution.state == "ok":
            self._edits[path] += 1

    def _alert(self, rule: AlertRule, execution: ToolExecution, *, ends: bool) -> Alert | None:
        match rule:
            case FailingRule() if ends:
                return self._failing(rule, execution)
            case EditingRule() if ends:
                return self._editing(rule, execution)
            case ErrorRule() if ends:
                return self._error(rule, execution)
            case InputRule():
                return self._input(rule, execution)
            case TokensRule() if rule.of == "call":
                return self._tokens(rule, execution)
        return None

    def _failing(self, rule: FailingRule, execution: ToolExecution) -> Alert | None:
        command = _command(execution)
        if execution.state != "error" or self._failures[command] != rule.times:
            return None
        message = f"{execution.name} failed {rule.times} times: {command}"
        return self._made(rule, message, execution)

    def _editing(self, rule: EditingRule, execution: ToolExecution) -> Alert | None:
        path = _path(execution)
        if execution.state != "ok" or self._edits[path] != rule.times:
            return None
        return self._made(rule, f"Edited {rule.times} times: {path}", execution)

    def _error(self, rule: ErrorRule, execution: ToolExecution) -> Alert | None:
        if execution.state != "error" or not _is_for(rule.tool, execution):
            return None
        text = "" if execution.result is UNSET else said(execution.result)
        if any(_occurs(pattern, text) for pattern in rule.ignore):
            return None
        return self._made(rule, f"{execution.name} failed: {text}", execution)

    def _input(self, rule: InputRule, execution: ToolExecution) -> Alert | None:
        if not _is_for(rule.tool, execution):
            return None
        text = _input(rule.field, execution)
        if not _occurs(rule.matches, text) or any(_occurs(one, text) for one in rule.ignore):
            return None
        return self._made(rule, f"{execution.name}: {text}", execution)

    def _tokens(self, rule: TokensRule, execution: ToolExecution) -> Alert | None:
        if not _is_for(rule.tool, execution):
            return None
        used = _weight(rule, execution)
        if used <= rule.above:
            return None
        message = f"{execution.name} took about {used:,} tokens, more than {rule.above:,}"
        return self._made(rule, message, execution)

    def _made(self, rule: AlertRule, message: str, execution: ToolExecution) -> Alert:
        return alert(
            rule,
            message,
            session=self._session,
            about=execution.tool_use_id,
            at=millis(execution.end_time) or millis(execution.start_time),
            project=self._project,
        )


def _occurs(pattern: str, text: str) -> bool:
    """Whether a pattern matches; one that cannot be used matches nothing."""
    try:
        return compiled(pattern).occurs_in(text[:_MOST_TEXT])
    except PatternError:
        return False


def _is_for(tool: str, execution: ToolExecution) -> bool:
    return tool in ("", execution.name)


def _command(execution: ToolExecution) -> str:
    command = given(execution.input).get("command")
    return " ".join(command[:_LONGEST].split()) if isinstance(command, str) else ""


def _path(execution: ToolExecution) -> str:
    if execution.name not in _EDITORS:
        return ""
    fields = given(execution.input)
    path = fields.get("file_path") or fields.get("notebook_path")
    return path[:_LONGEST] if isinstance(path, str) else ""


def _input(field: str, execution: ToolExecution) -> str:
    """One field of what a tool was given, or all of it as JSON."""
    if not field:
        return bytes(execution.input).decode("utf-8", "replace")
    value = given(execution.input).get(field, "")
    return value if isinstance(value, str) else json(value)


def _weight(rule: TokensRule, execution: ToolExecution) -> int:
    asked = call(0, "", execution.name, execution.input).tokens
    if rule.share == "input":
        return asked
    answer = NULL if execution.result is UNSET else execution.result
    answered = result(0, "", answer, False, NULL).tokens
    return answered if rule.share == "output" else asked + answered
