"""Why it cost that: causes, rankings and cache breaks of the spend page."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from msgspec import Struct

from unspool.model.insights import ANSWERS, SKILLS, Cause, Causes
from unspool.show import safe
from unspool.show.charts.spend import LEAST, Amount, Ranked, ranked
from unspool.show.labels import COST_CAUSES, title_label
from unspool.show.numbers import format_count, format_usd, plural

_PICO: Final = 10**12


class CauseBar(Struct, frozen=True, kw_only=True):
    """A part of the dollars, with the CSS class of its colour and where its evidence is."""

    name: str
    note: str
    kind: str
    cost: str
    part: str
    percent: float
    leads: str = ""


_BREAK, _WRITE, _LOOPS = "rewrite", "write", "loops"


def _parts(causes: Causes) -> dict[str, int]:
    """Picodollars by kind; what cache breaks cost is taken out of the writing."""
    sums = {cause.name: cause.pico for cause in causes.kinds}
    writing = sums.get(_WRITE, 0)
    lost = min(writing, sum(one.pico for one in causes.breaks))
    sums[_WRITE] = writing - lost
    sums[_BREAK] = lost
    return {name: pico for name, pico in sums.items() if pico / _PICO >= LEAST}


def cause_rows(causes: Causes) -> tuple[CauseBar, ...]:
    """The kinds add up to the whole; loops are a part of them, and come last."""
    sums = _parts(causes)
    most, whole = max(sums.values(), default=0) or 1, causes.pico or 1
    rows = [
        CauseBar(
            name=label.term,
            note=label.hint,
            kind=name,
            cost=format_usd(pico / _PICO),
            part=f"{pico / whole * 100:.0f} %",
            percent=round(pico / most * 100, 1),
            leads="breaks" if name == _BREAK else "sessions",
        )
        for name, pico in sorted(sums.items(), key=lambda item: -item[1])
        for label in (COST_CAUSES[name],)
    ]
    looped = causes.looped
    if looped / _PICO >= LEAST:
        rows.append(
            CauseBar(
                name="Loops",
                note="The same tool failed 3 or more times in a row. Part of the above; avoidable.",
                kind=_LOOPS,
                cost=format_usd(looped / _PICO),
                part=f"{looped / whole * 100:.0f} %",
                percent=round(min(looped / most, 1) * 100, 1),
                leads=_LOOPS,
            )
        )
    return tuple(rows)


def largest_cause(causes: Causes) -> tuple[str, str]:
    """The share of the largest cause, and what a sentence says of it."""
    sums = _parts(causes)
    if not sums or not causes.pico:
        return "", ""
    name = max(sums, key=lambda one: sums[one])
    return f"{sums[name] / causes.pico * 100:.0f} %", f"went into {COST_CAUSES[name].term.lower()}"


def avoidable(causes: Causes) -> str:
    """Dollars of cache breaks and loops; nothing where it is less than half a cent."""
    usd = causes.avoidable / _PICO
    return format_usd(usd) if usd >= LEAST else ""


class Side(NamedTuple):
    """A ranking of the same dollars: its title and how it was counted."""

    title: str
    how: str
    rows: Ranked


def sides(causes: Causes) -> Iterator[Side]:
    """By tool, by agent, and by what Claude Code attributes them to."""
    how = "the responses that called it, split when one called several"
    yield Side("By tool, MCP server and skill", how, _ranked(causes.tools, "tool", _tool))
    yield Side(
        "By agent", "the main conversation, and agents by type", _ranked(causes.askers, "agent")
    )
    for title, how, found in (
        ("By skill", "as Claude Code attributes it", causes.skills),
        ("By MCP server", "as Claude Code attributes it, or by its calls", causes.mcp_servers),
        ("By slash command", "its whole turn, agents included", causes.commands),
    ):
        if found:
            lead = _server if found is causes.mcp_servers else _search
            yield Side(title, how, _ranked(found, title.removeprefix("By ").lower(), lead))


def _tool(name: str) -> tuple[str, str]:
    if name in (ANSWERS, SKILLS, "?"):
        return ("tool", "Skill") if name == SKILLS else ("", "")
    return "tool", f"mcp__{name.removeprefix('MCP ')}" if name.startswith("MCP ") else name


def _server(name: str) -> tuple[str, str]:
    return "tool", f"mcp__{name}"


def _search(name: str) -> tuple[str, str]:
    return "search", name


def _none(_: str) -> tuple[str, str]:
    return "", ""


def _ranked(
    causes: Iterable[Cause], name: str, lead: Callable[[str], tuple[str, str]] = _none
) -> Ranked:
    amounts = (
        Amount(safe.brief(one.name, 60), one.pico / _PICO, "", *lead(one.name))
        for one in causes
        if one.pico
    )
    return ranked(amounts, f"by {name}")


class CacheBreakRow(Struct, frozen=True, kw_only=True):
    """One cache break, or all with the same reason."""

    why: str
    cost: str
    percent: float
    note: str
    project_id: str = ""
    session_id: str = ""
    agent: str = ""
    event_id: str = ""


def cache_breaks(causes: Causes) -> str:
    """The headline of the section."""
    if not causes.breaks:
        return "No cost from cache breaks"
    usd = sum(one.pico for one in causes.breaks) / _PICO
    times = sum(one.responses for one in causes.breaks)
    part = f", {usd * _PICO / causes.pico:.0%} of the total" if causes.pico else ""
    return f"{plural(times, 'cache break')} cost about {format_usd(usd)}{part}"


def break_reasons(causes: Causes) -> tuple[CacheBreakRow, ...]:
    """One row per reason."""
    most = max((one.pico for one in causes.breaks), default=0) or 1
    return tuple(
        CacheBreakRow(
            why=one.name[:1].upper() + one.name[1:],
            cost=format_usd(one.pico / _PICO),
            percent=round(one.pico / most * 100, 1),
            note=plural(one.responses, "time"),
        )
        for one in causes.breaks
    )


def break_rows(causes: Causes, names: Mapping[tuple[str, str], str]) -> tuple[CacheBreakRow, ...]:
    """The most expensive, each leading to its step."""
    most = max((one.pico for one in causes.worst_breaks), default=0) or 1
    return tuple(
        CacheBreakRow(
            why=title_label(names.get((one.project_id, one.session_id), one.session_id)),
            cost=format_usd(one.pico / _PICO),
            percent=round(one.pico / most * 100, 1),
            note=f"{one.why}, {format_count(one.tokens)} tokens",
            project_id=one.project_id,
            session_id=one.session_id,
            agent=one.agent,
            event_id=one.event_id,
        )
        for one in causes.worst_breaks
    )
