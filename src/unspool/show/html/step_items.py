"""The steps of one answer -> items: calls grouped, thinking and machine notes folded."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from unspool.model.document import SessionDocument, Step, ToolExecution
from unspool.model.steps import LONG_THOUGHT_MS
from unspool.show import safe, times
from unspool.show.charts.spool import Spool, spool
from unspool.show.charts.spool_data import session_axis, spool_data
from unspool.show.html import agent_lines, call_items, levels
from unspool.show.html.render_context import RenderContext, agent_context, text_of
from unspool.show.html.step_types import (
    AgentItem,
    CallItem,
    NoiseItem,
    NoticeItem,
    StepItem,
    TextItem,
    ThinkingItem,
)
from unspool.show.labels import notice_text
from unspool.show.tools import registry

_FIRST: Final = 160
_LONG_NOTE: Final = 2_000
_NOISE: Final = {"notification": "notification", "event": "event"}
_VOICES: Final = {"teammate": "Teammate", "notification": "Background task", "event": "Event"}


def step_items(steps: Sequence[Step], context: RenderContext) -> tuple[StepItem, ...]:
    """All steps of an answer, in their order."""
    folding = _Folding(context)
    for step in _visible(steps, context):
        one = _call_of(step, context)
        if step.type == "tool_call" and one is not None and (key := levels.group_key(one)):
            folding.group(one, key)
        elif step.type == "tool_call":
            folding.add(_call(step, one, context))
        else:
            folding.add(_other(step, context))
    return folding.close()


class _Folding:
    """Gathers calls of one kind and machine notes, each to a line.

    Notes between two calls of a group do not end it: they follow it.
    """

    def __init__(self, context: RenderContext) -> None:
        self._context = context
        self._items: list[StepItem] = []
        self._run: list[ToolExecution] = []
        self._notes: list[NoticeItem] = []
        self._key = ""

    def group(self, one: ToolExecution, key: str) -> None:
        """A call that may stand in a group."""
        if not self._run or key != self._key:
            self.close()
        self._run.append(one)
        self._key = key

    def add(self, item: StepItem | None) -> None:
        """Anything else; None is nothing to show, and ends no group."""
        if isinstance(item, NoticeItem) and item.noise:
            self._notes.append(item)
        elif item is not None:
            self.close()
            self._items.append(item)

    def close(self) -> tuple[StepItem, ...]:
        """End what is being gathered."""
        if len(self._run) == 1:
            self._items.append(call_items.call_item(self._run[0], self._context))
        elif self._run:
            self._items.append(call_items.call_group(self._run, self._context))
        if self._notes:
            self._items.append(noise_item(self._notes))
        self._run, self._notes = [], []
        return tuple(self._items)


def noise_item(notes: Sequence[NoticeItem]) -> NoiseItem:
    """Machine notes on one line."""
    return NoiseItem(
        id=f"notes-{notes[0].id}",
        what=levels.noise_summary(notes),
        at=notes[0].at,
        notes=tuple(notes),
    )


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
        return CallItem(
            id=step.id,
            tool=registry.verb(step.name),
            server=registry.server(step.name),
            what="",
            at=_clock(step, context),
            mark="idle",
        )
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
        return _agent(step, context)
    if step.type == "interruption":
        return NoticeItem(
            id=step.id,
            title="Interrupted by you",
            at=_clock(step, context),
            mark="stop",
            lines=_lines(step),
        )
    return _hook(step, text, context) if step.type == "hook" else _notice(step, text, context)


def _lines(step: Step) -> tuple[int, ...]:
    return (step.line,) if step.line else ()


def _clock(step: Step, context: RenderContext) -> str:
    return times.clock_second(step.start_time, context.zone)


def _said(step: Step, text: str, context: RenderContext) -> TextItem:
    text, cut = context.limited(text)
    secrets = context.secrets((step.line, text))
    return TextItem(
        id=step.id,
        text=text,
        at=_clock(step, context),
        cut=cut,
        lines=_lines(step),
        secrets=secrets,
    )


def _thought(step: Step, text: str, context: RenderContext) -> ThinkingItem | None:
    spent = step.effective_duration_ms
    if not text.strip() and spent < LONG_THOUGHT_MS:
        return None
    text, cut = context.limited(text)
    first = safe.brief(text, _FIRST) or "not stored by Claude Code"
    return ThinkingItem(
        id=step.id,
        at=_clock(step, context),
        first=first,
        text=text,
        cut=cut,
        took=times.duration(spent) if spent else "",
        lines=_lines(step),
        secrets=context.secrets((step.line, text)),
    )


def _hook(step: Step, text: str, context: RenderContext) -> NoticeItem | None:
    """A successful hook without output is not shown."""
    if not step.is_error and text.strip() in ("", "{}"):
        return None
    text, cut = _noise_text(text, context) if not step.is_error else context.limited(text)
    mark = "fail" if step.is_error else "hook"
    title = f"Hook {safe.brief(step.name, 60)}".strip()
    spent = times.duration(step.duration_ms) if step.duration_ms else ""
    return NoticeItem(
        id=step.id,
        title=title,
        at=_clock(step, context),
        text=text,
        cut=cut,
        side=spent,
        noise="" if step.is_error else "hook",
        line=step.line,
        is_error=step.is_error,
        mark=mark,
        lines=_lines(step),
        secrets=context.secrets((step.line, text)),
    )


def _noise_text(text: str, context: RenderContext) -> tuple[str, str]:
    """The beginning is enough on a page: the raw line has the rest."""
    if context.reader.is_whole or len(text) <= _LONG_NOTE:
        return text, ""
    return text[:_LONG_NOTE], f"First {_LONG_NOTE:,} of {len(text):,} characters"


def _notice(step: Step, text: str, context: RenderContext) -> NoticeItem:
    text = notice_text(text, context.reader.now, context.zone)
    noise = "" if step.is_error else _NOISE.get(step.name, "")
    text, cut = _noise_text(text, context) if noise else context.limited(text)
    own_title = notice_title(step.name)
    other = "API error" if text.startswith("API Error") else "Error"
    title = own_title or (other if step.is_error else "Notice")
    mark = "fail" if step.is_error else "agent" if step.name in _VOICES else "idle"
    return NoticeItem(
        id=step.id,
        title=title,
        at=_clock(step, context),
        text=text,
        cut=cut,
        noise=noise,
        line=step.line,
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


def _agent(step: Step, context: RenderContext) -> AgentItem | None:
    id = text_of(step.agent_id)
    agent = context.agents.get(id)
    if agent is None:
        return None
    own = context.inside(id)
    call = context.calls.get(agent.parent_task_id or "")
    item = call_items.call_item(call, context) if call else None
    below = agent_lines.agents_below(id, context.agents, context.started)
    return AgentItem(
        id=id,
        line=agent_lines.inclusive_line(agent, context.agents, context.started),
        at=_clock(step, context),
        call=item,
        below=() if own else below,
        items=_own(own, context) if own else (),
        spool=agent_spool(own) if own else None,
        has_more=own is None,
        lines=item.lines if item else (),
    )


def agent_spool(document: SessionDocument) -> Spool | None:
    """A small picture of what an agent did; None where nothing has a time."""
    tape = spool_data(document, (), session_axis(document, ()))
    return spool(tape, size="card", label="What this agent did")


def _own(document: SessionDocument, outer: RenderContext) -> tuple[StepItem, ...]:
    context = agent_context(outer, document)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    return tuple(item for some in steps for item in step_items(some, context))
