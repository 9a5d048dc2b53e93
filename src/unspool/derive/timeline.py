"""Lines and hooks of a session -> its events in order, each once, whoever told of it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unspool.derive.reading.estimate import TROUBLE
from unspool.model.live import NO_TOKENS, Happened, LineEvent, Place, Span, Tokens
from unspool.model.rows import HookRow

Said: TypeAlias = Callable[[LineEvent], str]
Named: TypeAlias = dict[tuple[str, str], LineEvent]

_PRE, _POST = "pre_tool_use", "post_tool_use"
_COPIES: Final = {_PRE: _PRE, _POST: _POST, "post_tool_use_failure": _POST}
# A prompt is told to hooks first; its line follows, sometimes much later.
_SOON_MS: Final = 60_000
_TOLD: Final = 500


class _Prompt(Struct):
    prompt: str = ""


_prompt: Final = msgspec.json.Decoder(_Prompt)


def timeline(
    lines: Iterable[LineEvent],
    hooks: Iterable[HookRow],
    used: Mapping[int, Tokens],
    said: Said,
) -> list[Happened]:
    """Every event of a session, oldest first; `used` is by the number of a line."""
    told = list(lines)
    copies, others = _matched(told, _distinct(hooks), said)
    called = {id: line.at for line in told for id, _ in line.calls}
    names = {id: name for line in told for id, name in line.calls}
    events = [_of_line(line, copies.get(line.place, ()), called, names) for line in told]
    events += _of_hooks(others)
    events.sort(key=lambda event: event.key)
    return _summed(events, used)


def _distinct(hooks: Iterable[HookRow]) -> list[HookRow]:
    """Hooks without those that were handed in twice."""
    kept: dict[tuple[object, ...], HookRow] = {}
    for hook in hooks:
        name = hook.tool_use_id or (hook.timestamp, hook.tool_name, hook.input)
        kept.setdefault((hook.event_type, hook.agent_id, name), hook)
    return list(kept.values())


def _matched(
    lines: list[LineEvent], hooks: list[HookRow], said: Said
) -> tuple[dict[Place, tuple[HookRow, ...]], list[HookRow]]:
    """What hooks told of each line, and hooks that told of none."""
    named: Named = {}
    for line in lines:
        for id, _ in line.calls:
            named.setdefault((_PRE, id), line)
        for id in line.results:
            named.setdefault((_POST, id), line)
    prompts = [line for line in lines if line.event_type == "user_prompt" and line.at is not None]
    copies: dict[Place, tuple[HookRow, ...]] = {}
    others: list[HookRow] = []
    for hook in hooks:
        line_or_none = named.get((_COPIES.get(hook.event_type, ""), hook.tool_use_id))
        if hook.event_type == "user_prompt_submit":
            line_or_none = _typed(hook, prompts, copies, said)
        if line_or_none is None:
            others.append(hook)
        else:
            place = line_or_none.place
            copies[place] = (*copies.get(place, ()), hook)
    return copies, others


def _typed(
    hook: HookRow, prompts: list[LineEvent], taken: Mapping[Place, object], said: Said
) -> LineEvent | None:
    """The line of a prompt that a hook told of."""
    prompt, at = _text(hook), hook.timestamp
    if not prompt or at is None:
        return None
    near = [
        line for line in prompts if abs((line.at or 0) - at) <= _SOON_MS and line.place not in taken
    ]
    near.sort(key=lambda line: abs((line.at or 0) - at))
    wanted = prompt.split()[0] if prompt.startswith("/") else prompt[:_TOLD]
    return next((line for line in near if wanted in said(line)), None)


def _text(hook: HookRow) -> str:
    try:
        return _prompt.decode(hook.input).prompt.strip()
    except TROUBLE:
        return ""


def _of_line(
    line: LineEvent,
    hooks: tuple[HookRow, ...],
    called: Mapping[str, int | None],
    names: Mapping[str, str],
) -> Happened:
    ids = [*(id for id, _ in line.calls), *line.results]
    id = ids[0] if ids else ""
    began = called.get(id) if line.results and not line.calls else None
    took = None if began is None or line.at is None else line.at - began
    return Happened(
        key=(line.order, line.place.source_id, line.place.offset),
        place=line.place,
        line=line,
        hooks=hooks,
        tool_name=names.get(id) or next((hook.tool_name for hook in hooks), ""),
        tool_use_id=id,
        agent_id=line.agent_id or next((hook.agent_id for hook in hooks), ""),
        duration_ms=took if took is None or took >= 0 else None,
    )


def _of_hooks(hooks: list[HookRow]) -> list[Happened]:
    """Events only hooks told of; what has an end takes its time from where it began."""
    begun: dict[tuple[str, str], int] = {}
    running: list[tuple[str, int]] = []  # agents, the one that began last at the end
    events = []
    for hook in sorted(hooks, key=lambda hook: (hook.timestamp or 0, hook.line_id)):
        at, type = hook.timestamp or 0, hook.event_type
        event = _of_hook(hook)
        if type == _PRE:
            begun[hook.agent_id, hook.tool_use_id or hook.tool_name] = at
        elif _COPIES.get(type) == _POST:
            start = begun.pop((hook.agent_id, hook.tool_use_id or hook.tool_name), None)
            event = _ended(event, at, start)
        elif type == "subagent_start":
            running.append((hook.agent_id, at))
        elif type == "subagent_stop" and (found := _running(running, hook.agent_id)):
            running.remove(found)
            event = _ended(replace(event, agent_id=event.agent_id or found[0]), at, found[1])
        events.append(event)
    return events


def _of_hook(hook: HookRow) -> Happened:
    return Happened(
        key=(hook.timestamp or 0, 0, hook.line_id),
        place=place_of(hook.event_id),
        hooks=(hook,),
        tool_name=hook.tool_name,
        tool_use_id=hook.tool_use_id,
        agent_id=hook.agent_id,
        duration_ms=None if hook.duration_ms is None else int(hook.duration_ms),
    )


def _running(running: list[tuple[str, int]], agent: str) -> tuple[str, int] | None:
    """The agent that stops: by its id, else the one that began last."""
    fitting = [one for one in running if not agent or one[0] in ("", agent)]
    exact = [one for one in fitting if one[0] == agent]
    return next(reversed(exact or fitting), None)


def _ended(event: Happened, at: int, start: int | None) -> Happened:
    if event.duration_ms is not None or start is None or at < start:
        return event
    return replace(event, duration_ms=at - start)


def _summed(events: list[Happened], used: Mapping[int, Tokens]) -> list[Happened]:
    """Each event with the tokens of its session up to it."""
    total, made = NO_TOKENS, []
    for event in events:
        own = used.get(event.line.line_id) if event.line else None
        if own is not None:
            i, o, c, r = (so_far + more for so_far, more in zip(total, own, strict=True))
            total = i, o, c, r
        made.append(event if total is NO_TOKENS else replace(event, tokens=total))
    return made


def event_id(place: Place) -> str:
    """The id of the event at a place."""
    return f"{place.source_id}.{place.generation}.{place.offset}"


def is_within(place: Place, spans: Iterable[Span]) -> bool:
    """Whether an event begins within any of these bytes."""
    return any(
        (span.source_id, span.generation) == (place.source_id, place.generation)
        and span.begin <= place.offset < span.end
        for span in spans
    )


def place_of(event_id: str) -> Place:
    """The place an event's id names; one that names none is nowhere."""
    parts = event_id.split(".")
    if len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts):
        source_id, generation, offset = map(int, parts)
        return Place(source_id, generation, offset)
    return Place(-1, 0, 0)
