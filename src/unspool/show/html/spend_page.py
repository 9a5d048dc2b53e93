"""The spend page: total, cost by day, by cause, by hour."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import ClassVar, Final, TypeVar

from msgspec import UNSET, Struct, UnsetType, structs

from unspool.model.api import BlockItem, CostAnswer, CostItem, CostSums
from unspool.model.insights import CacheBreak, Cause, Causes
from unspool.show import safe
from unspool.show.charts.spend import (
    Amount,
    DayCosts,
    Heatmap,
    Ranked,
    StackedBars,
    heatmap,
    ranked,
    stacked_bars,
)
from unspool.show.html.shell import Shell
from unspool.show.labels import model_label, title_label
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.paths import file_name
from unspool.show.times import clock, moment


class SpendBlock(Struct, frozen=True):
    name: str
    cost: str
    percent: float
    is_active: bool


class CacheBreakRow(Struct, frozen=True, kw_only=True):
    """One cache break, or all with the same reason."""

    why: str
    cost: str
    percent: float
    note: str
    project_id: str = ""
    session_id: str = ""


class SpendQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the page."""

    range: str = "30"
    by: str = ""
    project: str = ""

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters with some of them changed."""
        return structs.asdict(structs.replace(self, **changed))


class SpendPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "spend.html"
    shell: Shell
    query: SpendQuery
    ranges: tuple[tuple[str, str], ...]
    periods: tuple[tuple[str, str], ...]
    period: str
    choices: tuple[tuple[str, str], ...]
    title: str
    dollars: str
    cents: str
    mark: str
    summary: tuple[str, ...]
    finding: str
    days: StackedBars
    projects: Ranked
    models: Ranked
    parts: tuple[tuple[str, str, Ranked], ...]  # a title, how it was counted, the rows
    cache_breaks: str
    reasons: tuple[CacheBreakRow, ...]
    breaks: tuple[CacheBreakRow, ...]
    heat: Heatmap | None
    blocks: tuple[SpendBlock, ...]
    unpriced: str
    forgotten: str


class SpendReports(Struct, frozen=True, kw_only=True):
    """The data of the page, as the API returns it."""

    periods: CostAnswer
    projects: CostAnswer = CostAnswer()
    blocks: CostAnswer = CostAnswer()
    causes: Causes = Causes()
    hours: Mapping[tuple[int, int], float] = {}
    names: Mapping[tuple[str, str], str] = {}  # of sessions, by project and id
    choices: tuple[tuple[str, str], ...] = ()  # projects to choose from


T = TypeVar("T")
_PICO: Final = 10**12
_DEAREST: Final = 8
_MOST_BARS: Final = 400

RANGES: Final = (
    ("today", "Today"),
    ("7", "7 days"),
    ("30", "30 days"),
    ("365", "Year"),
    ("all", "All time"),
)


PERIODS: Final = (("daily", "by day"), ("weekly", "by week"), ("monthly", "by month"))
_USUAL: Final = {"365": "weekly", "all": "monthly"}
_NOUNS: Final = {"daily": "day", "weekly": "week", "monthly": "month"}


def chart_period(query: SpendQuery) -> str:
    """The period of a bar: the requested one, or the default of the range."""
    return query.by if query.by in _NOUNS else _USUAL.get(query.range, "daily")


def spend_page(reports: SpendReports, shell: Shell, query: SpendQuery) -> SpendPage:
    """Sections without data are left out."""
    rows, noun = _rows(reports.periods), _NOUNS[chart_period(query)]
    totals = CostSums() if reports.periods.totals is UNSET else reports.periods.totals
    spent = {_date(row): _models(row) for row in rows}
    bars = [DayCosts(_name(at), spent.get(at, {})) for at in _filled(sorted(spent), noun)]
    dollars, _, cents = f"{totals.total_cost or 0:,.2f}".partition(".")
    causes = reports.causes
    return SpendPage(
        shell=shell,
        query=query,
        ranges=RANGES,
        periods=PERIODS,
        period=chart_period(query),
        choices=reports.choices,
        title=f"Total spend, {dict(RANGES).get(query.range, 'all time').lower()}",
        dollars=dollars,
        cents=cents,
        mark="≥" if totals.lower_bound or totals.unpriced else "",
        summary=tuple(_say(totals, len(rows), noun)),
        finding=_finding(bars, noun),
        days=stacked_bars(bars, noun=noun),
        projects=ranked(_projects(reports), "by project"),
        models=ranked(_by_model(bars), "by model"),
        parts=tuple(_parts(causes)),
        cache_breaks=_cache_breaks(causes),
        reasons=_reasons(causes),
        breaks=_breaks(causes, reports),
        heat=heatmap(reports.hours) if any(reports.hours.values()) else None,
        blocks=_blocks(_given(reports.blocks.blocks)),
        unpriced=", ".join(map(model_label, totals.unpriced)),
        forgotten=plural(forgotten, "session") if (forgotten := reports.periods.forgotten) else "",
    )


def _rows(answer: CostAnswer) -> tuple[CostItem, ...]:
    return _given(answer.daily) or _given(answer.weekly) or _given(answer.monthly)


def _parts(causes: Causes) -> Iterable[tuple[str, str, Ranked]]:
    how = "the responses that called it, split when one called several"
    yield "By tool, MCP server and skill", how, _ranked(causes.tools, "tool")
    yield "By token type", "at the prices of each response", _ranked(causes.kinds, "kind")
    yield "By agent", "the main session, and agents by type", _ranked(causes.askers, "agent")
    for title, how, found in (
        ("By skill", "as Claude Code attributes it", causes.skills),
        ("By MCP server", "as Claude Code attributes it, or by its calls", causes.mcp_servers),
        ("By slash command", "all of its turn, agents included", causes.commands),
    ):
        if found:
            yield title, how, _ranked(found, title.removeprefix("By ").lower())


def _ranked(causes: Iterable[Cause], name: str) -> Ranked:
    amounts = (Amount(safe.brief(one.name, 60), one.pico / _PICO) for one in causes if one.pico)
    return ranked(amounts, f"by {name}")


def _cache_breaks(causes: Causes) -> str:
    if not causes.breaks:
        return "No cost from cache breaks"
    usd = sum(one.pico for one in causes.breaks) / _PICO
    part = f", {usd * _PICO / causes.pico:.0%} of the total" if causes.pico else ""
    return f"{plural(len(causes.breaks), 'cache break')} cost about {format_usd(usd)}{part}"


def _reasons(causes: Causes) -> tuple[CacheBreakRow, ...]:
    sums: dict[str, list[CacheBreak]] = {}
    for one in causes.breaks:
        sums.setdefault(one.why, []).append(one)
    pico = {why: sum(one.pico for one in group) for why, group in sums.items()}
    most = max(pico.values(), default=0) or 1
    return tuple(
        CacheBreakRow(
            why=why[:1].upper() + why[1:],
            cost=format_usd(pico[why] / _PICO),
            percent=round(pico[why] / most * 100, 1),
            note=f"{len(sums[why]):,} times",
        )
        for why in sorted(pico, key=lambda why: -pico[why])
    )


def _breaks(causes: Causes, reports: SpendReports) -> tuple[CacheBreakRow, ...]:
    top = causes.breaks[:_DEAREST]
    most = max((one.pico for one in top), default=0) or 1
    return tuple(
        CacheBreakRow(
            why=title_label(reports.names.get((one.project_id, one.session_id), one.session_id)),
            cost=format_usd(one.pico / _PICO),
            percent=round(one.pico / most * 100, 1),
            note=f"{one.why}, {format_count(one.tokens)} tokens",
            project_id=one.project_id,
            session_id=one.session_id,
        )
        for one in top
    )


def _given(rows: tuple[T, ...] | UnsetType) -> tuple[T, ...]:
    return () if rows is UNSET else rows


def _date(row: CostItem) -> str:
    labels = (row.date, row.week, row.month)
    return next((name for name in labels if name is not UNSET), "")


def _filled(names: Sequence[str], noun: str) -> Sequence[str]:
    """Days, weeks or months, including those without usage."""
    dated = [name for name in names if name[:1].isdecimal()]
    if not dated:
        return names
    try:
        at, last = (_begun(name) for name in (dated[0], dated[-1]))
    except ValueError:
        return names
    filled = [name for name in names if name not in dated]
    while at <= last and len(filled) < _MOST_BARS:
        filled.append(at.isoformat()[:7] if noun == "month" else at.isoformat())
        step = {"day": 1, "week": 7}.get(noun, 32)
        at = at + timedelta(days=step)
        at = at.replace(day=1) if noun == "month" else at
    return filled if set(names) <= set(filled) else names


def _begun(name: str) -> date:
    return date.fromisoformat(name if len(name) > 7 else f"{name}-01")


def _name(at: str) -> str:
    """`2026-11-09` is 9 Nov, `2026-11` is Nov 2026."""
    year, _, rest = at.partition("-")
    month, _, number = rest.partition("-")
    names = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    if not (month.isdecimal() and 1 <= int(month) <= 12):
        return year or "?"
    name = names[int(month) - 1]
    return f"{int(number)} {name}" if number.isdecimal() else f"{name} {year}"


def _models(day: CostItem) -> dict[str, float]:
    sums: dict[str, float] = {}
    for one in _given(day.model_breakdowns):
        name = model_label(one.model_name) or "unknown"
        sums[name] = sums.get(name, 0.0) + (one.cost or 0.0)
    return sums


def _say(totals: CostSums, days: int, noun: str) -> Iterable[str]:
    read, whole = totals.cache_read_tokens, totals.total_tokens
    yield f"{plural(totals.responses, 'response')} in {plural(days, noun)}"
    if whole:
        yield f"{format_count(whole)} tokens, {_part(read / whole)} read from the cache"
    if days > 1 and totals.total_cost:
        yield f"{format_usd(totals.total_cost / days)} per active {noun}"


def _part(part: float) -> str:
    """A percentage that is not rounded up to 100."""
    return f"{part:.0%}" if part < 0.99 or part == 1 else f"{min(part, 0.999):.1%}"


def _finding(days: Sequence[DayCosts], noun: str) -> str:
    most = max(days, key=lambda day: day.sum, default=None)
    if most is None or not most.sum:
        return "No usage"
    if len(days) == 1:
        return f"{most.name} cost {format_usd(most.sum)}"
    part = most.sum / sum(day.sum for day in days)
    cost = f"{format_usd(most.sum)}, {part:.0%} of the total"
    return f"{most.name} was the most expensive {noun}: {cost}"


def _projects(reports: SpendReports) -> Iterable[Amount]:
    names = dict(reports.choices)
    for row in _given(reports.projects.projects):
        project = "" if row.project_id is UNSET else row.project_id
        path = "" if row.project_path is UNSET else row.project_path
        name = names.get(project) or file_name(path) or project or "no project"
        yield Amount(name, row.total_cost, project)


def _by_model(days: Iterable[DayCosts]) -> Iterable[Amount]:
    sums: dict[str, float] = {}
    for day in days:
        for name, usd in day.models.items():
            sums[name] = sums.get(name, 0.0) + usd
    return (Amount(name, usd) for name, usd in sums.items())


def _blocks(items: Sequence[BlockItem]) -> tuple[SpendBlock, ...]:
    """The newest ten, relative to the most expensive of them."""
    real = sorted((one for one in items if not one.is_gap), key=lambda one: one.start_time or "")
    newest = real[-10:][::-1]
    most = max((one.cost_usd or 0.0 for one in newest), default=0.0) or 1.0
    return tuple(_block(one, most) for one in newest)


def _block(one: BlockItem, most: float) -> SpendBlock:
    start = moment(one.start_time)
    end = "now" if one.is_active else clock(one.end_time)
    name = f"{start.day} {start:%b %H:%M} – {end}" if start else end
    percent = round((one.cost_usd or 0.0) / most * 100, 1)
    return SpendBlock(name, format_usd(one.cost_usd), percent, one.is_active)
