"""The steps of one answer -> items: quiet calls gathered, thinking folded, words in full."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from unspool.model.document import SessionDocument, Step, ToolExecution
from unspool.show import safe, times
from unspool.show.text.calls import is_quiet
from unspool.show.tools import registry
from unspool.show.views.steps import agents, calls
from unspool.show.views.steps.around import Around, text_of, within
from unspool.show.views.steps.shapes import Agent, Group, Item, Notice, Row, Said, Thought

_LONG_THOUGHT_MS: Final = 10_000
_FIRST: Final = 160
_VOICES: Final = {"teammate": "Teammate", "notification": "Background task"}
_MOST: Final = 100_000


def items(steps: Sequence[Step], around: Around) -> tuple[Item, ...]:
    """All steps of an answer, in their order."""
    made: list[Item] = []
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


def _closed(run: Sequence[ToolExecution], around: Around) -> Iterator[Row | Group]:
    if len(run) == 1:
        yield calls.row(run[0], around)
    elif run:
        yield calls.group(run, around)


def _visible(steps: Sequence[Step], around: Around) -> Iterator[Step]:
    """A result is seen with its call; a refusal and the line about it are one gesture."""
    last = ""
    for step in steps:
        if step.type == "tool_result" and _call_of(step, around) is not None:
            continue
        if not last == step.type == "interruption":
            yield step
        last = step.type


def _call_of(step: Step, around: Around) -> ToolExecution | None:
    return None if step.tool_use_id is UNSET else around.calls.get(step.tool_use_id)


def _call(step: Step, one: ToolExecution | None, around: Around) -> Item | None:
    if one is None:
        return Row(id=step.id, tool=registry.label(step.name), what="", mark="idle")
    if one.tool_use_id == around.waiting:
        return calls.ask(one, around)
    is_told = one.state == "ok" and one.tool_use_id in around.spawns
    return None if is_told else calls.row(one, around)


def _other(step: Step, around: Around) -> Item | None:
    text = text_of(step.text)[:_MOST]
    if step.type == "output":
        return _said(step, text, around) if text.strip() else None
    if step.type == "thinking":
        return _thought(step, text, around)
    if step.type == "subagent":
        return _agent(text_of(step.agent_id), around)
    if step.type == "interruption":
        return Notice(id=step.id, title="Interrupted by you", mark="stop", lines=_lines(step))
    return _hook(step, text, around) if step.type == "hook" else _notice(step, text, around)


def _lines(step: Step) -> tuple[int, ...]:
    return (step.line,) if step.line else ()


def _said(step: Step, text: str, around: Around) -> Said:
    secrets = around.secrets((step.line, text))
    return Said(id=step.id, text=text, lines=_lines(step), secrets=secrets)


def _thought(step: Step, text: str, around: Around) -> Thought | None:
    spent = step.effective_duration_ms
    if not text.strip() and spent < _LONG_THOUGHT_MS:
        return None
    first = safe.brief(text, _FIRST) or "not kept by Claude Code"
    return Thought(
        id=step.id,
        first=first,
        text=text,
        took=times.duration(spent) if spent else "",
        lines=_lines(step),
        secrets=around.secrets((step.line, text)),
    )


def _hook(step: Step, text: str, around: Around) -> Notice | None:
    """A hook that went well and said nothing is not a step of the story."""
    if not step.is_error and not text.strip():
        return None
    mark = "fail" if step.is_error else "hook"
    title = f"Hook {safe.brief(step.name, 60)}".strip()
    spent = times.duration(step.duration_ms) if step.duration_ms else ""
    return Notice(
        id=step.id,
        title=title,
        text=text,
        side=spent,
        is_error=step.is_error,
        mark=mark,
        lines=_lines(step),
        secrets=around.secrets((step.line, text)),
    )


def _notice(step: Step, text: str, around: Around) -> Notice:
    named = called(step.name)
    other = "API error" if text.startswith("API Error") else "Something failed"
    title = named or (other if step.is_error else "Notice")
    mark = "fail" if step.is_error else "agent" if step.name in _VOICES else "idle"
    return Notice(
        id=step.id,
        title=title,
        text=text,
        is_error=step.is_error,
        mark=mark,
        is_words=step.name in _VOICES,
        lines=_lines(step),
        secrets=around.secrets((step.line, text)),
    )


def called(name: str) -> str:
    """What to call a kind of notice."""
    told = safe.brief(name.replace("_", " "), 60).capitalize()
    return _VOICES.get(name) or re.sub(r"^Api\b", "API", told)


def _agent(id: str, around: Around) -> Agent | None:
    found = around.agents.get(id)
    if found is None:
        return None
    own = around.inside(id)
    call = around.calls.get(found.parent_task_id or "")
    told = calls.row(call, around) if call else None
    return Agent(
        id=id,
        line=agents.line(found),
        call=told,
        below=() if own else agents.below(id, around.agents, around.started),
        items=_own(own, around) if own else (),
        has_more=own is None,
        lines=told.lines if told else (),
    )


def _own(document: SessionDocument, outer: Around) -> tuple[Item, ...]:
    around = within(outer, document)
    steps = (chunk.steps for chunk in document.chunks if chunk.steps is not UNSET)
    return tuple(item for some in steps for item in items(some, around))
