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
_PLANS: Final = frozenset("ExitPlanMode exit_plan_mode".split())
_LIGHT, _LIGHT_DIFF = 1_600, 6_000
_LOUD_WAIT_MS: Final = 10_000


def call_item(one: ToolExecution, around: RenderContext) -> CallItem:
    """A call, what came of it, and as much behind it as is not too heavy."""
    input, result = call_input(one), call_result(one)
    state, mark, word = _MARKS[one.state]
    failed = one.state not in ("ok", "running")
    facts = registry.facts(one.name, input, result, failed=failed)
    behind = registry.details(one.name, input, result, around.build, failed=failed)
    shown = behind if _is_light(one, behind, around) else []
    return CallItem(
        id=one.tool_use_id,
        tool=registry.label(one.name),
        what=around.story.near(registry.summary(one.name, input, result)),
        out=facts or word if word == "failed" else " ".join(filter(None, (facts, word))),
        took=times.duration(one.duration_ms),
        state=state,
        mark=_ICONS.get(one.name, mark) if one.state == "ok" else mark,
        is_open=state == "error",
        is_words=one.name in _WORDS,
        decision=decision_note(one),
        heard=hook_note(one),
        details=tuple(shown),
        has_more=len(shown) < len(behind) or any(map(is_cut, shown)),
        line=_last_line(one),
        lines=tuple(line for line in (one.line, one.result_line) if line),
        event=around.reader.events(around.agent, _last_line(one)) if _has_image(shown) else "",
        first_image=around.first_images.get(one.tool_use_id, 0),
        secrets=around.secrets((one.line, one.input), (one.result_line or 0, one.result)),
        leads=_leads(one, around),
    )


def _last_line(one: ToolExecution) -> int:
    return one.line if one.result_line is None else one.result_line


def _has_image(shown: Sequence[Detail]) -> bool:
    return any(isinstance(detail, ImageDetail) for detail in shown)


def _leads(one: ToolExecution, around: RenderContext) -> RelatedSession | None:
    """A plan leads to the session that carried it out."""
    found = around.links.implementation
    if one.name not in _PLANS or found is None or one.state != "ok":
        return None
    return RelatedSession("Implemented in", found.session_id, safe.brief(found.reason, 80))


def _is_light(one: ToolExecution, behind: Sequence[Detail], around: RenderContext) -> bool:
    """A failure is always shown; what is long and went well is fetched when it is opened."""
    most = _LIGHT_DIFF if one.name in _DIFFS else _LIGHT
    whole = around.reader.is_whole or one.state not in ("ok", "running")
    return whole or sum(map(weight, behind)) <= most


def approval_item(one: ToolExecution, around: RenderContext) -> ApprovalItem:
    """A call that waits for the reader's answer, word for word."""
    status = around.status
    since = times.ago(status.since, around.reader.now, around.zone)
    said = registry.summary(one.name, call_input(one), None)
    return ApprovalItem(
        id=one.tool_use_id,
        tool=registry.label(one.name),
        what=around.story.near(said) or registry.label(one.name),
        waits=f"Waiting for your approval, requested {since}"
        if since
        else "Waiting for your approval",
        proof=f"Status {EVIDENCE_LABELS[status.evidence]}.",
        details=tuple(registry.details(one.name, call_input(one), None, around.build)),
        lines=(one.line,) if one.line else (),
    )


def call_group(calls: Sequence[ToolExecution], around: RenderContext) -> CallGroup:
    """Calls that only looked: how many of each, and what they looked at."""
    counts: dict[str, int] = {}
    for one in calls:
        counts[one.name] = counts.get(one.name, 0) + 1
    rows = tuple(call_item(one, around) for one in calls)
    seen = (_seen(one) for one in rows)
    (name, count), *others = counts.items()
    return CallGroup(
        id=f"{calls[0].tool_use_id}-run",
        tool=registry.label(name),
        what=" · ".join([_counted(name, count), *(f"{n} {_counted(n, c)}" for n, c in others)]),
        out=", ".join(dict.fromkeys(one for one in seen if one))[:120],
        took=times.duration(sum(one.duration_ms or 0 for one in calls)),
        rows=rows,
    )


def _counted(name: str, count: int) -> str:
    noun = registry.NOUNS[name]
    return plural(count, noun, "searches" if noun == "search" else "")


def _seen(one: CallItem) -> str:
    return one.what.rpartition("/")[2] if "/" in one.what else one.what


def decision_note(one: ToolExecution) -> str:
    """Who let a call pass or did not, and how long it waited, where that is worth a line."""
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
    """All that hooks said of a call: which they were, what was decided, how long it waited."""
    hook = one.hook
    if hook is UNSET:
        return ""
    waited = times.duration(hook.waited_ms) if hook.waited_ms else ""
    told = (
        f"decision {hook.decision}" if hook.decision else "",
        f"by {hook.by}" if hook.by else "",
        f"waited {waited}" if waited else "",
        f"hooks {', '.join(hook.events)}" if hook.events else "",
    )
    return safe.brief(" · ".join(part for part in told if part), 300)


def call_input(one: ToolExecution) -> values.Fields:
    """What the call was given."""
    return values.fields(values.read(one.input))


def call_result(one: ToolExecution) -> object:
    """What came back, None where nothing did."""
    return None if one.result is UNSET else values.read(one.result)
