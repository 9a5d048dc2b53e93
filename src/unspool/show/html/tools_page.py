"""The tools page: failures, durations and approval times by tool."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import ClassVar, Final

from msgspec import Struct, structs

from unspool.model.insights import CallFact, Loop, ToolCount
from unspool.show import safe
from unspool.show.html.shell import Shell
from unspool.show.html.spend_page import RANGES
from unspool.show.labels import title_label
from unspool.show.numbers import format_usd, plural
from unspool.show.times import duration

CALLS: Final = 100
_STATES: Final = {"error": "failed", "rejected": "rejected", "interrupted": "interrupted"}


class ToolsQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the page."""

    range: str = "28"
    project: str = ""
    machine: str = ""
    tool: str = ""  # whose calls are listed; `mcp__server`: of all its tools
    show: str = ""  # failed: only those

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters with some of them changed."""
        return structs.asdict(structs.replace(self, **changed))


class ToolRow(Struct, frozen=True, kw_only=True):
    id: str  # its whole name
    name: str
    server: str  # of an MCP tool
    calls: int
    errors: int
    rate: str
    part: float
    is_bad: bool
    rejected: int
    median: str
    median_ms: int
    p95: str
    p95_ms: int
    waited: str
    waits: int
    waited_ms: int


class ToolCallLine(Struct, frozen=True, kw_only=True):
    """One call, which leads to its step."""

    name: str
    server: str
    when: str
    status: str
    took: str
    title: str
    project_id: str
    session_id: str
    agent: str
    tool_use_id: str


class ToolCalls(Struct, frozen=True, kw_only=True):
    """Calls of one tool, the newest first."""

    title: str
    summary: str
    is_failed: bool
    rows: tuple[ToolCallLine, ...]


class LoopRow(Struct, frozen=True, kw_only=True):
    name: str
    times: int
    project_id: str
    session_id: str
    title: str
    when: str
    took: str
    cost: str
    agent: str
    tool_use_id: str


class ToolsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "tools.html"
    shell: Shell
    query: ToolsQuery
    ranges: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, str], ...]
    machines: tuple[tuple[str, str], ...]
    finding: str
    summary: str
    rows: tuple[ToolRow, ...]
    loops: tuple[LoopRow, ...]
    calls: ToolCalls | None = None


class ToolsContext(Struct, frozen=True, kw_only=True):
    """Other data of the page; names are keyed by project and session."""

    now: int
    since: int | None = None  # when the calls begin, where they are not all of the range
    loops: Sequence[Loop] = ()
    calls: Sequence[CallFact] = ()  # of the tool that was asked for
    names: Mapping[tuple[str, str], str] = {}
    choices: tuple[tuple[str, str], ...] = ()
    machines: tuple[tuple[str, str], ...] = ()
    zone: tzinfo | None = None


def tools_page(
    counts: Sequence[ToolCount], shell: Shell, query: ToolsQuery, context: ToolsContext
) -> ToolsPage:
    """The most used first; a tool with a failure rate of 10 % is highlighted."""
    order = sorted(counts, key=lambda one: (-one.calls, one.name))
    return ToolsPage(
        shell=shell,
        query=query,
        ranges=RANGES,
        choices=context.choices,
        machines=context.machines,
        finding=_finding(order),
        summary=" ".join((_say(order), *_cut(context))) if order else "",
        rows=tuple(map(_row, order)),
        loops=tuple(_loop(one, context) for one in context.loops),
        calls=_calls(order, query, context) if query.tool else None,
    )


def _cut(context: ToolsContext) -> Iterator[str]:
    if context.since is not None:
        at = datetime.fromtimestamp(context.since / 1_000, UTC).astimezone(context.zone)
        yield f"Only calls since {at.day} {at:%b %Y %H:%M} are counted: the range has too many."


def is_of(name: str, tool: str) -> bool:
    """Whether a tool is the one that was asked for, or one of that server's."""
    return name == tool or (tool.startswith("mcp__") and name.startswith(f"{tool}__"))


def _calls(counts: Sequence[ToolCount], query: ToolsQuery, context: ToolsContext) -> ToolCalls:
    some = [one for one in counts if is_of(one.name, query.tool)]
    calls, errors = sum(one.calls for one in some), sum(one.errors for one in some)
    rows = context.calls[:CALLS]
    is_failed = query.show == "failed"
    every, noun = (errors, "failed call") if is_failed else (calls, "call")
    shown = f"the newest {len(rows):,} of {plural(every, noun)}" if len(rows) < every else ""
    tool, server = _parts(query.tool)
    name = f"{tool} ({server})" if server else tool.removeprefix("mcp__")
    return ToolCalls(
        title=f"{'Failed calls' if is_failed else 'Calls'} of {name}",
        summary=shown or plural(every, noun),
        is_failed=is_failed,
        rows=tuple(_call(one, context) for one in rows),
    )


def _call(one: CallFact, context: ToolsContext) -> ToolCallLine:
    name, server = _parts(one.name)
    return ToolCallLine(
        name=name,
        server=server,
        when=_when(one.start, context),
        status=_STATES.get(one.state, ""),
        took=_took(one.duration_ms) if one.duration_ms is not None else "",
        title=title_label(context.names.get((one.project_id, one.session_id), one.session_id)),
        project_id=one.project_id,
        session_id=one.session_id,
        agent=one.agent,
        tool_use_id=one.tool_use_id,
    )


def _when(milliseconds: int, context: ToolsContext) -> str:
    at = datetime.fromtimestamp(milliseconds / 1_000, UTC).astimezone(context.zone)
    return f"{at.day} {at:%b %H:%M}"


def _say(counts: Sequence[ToolCount]) -> str:
    calls, errors = sum(one.calls for one in counts), sum(one.errors for one in counts)
    waits, waited = sum(one.waited for one in counts), sum(one.waited_ms for one in counts)
    counts_text = f"{plural(calls, 'call')}, {plural(errors, 'failure')}"
    if not waits:
        return counts_text
    return f"{counts_text}; {plural(waits, 'approval')} with {duration(waited)} of waiting"


def _finding(counts: Sequence[ToolCount]) -> str:
    """The tool with most failures among those that do not fail rarely."""
    often = [one for one in counts if one.errors >= 3 and one.errors / one.calls >= 0.02]
    worst = max(often, key=lambda one: (one.errors, one.errors / one.calls), default=None)
    if worst is None:
        return "Tools rarely fail" if counts else "Tools"
    tool, server = _parts(worst.name)
    whose = f" of {server}" if server else ""
    rate = f"{worst.errors / worst.calls * 100:.0f} %"
    return f"{tool}{whose} failed most: {worst.errors:,} of {worst.calls:,} calls, {rate}"


def _parts(name: str) -> tuple[str, str]:
    """The tool's own name, and its MCP server."""
    server, _, tool = name.removeprefix("mcp__").partition("__")
    if not (name.startswith("mcp__") and tool):
        return safe.brief(name, 100) or "?", ""
    return safe.brief(tool, 100), safe.brief(server, 60)


def _row(one: ToolCount) -> ToolRow:
    rate = one.errors / one.calls if one.calls else 0.0
    name, server = _parts(one.name)
    return ToolRow(
        id=one.name,
        name=name,
        server=server,
        calls=one.calls,
        errors=one.errors,
        rate=f"{rate:.1%}" if one.errors else "",
        part=rate,
        is_bad=rate >= 0.1,
        rejected=one.rejected,
        median=_took(one.median_ms),
        median_ms=one.median_ms or 0,
        p95=_took(one.p95_ms),
        p95_ms=one.p95_ms or 0,
        waited=duration(one.waited_ms) if one.waited_ms else "",
        waits=one.waited,
        waited_ms=one.waited_ms,
    )


def _loop(one: Loop, context: ToolsContext) -> LoopRow:
    return LoopRow(
        name=safe.brief(one.name, 60),
        times=one.times,
        project_id=one.project_id,
        session_id=one.session_id,
        title=title_label(context.names.get((one.project_id, one.session_id), one.session_id)),
        when=_when(one.start, context),
        took=duration(one.end - one.start),
        cost=format_usd(one.pico / 10**12),
        agent=one.agent,
        tool_use_id=one.tool_use_id,
    )


def _took(milliseconds: int | None) -> str:
    """Many calls take less than 100 ms, which `duration` would round to 0.1 s or less."""
    if milliseconds is not None and 0 <= milliseconds < 100:
        return f"{milliseconds} ms"
    return duration(milliseconds)
