"""Chunks, tools and subagents -> bars on one time line, each under what started it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import UNSET, Struct

from unspool.derive.reading.clock import iso, millis
from unspool.model.document import Chunk, Subagent, Time, ToolExecution

BarType: TypeAlias = Literal["chunk", "tool", "subagent"]


class Bar(Struct, frozen=True, kw_only=True, rename="camel"):
    """One row of the chart; an end that is not known yet is None."""

    id: str
    type: BarType
    label: str = ""
    level: int = 0
    parent_id: str | None = None
    start_time: Time = None
    end_time: Time = None
    duration_ms: int = 0


class Waterfall(Struct, frozen=True, kw_only=True, rename="camel"):
    """All rows by start, and the span of time they cover."""

    items: tuple[Bar, ...] = ()
    min_time: Time = None
    max_time: Time = None
    total_ms: int = 0


def waterfall(
    chunks: Sequence[Chunk], tools: Sequence[ToolExecution], subagents: Sequence[Subagent]
) -> Waterfall:
    """Lay out a session; what has no start time cannot be drawn and is left out."""
    homes = _homes(chunks, tools, subagents)
    bars = [_chunk(chunk) for chunk in chunks]
    bars += [_tool(tool) for tool in tools]
    bars += [_agent(agent, homes) for agent in subagents]
    timed = [(start, bar) for bar in bars if (start := millis(bar.start_time)) is not None]
    if not timed:
        return Waterfall()
    timed.sort(key=lambda pair: (pair[0], pair[1].level))
    begin, end = timed[0][0], max(millis(bar.end_time) or start for start, bar in timed)
    return Waterfall(
        items=tuple(bar for _, bar in timed),
        min_time=iso(begin),
        max_time=iso(end),
        total_ms=max(0, end - begin),
    )


def _homes(
    chunks: Iterable[Chunk], tools: Iterable[ToolExecution], subagents: Sequence[Subagent]
) -> dict[str, str]:
    """Agent -> the chunk whose call started it, or that shows it, or the agent it runs under."""
    known = {agent.id for agent in subagents}
    calls = {tool.tool_use_id: tool.chunk_id for tool in tools}
    shown = {
        step.agent_id: chunk.id
        for chunk in chunks
        if chunk.steps is not UNSET
        for step in chunk.steps
        if step.type == "subagent" and step.agent_id is not UNSET
    }
    homes = {}
    for agent in subagents:
        under = agent.parent_agent_id if agent.parent_agent_id in known else None
        home = calls.get(agent.parent_task_id or "") or shown.get(agent.id) or under
        if home is not None:
            homes[agent.id] = home
    return homes


def _chunk(chunk: Chunk) -> Bar:
    return Bar(
        id=chunk.id,
        type="chunk",
        label=chunk.type,
        start_time=chunk.start_time,
        end_time=chunk.end_time,
        duration_ms=chunk.duration_ms,
    )


def _tool(tool: ToolExecution) -> Bar:
    return Bar(
        id=tool.tool_use_id,
        type="tool",
        label=tool.name,
        level=1 if tool.chunk_id else 0,
        parent_id=tool.chunk_id,
        start_time=tool.start_time,
        end_time=tool.end_time,
        duration_ms=tool.duration_ms or 0,
    )


def _agent(agent: Subagent, homes: Mapping[str, str]) -> Bar:
    home = homes.get(agent.id)
    return Bar(
        id=agent.id,
        type="subagent",
        label=agent.description or agent.subagent_type,
        level=0 if home is None else max(1, agent.depth),
        parent_id=home,
        start_time=agent.start_time,
        end_time=agent.end_time,
        duration_ms=agent.duration_ms,
    )
