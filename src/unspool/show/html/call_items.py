"""Tool calls -> items: one for each, one for a run of calls that only read."""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from unspool.model.document import ToolExecution, ToolState
from unspool.show import safe, times
from unspool.show.html.components import EVIDENCE_LABELS
from unspool.show.html.render_context import RenderContext
from unspool.show.html.step_types import ApprovalItem, CallGroup, CallItem, RelatedSession
from unspool.show.numbers import plural
from unspool.show.tools import registry, values
from unspool.show.tools.details import Detail, ImageDetail, is_cut, weight

_MARKS: Final[dict[ToolState, tuple[str, str, str]]] = {
    "ok": ("", "dot", ""),
    "error": ("error", "fail", "failed"),
    "rejected": ("error", "fail", "rejected"),
    "interrupted": ("error", "stop", "interrupted"),
    "running": ("run", "work", "running"),
    "no_result": ("", "idle", "no result"),
}
_ICONS: Final = {"TodoWrite": "todo", "Agent": "agent", "Task": "agent", "Skill": "file"}
_WORDS: Final = frozenset(
    "Agent Task SendMessage Workflow AskUserQuestion ExitPlanMode TodoWrite TaskCreate TaskUpdate "
    "Skill WebSearch".split()
)
_DIFFS: Final = frozenset("Edit MultiEdit Write NotebookEdit".split())
_PATHS: Final = _DIFFS | frozenset("Read NotebookRead LS".split())
_FOR_YOU: Final = frozenset("AskUserQuestion ExitPlanMode exit_plan_mode".split())
_LONGEST_COPY: Final = 4_000
_PLANS: Final = frozenset("ExitPlanMode exit_plan_mode".split())
_LIGHT, _LIGHT_DIFF = 1_600, 6_000
_LOUD_WAIT_MS: Final = 10_000


def call_item(one: ToolExecution, context: RenderContext, *, is_opened: bool = False) -> CallItem:
    """A call with its result; heavy details are loaded when it is opened."""
    input, result = call_input(one), call_result(one)
    state, mark, word = _MARKS[one.state]
    failed = one.state not in ("ok", "running")
    facts = registry.facts(one.name, input, result, failed=failed)
    behind = registry.details(one.name, input, result, context.build, failed=failed)
    visible = behind if is_opened or _is_light(one, behind, context) else []
    what = context.text.relative(registry.summary(one.name, input, result))
    return CallItem(
        id=one.tool_use_id,
        tool=registry.verb(one.name),
        server=registry.server(one.name),
        what=what,
        at=times.clock_second(one.start_time, context.zone),
        copy=_subject(one.name, input, what),
        out=facts or word if word == "failed" else " ".join(filter(None, (facts, word))),
        took=times.duration(one.duration_ms),
        state=state,
        mark=_ICONS.get(one.name, mark) if one.state == "ok" else mark,
        is_open=state == "error" or one.name in _FOR_YOU,
        is_words=one.name in _WORDS,
        is_path=one.name in _PATHS,
        is_for_you=one.name in _FOR_YOU,
        decision=decision_note(one),
        hook_note=hook_note(one),
        details=tuple(visible),
        has_more=len(visible) < len(behind) or any(map(is_cut, visible)),
        line=_last_line(one),
        lines=tuple(line for line in (one.line, one.result_line) if line),
        event=context.reader.events(context.agent, _last_line(one)) if _has_image(visible) else "",
        first_image=context.first_images.get(one.tool_use_id, 0),
        secrets=context.secrets((one.line, one.input), (one.result_line or 0, one.result)),
        leads=_leads(one, context),
    )


def _subject(name: str, input: values.Fields, what: str) -> str:
    """The command or path as it was given; "" where the line already shows it."""
    names = ("file_path", "notebook_path", "path") if name in _PATHS else ("command", "script")
    given = values.text(input, *names)
    return given if given != what and len(given) <= _LONGEST_COPY else ""


def _last_line(one: ToolExecution) -> int:
    return one.line if one.result_line is None else one.result_line


def _has_image(details: Sequence[Detail]) -> bool:
    return any(isinstance(detail, ImageDetail) for detail in details)


def _leads(one: ToolExecution, context: RenderContext) -> RelatedSession | None:
    """The session that implemented a plan."""
    link = context.links.implementation
    if one.name not in _PLANS or link is None or one.state != "ok":
        return None
    return RelatedSession("Implemented in", link.session_id, safe.brief(link.reason, 80))


def _is_light(one: ToolExecution, behind: Sequence[Detail], context: RenderContext) -> bool:
    """What stands open is always included; other long details are loaded on demand."""
    most = _LIGHT_DIFF if one.name in _DIFFS else _LIGHT
    is_open = one.state not in ("ok", "running") or one.name in _FOR_YOU
    whole = context.reader.is_whole or is_open
    return whole or sum(map(weight, behind)) <= most


def approval_item(one: ToolExecution, context: RenderContext) -> ApprovalItem:
    """A call that waits for approval, in full."""
    status = context.status
    since = times.ago(status.since, context.reader.now, context.zone)
    summary = registry.summary(one.name, call_input(one), None)
    return ApprovalItem(
        id=one.tool_use_id,
        tool=registry.label(one.name),
        at=times.clock_second(one.start_time, context.zone),
        what=context.text.relative(summary) or registry.label(one.name),
        waits=f"Waiting for your approval, requested {since}"
        if since
        else "Waiting for your approval",
        proof=f"Status {EVIDENCE_LABELS[status.evidence]}.",
        details=tuple(registry.details(one.name, call_input(one), None, context.build)),
        lines=(one.line,) if one.line else (),
    )


def call_group(calls: Sequence[ToolExecution], context: RenderContext) -> CallGroup:
    """Reading calls, or calls of one MCP tool: how many of each, and their targets."""
    rows = tuple(call_item(one, context) for one in calls)
    counts: dict[str, int] = {}
    for one in calls:
        counts[one.name] = counts.get(one.name, 0) + 1
    targets = (_target(one) for one in rows)
    (name, count), *others = counts.items()
    return CallGroup(
        id=f"{calls[0].tool_use_id}-run",
        tool=registry.verb(name),
        server=registry.server(name),
        what=" · ".join([_counted(name, count), *(f"{n} {_counted(n, c)}" for n, c in others)]),
        at=rows[0].at,
        out=", ".join(dict.fromkeys(one for one in targets if one))[:120],
        took=times.duration(sum(one.duration_ms or 0 for one in calls)),
        rows=rows,
    )


def _counted(name: str, count: int) -> str:
    noun = registry.NOUNS.get(name, "call")
    return plural(count, noun, "searches" if noun == "search" else "")


def _target(one: CallItem) -> str:
    """The name of a file, or what else a call was about."""
    return one.path[1] if one.is_path else safe.brief(one.what, 40)


def decision_note(one: ToolExecution) -> str:
    """Who allowed or denied a call, if it was denied or waited long."""
    hook = one.hook
    if hook is UNSET or not hook.decision:
        return ""
    waited = hook.waited_ms or 0
    refused = hook.decision in ("deny", "denied", "block", "blocked", "rejected")
    if not refused and waited < _LOUD_WAIT_MS:
        return ""
    who = {"user": "you", "hook": "a hook", "rule": "a rule"}.get(hook.by, hook.by)
    word = {"allow": "allowed", "deny": "denied", "ask": "asked"}.get(hook.decision, hook.decision)
    by = f" by {who}" if who else ""
    return f"{word}{by}" + (f" after {times.duration(waited)}" if waited else "")


def hook_note(one: ToolExecution) -> str:
    """Everything hooks reported about a call."""
    hook = one.hook
    if hook is UNSET:
        return ""
    waited = times.duration(hook.waited_ms) if hook.waited_ms else ""
    parts = (
        f"decision {hook.decision}" if hook.decision else "",
        f"by {hook.by}" if hook.by else "",
        f"waited {waited}" if waited else "",
        f"hooks {', '.join(hook.events)}" if hook.events else "",
    )
    return safe.brief(" · ".join(part for part in parts if part), 300)


def call_input(one: ToolExecution) -> values.Fields:
    """The decoded input."""
    return values.fields(values.read(one.input))


def call_result(one: ToolExecution) -> object:
    """The decoded result; None without one."""
    return None if one.result is UNSET else values.read(one.result)
