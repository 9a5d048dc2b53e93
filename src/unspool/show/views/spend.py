"""Reports of costs -> the spend page: one figure, a bar a day, where it went, when."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final, TypeVar

from msgspec import UNSET, Struct, UnsetType

from unspool.model.api_costs import BlockItem, CostAnswer, CostItem, CostSums
from unspool.show.charts.bars import Bars, Day, bars
from unspool.show.charts.heatmap import Heatmap, heatmap
from unspool.show.charts.ranked import Amount, Ranked, ranked
from unspool.show.money import format_count, format_usd, plural
from unspool.show.names import model
from unspool.show.times import clock, moment
from unspool.show.views.shell import Shell


class Block(Struct, frozen=True):
    name: str
    cost: str
    percent: float
    is_active: bool


class SpendPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "spend.html"
    shell: Shell
    range: str
    ranges: tuple[tuple[str, str], ...]
    title: str
    dollars: str
    cents: str
    mark: str
    say: tuple[str, ...]
    finding: str
    days: Bars
    projects: Ranked
    models: Ranked
    causes: Ranked
    heat: Heatmap | None
    blocks: tuple[Block, ...]
    unpriced: str


class Reports(Struct, frozen=True, kw_only=True):
    """All that the page is made from, as the API gives it."""

    daily: CostAnswer
    projects: CostAnswer = CostAnswer()
    blocks: CostAnswer = CostAnswer()
    causes: Mapping[str, float] = {}
    hours: Mapping[tuple[int, int], float] = {}


T = TypeVar("T")

RANGES: Final = (
    ("today", "Today"),
    ("7", "7 days"),
    ("30", "30 days"),
    ("365", "Year"),
    ("all", "All"),
)


def spend_page(reports: Reports, shell: Shell, range: str = "30", title: str = "") -> SpendPage:
    """What has no evidence in the reports is not on the page."""
    days = _given(reports.daily.daily)
    totals = CostSums() if reports.daily.totals is UNSET else reports.daily.totals
    drawn = [Day(_name(day), _models(day)) for day in sorted(days, key=_date)]
    dollars, _, cents = f"{totals.total_cost or 0:,.2f}".partition(".")
    return SpendPage(
        shell=shell,
        range=range,
        ranges=RANGES,
        title=title or "Spent",
        dollars=dollars,
        cents=cents,
        mark="≥" if totals.lower_bound or totals.unpriced else "",
        say=tuple(_say(totals, len(days))),
        finding=_finding(drawn),
        days=bars(drawn),
        projects=ranked(_projects(reports.projects), "by project"),
        models=ranked(_by_model(drawn), "by model"),
        causes=ranked((Amount(n, usd) for n, usd in reports.causes.items()), "by cause"),
        heat=heatmap(reports.hours) if reports.hours else None,
        blocks=_blocks(_given(reports.blocks.blocks)),
        unpriced=", ".join(map(model, totals.unpriced)),
    )


def _given(rows: tuple[T, ...] | UnsetType) -> tuple[T, ...]:
    return () if rows is UNSET else rows


def _date(day: CostItem) -> str:
    return "" if day.date is UNSET else day.date


def _name(day: CostItem) -> str:
    """`2026-11-09` is 9 Nov."""
    year, _, rest = _date(day).partition("-")
    month, _, number = rest.partition("-")
    names = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    is_date = month.isdecimal() and number.isdecimal() and 1 <= int(month) <= 12
    return f"{int(number)} {names[int(month) - 1]}" if is_date else year or "?"


def _models(day: CostItem) -> dict[str, float]:
    sums: dict[str, float] = {}
    for one in _given(day.model_breakdowns):
        name = model(one.model_name) or "unknown"
        sums[name] = sums.get(name, 0.0) + (one.cost or 0.0)
    return sums


def _say(totals: CostSums, days: int) -> Iterable[str]:
    read, whole = totals.cache_read_tokens, totals.total_tokens
    yield f"{plural(totals.responses, 'response')} on {plural(days, 'day')}"
    if whole:
        yield f"{format_count(whole)} tokens, {read / whole:.0%} read from the cache"
    if days > 1 and totals.total_cost:
        yield f"{format_usd(totals.total_cost / days)} a day on which anything ran"


def _finding(days: Sequence[Day]) -> str:
    most = max(days, key=lambda day: day.sum, default=None)
    if most is None or not most.sum:
        return "Nothing was spent"
    if len(days) == 1:
        return f"{most.name} cost {format_usd(most.sum)}"
    part = most.sum / sum(day.sum for day in days)
    return f"{most.name} was the dearest day: {format_usd(most.sum)}, {part:.0%} of the whole"


def _projects(answer: CostAnswer) -> Iterable[Amount]:
    for row in _given(answer.projects):
        project = "" if row.project_id is UNSET else row.project_id
        path = "" if row.project_path is UNSET else row.project_path
        name = path.rstrip("/").rpartition("/")[2] or project or "no project"
        yield Amount(name, row.total_cost, project)


def _by_model(days: Iterable[Day]) -> Iterable[Amount]:
    sums: dict[str, float] = {}
    for day in days:
        for name, usd in day.models.items():
            sums[name] = sums.get(name, 0.0) + usd
    return (Amount(name, usd) for name, usd in sums.items())


def _blocks(items: Sequence[BlockItem]) -> tuple[Block, ...]:
    """The newest ten, as parts of the dearest of them."""
    real = sorted((one for one in items if not one.is_gap), key=lambda one: one.start_time or "")
    shown = real[-10:][::-1]
    most = max((one.cost_usd or 0.0 for one in shown), default=0.0) or 1.0
    return tuple(_block(one, most) for one in shown)


def _block(one: BlockItem, most: float) -> Block:
    start = moment(one.start_time)
    end = "now" if one.is_active else clock(one.end_time)
    name = f"{start.day} {start:%b %H:%M} – {end}" if start else end
    percent = round((one.cost_usd or 0.0) / most * 100, 1)
    return Block(name, format_usd(one.cost_usd), percent, one.is_active)
