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
_VOICES: Final = {"teammate": "Teammate", "notification": "Background task"}
_MOST: Final = 100_000


def step_items(steps: Sequence[Step], around: RenderContext) -> tuple[StepItem, ...]:
    """All steps of an answer, in their order."""
    made: list[StepItem] = []
    run: list[ToolExecution] = []
    for step in _visible(steps, around):
        one = _call_of(step, around)
        if step.type == "tool_call" and one is not None and is_quiet(one):
            run.append(one)
            continue
        shown = _call(step, one, around) if step.type == "tool_call" else _other(step, around)
        if shown is not None:
            made += _closed(run, around)
            made.append(shown)
            run = []
    return (*made, *_closed(run, around))


def _closed(run: Sequence[ToolExecution], around: RenderContext) -> Iterator[CallItem | CallGroup]:
    if len(run) == 1:
        yield call_items.call_item(run[0], around)
    elif run:
        yield call_items.call_group(run, around)


def _visible(steps: Sequence[Step], around: RenderContext) -> Iterator[Step]:
    """A result is seen with its call; a refusal and the line about it are one gesture."""
    last = ""
    for step in steps:
        if step.type == "tool_result" and _call_of(step, around) is not None:
            continue
        if not last == step.type == "interruption":
            yield step
        last = step.type


def _call_of(step: Step, around: RenderContext) -> ToolExecution | None:
    return None if step.tool_use_id is UNSET else around.calls.get(step.tool_use_id)


def _call(step: Step, one: ToolExecution | None, around: RenderContext) -> StepItem | None:
    if one is None:
        return CallItem(id=step.id, tool=registry.label(step.name), what="", mark="idle")
    if one.tool_use_id == around.waiting:
        return call_items.approval_item(one, around)
    is_told = one.state == "ok" and one.tool_use_id in around.spawns
    return None if is_told else call_items.call_item(one, around)


def _other(step: Step, around: RenderContext) -> StepItem | None:
    text = text_of(step.text)[:_MOST]
    if step.type == "output":
        return _said(step, text, around) if text.strip() else None
    if step.type == "thinking":
        return _thought(step, text, around)
    if step.type == "subagent":
        return _agent(text_of(step.agent_id), around)
    if step.type == "interruption":
        return NoticeItem(id=step.id, title="Interrupted by you", mark="stop", lines=_lines(step))
    return _hook(step, text, around) if step.type == "hook" else _notice(step, text, around)


def _lines(step: Step) -> tuple[int, ...]:
    return (step.line,) if step.line else ()


def _said(step: Step, text: str, around: RenderContext) -> TextItem:
    secrets = around.secrets((step.line, text))
    return TextItem(id=step.id, text=text, lines=_lines(step), secrets=secrets)


def _thought(step: Step, text: str, around: RenderContext) -> ThinkingItem | None:
    spent = step.effective_duration_ms
    if not text.strip() and spent < _LONG_THOUGHT_MS:
        return None
    first = safe.brief(text, _FIRST) or "not stored by Claude Code"
    return ThinkingItem(
        id=step.id,
        first=first,
        text=text,
        took=times.duration(spent) if spent else "",
        lines=_lines(step),
        secrets=around.secrets((step.line, text)),
    )


def _hook(step: Step, text: str, around: RenderContext) -> NoticeItem | None:
    """A hook that went well and said nothing is not a step of the story."""
    if not step.is_error and not text.strip():
        return None
    mark = "fail" if step.is_error else "hook"
    title = f"Hook {safe.brief(step.name, 60)}".strip()
    spent = times.duration(step.duration_ms) if step.duration_ms else ""
    return NoticeItem(
        id=step.id,
        title=title,
        text=text,
        side=spent,
        is_error=step.is_error,
        mark=mark,
        lines=_lines(step),
        secrets=around.secrets((step.line, text)),
    )


def _notice(step: Step, text: str, around: RenderContext) -> NoticeItem:
    named = notice_title(step.name)
    other = "API error" if text.startswith("API Error") else "Error"
    title = named or (other if step.is_error else "Notice")
    mark = "fail" if step.is_error else "agent" if step.name in _VOICES else "idle"
    return NoticeItem(
        id=step.id,
        title=title,
        text=text,
        is_error=step.is_error,
        mark=mark,
        is_words=step.name in _VOICES,
        lines=_lines(step),
        secrets=around.secrets((step.line, text)),
    )


def notice_title(name: str) -> str:
    """What to call a kind of notice."""
    told = safe.brief(name.replace("_", " "), 60).capitalize()
    return _VOICES.get(name) or re.sub(r"^Api\b", "API", told)


def _agent(id: str, around: RenderContext) -> AgentItem | None:
    found = around.agents.get(id)
    if found is None:
        return None
    own = around.inside(id)
    call = around.calls.get(found.parent_task_id or "")
    told = call_items.call_item(call, around) if call else None
    return AgentItem(
        id=id,
        line=agent_lines.agent_line(found),
        call=told,
        below=() if own else agent_lines.agents_below(id, around.agents, around.started),
        items=_own(own, around) if own else (),
        has_more=own is None,
        lines=told.lines if told else (),
    )


def _own(document: SessionDocument, outer: RenderContext) -> tuple[StepItem, ...]:
    around = agent_context(outer, document)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    return tuple(item for some in steps for item in step_items(some, around))
