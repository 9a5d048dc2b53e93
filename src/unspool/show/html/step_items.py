"""The steps of one answer -> items: reading calls grouped, thinking folded."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from unspool.model.document import SessionDocument, Step, ToolExecution
from unspool.show import safe, times
from unspool.show.html import agent_lines, call_items
from unspool.show.html.render_context import RenderContext, agent_context, text_of
from unspool.show.html.step_types import (
    AgentItem,
    CallGroup,
    CallItem,
    NoticeItem,
    StepItem,
    TextItem,
    ThinkingItem,
)
from unspool.show.text.calls import is_quiet
from unspool.show.tools import registry

_LONG_THOUGHT_MS: Final = 10_000
_FIRST: Final = 160
_VOICES: Final = {"teammate": "Teammate", "notification": "Background task", "event": "Event"}


def step_items(steps: Sequence[Step], context: RenderContext) -> tuple[StepItem, ...]:
    """All steps of an answer, in their order."""
    items: list[StepItem] = []
    run: list[ToolExecution] = []
    for step in _visible(steps, context):
        one = _call_of(step, context)
        if step.type == "tool_call" and one is not None and is_quiet(one):
            run.append(one)
            continue
        item = _call(step, one, context) if step.type == "tool_call" else _other(step, context)
        if item is not None:
            items += _closed(run, context)
            items.append(item)
            run = []
    return (*items, *_closed(run, context))


def _closed(run: Sequence[ToolExecution], context: RenderContext) -> Iterator[CallItem | CallGroup]:
    if len(run) == 1:
        yield call_items.call_item(run[0], context)
    elif run:
        yield call_items.call_group(run, context)


def _visible(steps: Sequence[Step], context: RenderContext) -> Iterator[Step]:
    """Results are shown with their call; a rejection and its notice are one event."""
    last = ""
    for step in steps:
        if step.type == "tool_result" and _call_of(step, context) is not None:
            continue
        if not last == step.type == "interruption":
            yield step
        last = step.type


def _call_of(step: Step, context: RenderContext) -> ToolExecution | None:
    return None if step.tool_use_id is UNSET else context.calls.get(step.tool_use_id)


def _call(step: Step, one: ToolExecution | None, context: RenderContext) -> StepItem | None:
    if one is None:
        return CallItem(id=step.id, tool=registry.label(step.name), what="", mark="idle")
    if one.tool_use_id == context.waiting:
        return call_items.approval_item(one, context)
    is_told = one.state == "ok" and one.tool_use_id in context.spawns
    return None if is_told else call_items.call_item(one, context)


def _other(step: Step, context: RenderContext) -> StepItem | None:
    text = text_of(step.text)
    if step.type == "output":
        return _said(step, text, context) if text.strip() else None
    if step.type == "thinking":
        return _thought(step, text, context)
    if step.type == "subagent":
        return _agent(text_of(step.agent_id), context)
    if step.type == "interruption":
        return NoticeItem(id=step.id, title="Interrupted by you", mark="stop", lines=_lines(step))
    return _hook(step, text, context) if step.type == "hook" else _notice(step, text, context)


def _lines(step: Step) -> tuple[int, ...]:
    return (step.line,) if step.line else ()


def _said(step: Step, text: str, context: RenderContext) -> TextItem:
    text, cut = context.limited(text)
    secrets = context.secrets((step.line, text))
    return TextItem(id=step.id, text=text, cut=cut, lines=_lines(step), secrets=secrets)


def _thought(step: Step, text: str, context: RenderContext) -> ThinkingItem | None:
    spent = step.effective_duration_ms
    if not text.strip() and spent < _LONG_THOUGHT_MS:
        return None
    text, cut = context.limited(text)
    first = safe.brief(text, _FIRST) or "not stored by Claude Code"
    return ThinkingItem(
        id=step.id,
        first=first,
        text=text,
        cut=cut,
        took=times.duration(spent) if spent else "",
        lines=_lines(step),
        secrets=context.secrets((step.line, text)),
    )


def _hook(step: Step, text: str, context: RenderContext) -> NoticeItem | None:
    """A successful hook without output is not shown."""
    if not step.is_error and not text.strip():
        return None
    text, cut = context.limited(text)
    mark = "fail" if step.is_error else "hook"
    title = f"Hook {safe.brief(step.name, 60)}".strip()
    spent = times.duration(step.duration_ms) if step.duration_ms else ""
    return NoticeItem(
        id=step.id,
        title=title,
        text=text,
        cut=cut,
        side=spent,
        is_error=step.is_error,
        mark=mark,
        lines=_lines(step),
        secrets=context.secrets((step.line, text)),
    )


def _notice(step: Step, text: str, context: RenderContext) -> NoticeItem:
    text, cut = context.limited(text)
    own_title = notice_title(step.name)
    other = "API error" if text.startswith("API Error") else "Error"
    title = own_title or (other if step.is_error else "Notice")
    mark = "fail" if step.is_error else "agent" if step.name in _VOICES else "idle"
    return NoticeItem(
        id=step.id,
        title=title,
        text=text,
        cut=cut,
        is_error=step.is_error,
        mark=mark,
        is_words=step.name in _VOICES,
        lines=_lines(step),
        secrets=context.secrets((step.line, text)),
    )


def notice_title(name: str) -> str:
    """The title of a kind of notice."""
    title = safe.brief(name.replace("_", " "), 60).capitalize()
    return _VOICES.get(name) or re.sub(r"^Api\b", "API", title)


def _agent(id: str, context: RenderContext) -> AgentItem | None:
    agent = context.agents.get(id)
    if agent is None:
        return None
    own = context.inside(id)
    call = context.calls.get(agent.parent_task_id or "")
    item = call_items.call_item(call, context) if call else None
    return AgentItem(
        id=id,
        line=agent_lines.agent_line(agent),
        call=item,
        below=() if own else agent_lines.agents_below(id, context.agents, context.started),
        items=_own(own, context) if own else (),
        has_more=own is None,
        lines=item.lines if item else (),
    )


def _own(document: SessionDocument, outer: RenderContext) -> tuple[StepItem, ...]:
    context = agent_context(outer, document)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    return tuple(item for some in steps for item in step_items(some, context))
