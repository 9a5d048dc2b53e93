"""The same timeline made in one go from all lines and hooks: what one that grew has to equal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from unspool.derive.hooks import is_same
from unspool.derive.reading.estimate import TROUBLE
from unspool.derive.timeline import place_of
from unspool.model.live import NO_TOKENS, LineEvent, MergedEvent, TokenCounts
from unspool.model.rows import HookRow

Said: TypeAlias = Callable[[LineEvent], str]

PROMPT, PRE, POST = "user_prompt", "pre_tool_use", "post_tool_use"
_COPIES: Final = {PRE: PRE, POST: POST, "post_tool_use_failure": POST}
# A prompt is told to hooks first; its line follows, sometimes much later.
_SOON_MS: Final = 60_000
_TOLD: Final = 500


class _Prompt(Struct):
    prompt: str = ""


_prompt: Final = msgspec.json.Decoder(_Prompt)


class HookMatch(NamedTuple):
    """One event that hooks told of, the line that tells of it too, and what others say of it."""

    hooks: list[HookRow]
    line_id: int | None = None
    agent_id: str = ""
    duration_ms: int | None = None


def timeline(
    lines: Iterable[LineEvent],
    hooks: Iterable[HookRow],
    used: Mapping[int, TokenCounts],
    said: Said,
) -> list[MergedEvent]:
    """Every event of a session, oldest first; `used` is by the number of a line."""
    told = sorted(lines, key=_line_key)
    tools = _Tools(told)
    copies: dict[int, tuple[HookRow, ...]] = {}
    events: list[MergedEvent] = []
    for pair in match_hooks(hooks, tools.named, told, said):
        if pair.line_id is None:
            events.append(_of_hook(pair))
        else:
            copies[pair.line_id] = (*copies.get(pair.line_id, ()), *pair.hooks)
    events += [tools.event(line, copies.get(line.line_id, ())) for line in told]
    events.sort(key=lambda event: event.key)
    return _summed(events, used)


def match_hooks(
    hooks: Iterable[HookRow],
    named: Mapping[tuple[str, str], int],
    lines: Iterable[LineEvent],
    said: Said,
) -> list[HookMatch]:
    """Hook events, oldest first, each with its line; `named` has those of calls and results."""
    every = group_rows(hooks)
    prompts = [line for line in lines if line.event_type == PROMPT and line.at is not None]
    running = _Running(hook for hook, *_ in every)
    taken: set[int] = set()
    found = []
    for group in every:
        hook = group[0]
        agent, took = running.feed(hook)
        kind, id = _COPIES.get(hook.event_type, ""), hook.tool_use_id
        line_id = named.get((kind, id)) if id else None
        if hook.event_type == "user_prompt_submit":
            line_id = _typed(hook, [line for line in prompts if line.line_id not in taken], said)
            taken.add(line_id or 0)
        found.append(HookMatch(group, line_id, agent, took))
    return found


def _typed(hook: HookRow, prompts: Sequence[LineEvent], said: Said) -> int | None:
    """The line of a prompt that a hook told of."""
    prompt, at = _text(hook), hook.timestamp
    if not prompt or at is None:
        return None
    near = [line for line in prompts if abs((line.at or 0) - at) <= _SOON_MS]
    near.sort(key=lambda line: abs((line.at or 0) - at))
    wanted = prompt.split()[0] if prompt.startswith("/") else prompt[:_TOLD]
    return next((line.line_id for line in near if wanted in said(line)), None)


def _text(hook: HookRow) -> str:
    try:
        return _prompt.decode(hook.input).prompt.strip()
    except TROUBLE:
        return ""


class _Running:
    """What has begun in a session and not ended: whose an event is, and how long it took."""

    def __init__(self, hooks: Iterable[HookRow]) -> None:
        self._calls: dict[tuple[str, str], int] = {}
        self._agents: list[tuple[str, int]] = []  # the one that began last at the end
        # Older versions do not say whose tool it is: then it is the agent's that runs.
        self._tells_agents = any(hook.tool_name and hook.agent_id for hook in hooks)

    def feed(self, hook: HookRow) -> tuple[str, int | None]:
        """The agent of the next event, and how long what it ends has taken."""
        at, agent, start = hook.timestamp or 0, hook.agent_id, None
        call = agent, hook.tool_use_id or hook.tool_name
        if hook.event_type == PRE:
            self._calls[call] = at
        elif _COPIES.get(hook.event_type) == POST:
            start = self._calls.pop(call, None)
        elif hook.event_type == "session_end":
            self._agents.clear()
        elif hook.event_type == "subagent_start":
            self._agents.append((agent, at))
        elif hook.event_type == "subagent_stop" and (found := self._stopped(agent)):
            self._agents.remove(found)
            agent, start = agent or found[0], found[1]
        if hook.tool_name and not agent and self._agents and not self._tells_agents:
            agent = self._agents[-1][0]
        if hook.duration_ms is not None:
            return agent, int(hook.duration_ms)
        return agent, None if start is None or at < start else at - start

    def _stopped(self, agent: str) -> tuple[str, int] | None:
        """The agent that stops: by its id, else the one that began last."""
        fitting = [one for one in self._agents if not agent or one[0] in ("", agent)]
        exact = [one for one in fitting if one[0] == agent]
        return next(reversed(exact or fitting), None)


class _Tools:
    """Calls and results of a session's lines; a result belongs to the call in its own file."""

    def __init__(self, lines: Iterable[LineEvent]) -> None:
        self.named: dict[tuple[str, str], int] = {}
        self._calls: dict[tuple[int, str], tuple[str, int | None]] = {}
        for line in lines:
            for id, name in line.calls:
                self.named.setdefault((PRE, id), line.line_id)
                self._calls.setdefault((line.place.source_id, id), (name, line.at))
            for id in line.results:
                self.named.setdefault((POST, id), line.line_id)

    def event(self, line: LineEvent, hooks: tuple[HookRow, ...]) -> MergedEvent:
        """The event of a line."""
        id, name, took = "", "", None
        if line.calls:
            id, name = line.calls[0]
        elif line.results:
            id = line.results[0]
            name, called = self._calls.get((line.place.source_id, id), ("", None))
            took = None if called is None or line.at is None else line.at - called
        hook = hooks[0] if hooks else None
        return MergedEvent(
            key=_line_key(line),
            place=line.place,
            line=line,
            hooks=hooks,
            tool_name=name or (hook.tool_name if hook else ""),
            tool_use_id=id,
            agent_id=line.agent_id or (hook.agent_id if hook else ""),
            duration_ms=took if took is None or took >= 0 else None,
        )


def _line_key(line: LineEvent) -> tuple[int, int, int]:
    return line.order, line.place.source_id, line.place.offset


def _of_hook(pair: HookMatch) -> MergedEvent:
    hook = pair.hooks[0]
    return MergedEvent(
        key=(hook.timestamp or 0, 0, hook.line_id),
        place=place_of(hook.event_id),
        hooks=tuple(pair.hooks),
        tool_name=hook.tool_name,
        tool_use_id=hook.tool_use_id,
        agent_id=pair.agent_id,
        duration_ms=pair.duration_ms,
    )


def _summed(events: list[MergedEvent], used: Mapping[int, TokenCounts]) -> list[MergedEvent]:
    """Each event with the tokens of its session up to it."""
    total, made = NO_TOKENS, []
    for event in events:
        own = used.get(event.line.line_id) if event.line else None
        if own is not None:
            i, o, c, r = (so_far + more for so_far, more in zip(total, own, strict=True))
            total = i, o, c, r
        made.append(event if total is NO_TOKENS else replace(event, tokens=total))
    return made


def group_rows(rows: Iterable[HookRow]) -> list[list[HookRow]]:
    """The rows of one session oldest first, those of one event together."""
    groups: list[list[HookRow]] = []
    newest: dict[str, list[HookRow]] = {}
    for row in sorted(rows, key=lambda row: (row.timestamp or 0, row.line_id)):
        group = newest.get(row.key)
        if group and is_same(row.key, row.timestamp or 0, group[-1].timestamp or 0):
            group.append(row)
        else:
            newest[row.key] = [row]
            groups.append(newest[row.key])
    return groups
