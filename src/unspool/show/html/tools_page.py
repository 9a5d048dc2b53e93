"""The tools page: failures, durations and approval times by tool."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import ClassVar

from msgspec import Struct, structs

from unspool.model.insights import Loop, ToolCount
from unspool.show import safe
from unspool.show.html.shell import Shell
from unspool.show.html.spend_page import RANGES
from unspool.show.labels import title_label
from unspool.show.numbers import format_usd, plural
from unspool.show.times import duration


class ToolsQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the page."""

    range: str = "30"
    project: str = ""

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters with some of them changed."""
        return structs.asdict(structs.replace(self, **changed))


class ToolRow(Struct, frozen=True, kw_only=True):
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


class LoopRow(Struct, frozen=True, kw_only=True):
    name: str
    times: int
    project_id: str
    session_id: str
    title: str
    when: str
    took: str
    cost: str


class ToolsPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "tools.html"
    shell: Shell
    query: ToolsQuery
    ranges: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, str], ...]
    finding: str
    summary: str
    rows: tuple[ToolRow, ...]
    loops: tuple[LoopRow, ...]


class ToolsContext(Struct, frozen=True, kw_only=True):
    """Other data of the page; names are keyed by project and session."""

    now: int
    loops: Sequence[Loop] = ()
    names: Mapping[tuple[str, str], str] = {}
    choices: tuple[tuple[str, str], ...] = ()
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
        finding=_finding(order),
        summary=_say(order) if order else "",
        rows=tuple(map(_row, order)),
        loops=tuple(_loop(one, context) for one in context.loops),
    )


def _say(counts: Sequence[ToolCount]) -> str:
    calls, errors = sum(one.calls for one in counts), sum(one.errors for one in counts)
    waits, waited = sum(one.waited for one in counts), sum(one.waited_ms for one in counts)
    counts_text = f"{plural(calls, 'call')}, {plural(errors, 'failure')}"
    if not waits:
        return counts_text
    return f"{counts_text}; {plural(waits, 'approval')} with {duration(waited)} of waiting"


def _finding(counts: Sequence[ToolCount]) -> str:
    """The tool with the highest failure rate among those called often."""
    often = [one for one in counts if one.calls >= 10 and one.errors / one.calls >= 0.02]
    worst = max(often, key=lambda one: (one.errors / one.calls, one.errors), default=None)
    if worst is None:
        return "Tools rarely fail" if counts else "Tools"
    tool, server = _parts(worst.name)
    whose = f" of {server}" if server else ""
    return f"{tool}{whose} fails most often: {worst.errors / worst.calls:.0%} of its calls"


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
    at = datetime.fromtimestamp(one.start / 1_000, UTC).astimezone(context.zone)
    return LoopRow(
        name=safe.brief(one.name, 60),
        times=one.times,
        project_id=one.project_id,
        session_id=one.session_id,
        title=title_label(context.names.get((one.project_id, one.session_id), one.session_id)),
        when=f"{at.day} {at:%b %H:%M}",
        took=duration(one.end - one.start),
        cost=format_usd(one.pico / 10**12),
    )


def _took(milliseconds: int | None) -> str:
    """Many calls take less than 100 ms, which `duration` would round to 0.1 s or less."""
    if milliseconds is not None and 0 <= milliseconds < 100:
        return f"{milliseconds} ms"
    return duration(milliseconds)
