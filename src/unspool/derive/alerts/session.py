"""What happens in one session -> its alerts, each once.

Tool executions, the status as time goes by, and the tokens and dollars used.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import msgspec
from msgspec import UNSET, Raw, structs

from unspool.derive.alerts.limits import alert, thresholds
from unspool.derive.board_words import QUESTIONS
from unspool.derive.reading.clock import iso, millis
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.reading.results import call, result
from unspool.derive.reading.texts import call_input, result_content
from unspool.derive.regex import PatternError, compile_pattern
from unspool.derive.status import DROPS_CALLS
from unspool.derive.story.tools import Call
from unspool.derive.transcript import Record
from unspool.model.alerts import (
    Alert,
    AlertRule,
    EditingRule,
    ErrorRule,
    FailedRule,
    FailingRule,
    FinishedRule,
    InputRule,
    LimitedRule,
    QuestionRule,
    TokensRule,
    WaitingRule,
)
from unspool.model.blocks import NULL
from unspool.model.document import PendingTool, Status, StatusName, ToolExecution

_STOPPED: Final[dict[StatusName, type[AlertRule]]] = {"limited": LimitedRule, "failed": FailedRule}
# By then hook, registry and transcript agree since when: every process finds the same key.
_SETTLES_MS: Final = 3_000
_EDITORS: Final = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
_MAX_SEARCHED: Final = 10_000  # characters of a text that patterns are searched in
_MAX_KEY: Final = 1_000  # characters of a command or path that tell it from others


def _utc(at: int, now: int) -> str:
    return iso(at) or ""


class AlertDeduplicator:
    """Lets each alert through once; `keys` are those of earlier alerts."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = set(keys)

    def new(self, alerts: Iterable[Alert]) -> list[Alert]:
        """The alerts that were not let through before."""
        fresh = {one.key: one for one in alerts if one.key not in self._keys}
        self._keys.update(fresh)
        return list(fresh.values())


class SessionAlerts:
    """Fed what happens in a session; `known` are the keys of its earlier alerts.

    `clock` writes a moment to come, as seen from another, for the reader of the messages.
    """

    def __init__(
        self,
        rules: Iterable[AlertRule],
        session: str,
        project: str = "",
        known: Iterable[str] = (),
        clock: Callable[[int, int], str] = _utc,
    ) -> None:
        self._rules = tuple(rule for rule in rules if rule.project in project)
        self._session = session
        self._project = project
        self._calls = CallAlerts(self._rules, session, project)
        self._deduplicator = AlertDeduplicator(known)
        self._has_worked = False
        self._clock = clock

    def execution(self, execution: ToolExecution) -> list[Alert]:
        """A tool was called, or has ended."""
        return self._deduplicator.new(self._calls.feed(execution))

    def status(
        self, status: Status, pending: PendingTool | None, now: int, question: str = ""
    ) -> list[Alert]:
        """What the session is doing; call it again as time goes by."""
        stopped = _STOPPED.get(status.state)
        if stopped:
            alerts = self._stopped(stopped, status, now)
        elif status.state == "waiting_for_input":
            alerts = self._finished(status, now)
        elif pending is not None and pending.name in QUESTIONS:
            alerts = chain(self._asking(status, question, now), self._waiting(status, pending, now))
        else:
            alerts = self._waiting(status, pending, now)
        found = self._deduplicator.new(alerts)
        self._has_worked |= status.state in ("working", "waiting_for_approval")
        return found

    def spent(self, tokens: int, pico: int, at: int | None) -> list[Alert]:
        """What the session has used so far, agents included."""
        alerts = thresholds(self._rules, "session", self._session, tokens, pico, at)
        return self._deduplicator.new(structs.replace(one, project=self._project) for one in alerts)

    def _stopped(self, kind: type[AlertRule], status: Status, now: int) -> Iterator[Alert]:
        until = millis(status.until)
        reset = "" if until is None else f"Usage limit, resets {self._clock(until, now)}"
        for rule in self._rules:
            if isinstance(rule, kind):
                yield alert(
                    rule,
                    reset or status.error or "Stopped by an error",
                    session=self._session,
                    about=status.since or "",
                    at=millis(status.since),
                    project=self._project,
                )

    def _finished(self, status: Status, now: int) -> Iterator[Alert]:
        """Once for each time it has worked: one that was just opened waits for a prompt too."""
        since = millis(status.since)
        if since is None or not self._has_worked or now - since < _SETTLES_MS:
            return
        self._has_worked = False
        for rule in self._rules:
            if isinstance(rule, FinishedRule):
                yield self._about(rule, "Finished, and waits for your prompt", since)

    def _asking(self, status: Status, question: str, now: int) -> Iterator[Alert]:
        since = _proven_wait(status)
        if since is None or now - since < _SETTLES_MS:
            return
        for rule in self._rules:
            if isinstance(rule, QuestionRule):
                yield self._about(rule, f"Asks you: {question or 'a question'}", since)

    def _about(self, rule: AlertRule, message: str, since: int) -> Alert:
        about, session = str(since), self._session
        return alert(rule, message, session=session, about=about, at=since, project=self._project)

    def _waiting(self, status: Status, pending: PendingTool | None, now: int) -> Iterator[Alert]:
        since = _proven_wait(status)
        if since is None:
            return
        is_question = pending is not None and pending.name in QUESTIONS
        what = f": {pending.name} {pending.summary}" if pending else ""
        for rule in self._rules:
            if not isinstance(rule, WaitingRule) or (is_question and not rule.questions):
                continue
            if now - since >= rule.seconds * 1_000:
                yield alert(
                    rule,
                    f"Waiting for approval for more than {rule.seconds} s{what}",
                    session=self._session,
                    about=str(since),
                    at=since + rule.seconds * 1_000,
                    project=self._project,
                )


def _proven_wait(status: Status) -> int | None:
    """Since when it waits for approval, if that is known."""
    # A transcript alone cannot tell a tool that waits from one that runs.
    is_proven = status.evidence in ("registry", "hook")
    is_waiting = status.state == "waiting_for_approval" and is_proven
    return millis(status.since) if is_waiting else None


class OpenCalls:
    """Calls of one transcript that wait for a result, each with its input."""

    def __init__(self, agent: str = "") -> None:
        self._agent = agent
        self._threads: dict[str, dict[str, tuple[Call, bytes]]] = {}

    def executions(self, records: Iterable[Record]) -> Iterator[ToolExecution]:
        """An execution when its call is made, and again when it has a result."""
        for record in records:
            message = record.fresh
            if message is None:
                continue
            agent = self._agent or (message.agent_id if message.is_sidechain else "")
            calls = self._threads.setdefault(agent, {})
            if message.voice in DROPS_CALLS:
                calls.clear()
            for piece in message.pieces:
                if piece.kind == "call":
                    open_call = Call(message, piece, 0)
                    raw = bytes(call_input(record.entry, piece))
                    calls[piece.id] = open_call, raw
                    yield _execution(open_call, raw)
                elif piece.kind == "result" and piece.id in calls:
                    open_call, raw = calls.pop(piece.id)
                    open_call.reply, open_call.result = message, piece
                    yield _execution(open_call, raw, result_content(record.entry, piece))


def _execution(call: Call, input: bytes, result: Raw | None = None) -> ToolExecution:
    return ToolExecution(
        tool_use_id=call.piece.id,
        name=call.piece.name,
        input=Raw(input),
        result=UNSET if result is None else result,
        state=call.state(may_run=True),
        start_time=iso(call.start),
        end_time=iso(call.end),
        duration_ms=call.duration,
        line=call.line,
        result_line=call.reply.line if call.reply else None,
    )


class CallAlerts:
    """Alerts about tool calls. Fed an execution when it begins and when it ends, it counts once."""

    def __init__(self, rules: Sequence[AlertRule], session: str, project: str = "") -> None:
        self._rules = rules
        self._session = session
        self._project = project
        self._ended: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._edits: Counter[str] = Counter()

    def feed(self, execution: ToolExecution) -> list[Alert]:
        has_ended = execution.state not in ("running", "no_result")
        ends = has_ended and execution.tool_use_id not in self._ended
        if ends:
            self._ended.add(execution.tool_use_id)
            self._count(execution)
        alerts = (self._alert(rule, execution, ends=ends) for rule in self._rules)
        return [structs.replace(one, tool_use_id=execution.tool_use_id) for one in alerts if one]

    def _count(self, execution: ToolExecution) -> None:
        command, path = _command(execution), _edited_path(execution)
        if command and execution.state == "error":
            self._failures[command] += 1
        elif command and execution.state == "ok":
            self._failures.pop(command, None)
        if path and execution.state == "ok":
            self._edits[path] += 1

    def _alert(self, rule: AlertRule, execution: ToolExecution, *, ends: bool) -> Alert | None:
        match rule:
            case FailingRule() if ends:
                message = self._failing(rule, execution)
            case EditingRule() if ends:
                message = self._editing(rule, execution)
            case ErrorRule() if ends:
                message = _error(rule, execution)
            case InputRule():
                message = _input(rule, execution)
            case TokensRule() if rule.of == "call":
                message = _tokens(rule, execution)
            case _:
                message = None
        if message is None:
            return None
        return alert(
            rule,
            message,
            session=self._session,
            about=execution.tool_use_id,
            at=millis(execution.end_time) or millis(execution.start_time),
            project=self._project,
        )

    def _failing(self, rule: FailingRule, execution: ToolExecution) -> str | None:
        command = _command(execution)
        if execution.state != "error" or self._failures[command] != rule.times:
            return None
        return f"{execution.name} failed {rule.times} times: {command}"

    def _editing(self, rule: EditingRule, execution: ToolExecution) -> str | None:
        path = _edited_path(execution)
        if execution.state != "ok" or self._edits[path] != rule.times:
            return None
        return f"Edited {rule.times} times: {path}"


def _error(rule: ErrorRule, execution: ToolExecution) -> str | None:
    if execution.state != "error" or not _is_for(rule.tool, execution):
        return None
    text = "" if execution.result is UNSET else result_text(execution.result)
    if any(_matches(pattern, text) for pattern in rule.ignore):
        return None
    return f"{execution.name} failed: {text}"


def _input(rule: InputRule, execution: ToolExecution) -> str | None:
    if not _is_for(rule.tool, execution):
        return None
    text = _input_text(rule.field, execution)
    if not _matches(rule.matches, text) or any(_matches(one, text) for one in rule.ignore):
        return None
    return f"{execution.name}: {text}"


def _tokens(rule: TokensRule, execution: ToolExecution) -> str | None:
    if not _is_for(rule.tool, execution):
        return None
    used = _estimate(rule, execution)
    if used <= rule.above:
        return None
    return f"{execution.name} took about {used:,} tokens, more than {rule.above:,}"


def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches; an invalid one matches nothing."""
    try:
        return compile_pattern(pattern).occurs_in(text[:_MAX_SEARCHED])
    except PatternError:
        return False


def _is_for(tool: str, execution: ToolExecution) -> bool:
    return tool in ("", execution.name)


def _command(execution: ToolExecution) -> str:
    command = input_fields(execution.input).get("command")
    return " ".join(command[:_MAX_KEY].split()) if isinstance(command, str) else ""


def _edited_path(execution: ToolExecution) -> str:
    if execution.name not in _EDITORS:
        return ""
    fields = input_fields(execution.input)
    path = fields.get("file_path") or fields.get("notebook_path")
    return path[:_MAX_KEY] if isinstance(path, str) else ""


def _input_text(field: str, execution: ToolExecution) -> str:
    """One field of a tool's input, or all of it as JSON."""
    if not field:
        return bytes(execution.input).decode("utf-8", "replace")
    value = input_fields(execution.input).get(field, "")
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _estimate(rule: TokensRule, execution: ToolExecution) -> int:
    """Estimated tokens of a call: its input, its output or both."""
    sent = call(0, "", execution.name, execution.input).tokens
    if rule.share == "input":
        return sent
    output = NULL if execution.result is UNSET else execution.result
    returned = result(0, "", output, False, NULL).tokens
    return returned if rule.share == "output" else sent + returned


def result_text(raw: Raw | bytes) -> str:
    """The text of a tool's result; "" where it has none."""
    try:
        value = msgspec.json.decode(raw)
    except TROUBLE:
        return bytes(raw).decode("utf-8", "replace")
    if isinstance(value, list):
        texts = (block.get("text") for block in value if isinstance(block, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""


def input_fields(raw: Raw | bytes) -> dict[str, object]:
    """The fields of a tool's input; empty where it is not an object."""
    try:
        value = msgspec.json.decode(raw)
    except TROUBLE:
        return {}
    return value if isinstance(value, dict) else {}
