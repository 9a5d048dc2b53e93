"""The spend page: total, cost by day, where it went and why, by hour and by block."""

from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import ClassVar, Final

from msgspec import UNSET, Struct, structs

from unspool.model.api import BlockItem, CostAnswer, CostSums
from unspool.model.insights import Causes
from unspool.model.usage import HourSpend
from unspool.show.charts.spend import (
    DayCosts,
    Forecast,
    Heatmap,
    StackedBars,
    forecast,
    heatmap,
    stacked_bars,
)
from unspool.show.html.shell import Shell
from unspool.show.html.spend_causes import (
    CacheBreakRow,
    CauseBar,
    Side,
    avoidable,
    break_reasons,
    break_rows,
    cache_breaks,
    cause_rows,
    largest_cause,
    sides,
)
from unspool.show.html.spend_days import WEEK, BarSource, Days, day_bars, given, spent_on
from unspool.show.html.spend_drill import DrillRow, DrillSessions, change, project_rows
from unspool.show.labels import model_label, title_label
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.times import clock, moment


class SpendBlock(Struct, frozen=True):
    name: str
    cost: str
    percent: float
    is_active: bool
    first: str
    last: str


class SpendQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the page; `first` and `last` are the days chosen, if any."""

    range: str = "28"
    by: str = ""
    project: str = ""
    machine: str = ""
    model: str = ""
    first: str = ""
    last: str = ""

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters with some of them changed, as an address has them."""
        found = structs.asdict(structs.replace(self, **changed))
        first, last = found.pop("first"), found.pop("last")
        days = {"day": first} if first == last else {"from": first, "to": last}
        return {**found, **days}


class TopSession(Struct, frozen=True, kw_only=True):
    """The most expensive session of the days that were chosen."""

    project_id: str
    session_id: str
    title: str
    usd: float


class SpendReports(Struct, frozen=True, kw_only=True):
    """The data of the page; what is chosen is some days of the window, or all of it."""

    periods: CostAnswer  # the window: by day, week or month
    chosen: CostAnswer | None = None  # by model; None: all of the window
    days: Mapping[str, float] = {}  # dollars by day, also before the window
    window: Days | None = None  # None: all time
    days_chosen: Days | None = None
    today: date | None = None
    projects: CostAnswer = CostAnswer()
    projects_earlier: CostAnswer = CostAnswer()
    sessions: DrillSessions | None = None  # instead of projects, where one is chosen
    top: TopSession | None = None
    blocks: CostAnswer = CostAnswer()
    causes: Causes = Causes()
    hours: Mapping[tuple[int, int], HourSpend] = {}
    names: Mapping[tuple[str, str], str] = {}  # of sessions, by project and id
    choices: tuple[tuple[str, str], ...] = ()  # projects to choose from
    machines: tuple[tuple[str, str], ...] = ()  # where there are several


class SpendPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "spend.html"
    shell: Shell
    query: SpendQuery
    ranges: tuple[tuple[str, str], ...]
    periods: tuple[tuple[str, str], ...]
    period: str
    choices: tuple[tuple[str, str], ...]
    machines: tuple[tuple[str, str], ...]
    title: str
    dollars: str
    cents: str
    mark: str
    delta: str
    delta_text: str
    finding: tuple[tuple[str, bool], ...]  # its words, and whether they are strong
    top: TopSession | None
    summary: str
    headline: str
    chosen: str  # the days chosen, and what they cost
    days: StackedBars
    projects: tuple[DrillRow, ...]
    sessions: DrillSessions | None
    causes: tuple[CauseBar, ...]
    forecast: Forecast | None
    sides: tuple[Side, ...]
    cache_breaks: str
    reasons: tuple[CacheBreakRow, ...]
    breaks: tuple[CacheBreakRow, ...]
    heat: Heatmap | None
    blocks: tuple[SpendBlock, ...]
    unpriced: str
    forgotten: str
    waiting: str  # sessions whose latest is in no cause yet


BLOCKS: Final = 10  # that are shown
RANGES: Final = (
    ("today", "Today"),
    ("7", "7 days"),
    ("28", "28 days"),
    ("month", "This month"),
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
    noun, causes = _NOUNS[chart_period(query)], reports.causes
    bars = day_bars(
        BarSource(
            periods=reports.periods,
            noun=noun,
            spent=reports.days,
            window=reports.window,
            chosen=reports.days_chosen,
        )
    )
    answer = reports.chosen or reports.periods
    totals = CostSums() if answer.totals is UNSET else answer.totals
    usd = totals.total_cost or 0.0
    dollars, _, cents = f"{usd:,.2f}".partition(".")
    days = reports.days_chosen or reports.window
    coming = _forecast(reports)
    return SpendPage(
        shell=shell,
        query=query,
        ranges=RANGES,
        periods=PERIODS,
        period=chart_period(query),
        choices=reports.choices,
        machines=reports.machines,
        title=f"Spent, {days or dict(RANGES).get(query.range, 'all time').lower()}",
        dollars=dollars,
        cents=cents,
        mark="≥" if totals.lower_bound or totals.unpriced else "",
        **_delta(reports, days, usd),
        finding=tuple(_finding(causes, None if reports.days_chosen else coming, usd)),
        top=reports.top,
        summary="; ".join(_say(totals, _active(bars), noun)) + ".",
        headline=_headline(bars, noun),
        chosen=f"{days} · {format_usd(usd)}" if reports.days_chosen else "",
        days=stacked_bars(bars, noun=noun, spent=_by_model(reports.chosen)),
        projects=project_rows(reports.projects, reports.projects_earlier, dict(reports.choices)),
        sessions=reports.sessions,
        causes=cause_rows(causes),
        forecast=coming,
        sides=tuple(sides(causes)),
        cache_breaks=cache_breaks(causes),
        reasons=break_reasons(causes),
        breaks=break_rows(causes, reports.names),
        heat=heatmap(reports.hours) if any(one.usd for one in reports.hours.values()) else None,
        blocks=_blocks(given(reports.blocks.blocks)),
        unpriced=", ".join(map(model_label, totals.unpriced)),
        forgotten=plural(forgotten, "session") if (forgotten := reports.periods.forgotten) else "",
        waiting=plural(causes.waiting, "session") if causes.waiting else "",
    )


# --- Figures and sentences ---


def _delta(reports: SpendReports, days: Days | None, usd: float) -> dict[str, str]:
    """Against the same days four weeks earlier, where anything was spent on them."""
    before = spent_on(reports.days, days.earlier()) if days else 0.0
    if days is None or before < 0.005:
        return {"delta": "", "delta_text": ""}
    same = "the same day" if days.length == 1 else f"the {days.length} days"
    when = "before" if days.length == 28 else "four weeks earlier"
    return {
        "delta": change(usd, before),
        "delta_text": f"compared with {same} {when} ({format_usd(before)})",
    }


def _finding(causes: Causes, coming: Forecast | None, usd: float) -> Iterable[tuple[str, bool]]:
    """The largest cause, what was avoidable, and how the month will end."""
    part, went = largest_cause(causes)
    if not usd:
        yield "No usage", False
        return
    if went:
        yield part, True
        yield f" {went}. ", False
    if lost := avoidable(causes):
        yield lost, True
        yield " was avoidable: cache breaks and loops. ", False
    if coming:
        yield f"At this rate {coming.month} ends at ≈ ", False
        yield coming.end, True
        yield ".", False


def _forecast(reports: SpendReports) -> Forecast | None:
    """Of the month that runs, from what is known of its days."""
    today = reports.today
    if today is None or not reports.days:
        return None
    spent = [spent_on(reports.days, Days(day, day)) for day in _month_so_far(today)]
    ends = (today - timedelta(WEEK * n) for n in range(4))
    weeks = [spent_on(reports.days, Days(end - timedelta(WEEK - 1), end)) for end in ends]
    days = monthrange(today.year, today.month)[1]
    return forecast(f"{today:%B}", days, spent, weeks) if sum(spent) >= 0.005 else None


def _month_so_far(today: date) -> Iterable[date]:
    return (today.replace(day=n) for n in range(1, today.day + 1))


def _headline(days: Sequence[DayCosts], noun: str) -> str:
    most = max(days, key=lambda day: day.sum, default=None)
    if most is None or not most.sum:
        return "No usage"
    if _active(days) == 1:
        return f"{most.name} cost {format_usd(most.sum)}"
    part = most.sum / sum(day.sum for day in days)
    cost = f"{format_usd(most.sum)}, {part:.0%} of the total"
    return f"{most.name} was the most expensive {noun}: {cost}"


def _active(days: Iterable[DayCosts]) -> int:
    return sum(bool(day.models) and not day.is_off for day in days)


def _say(totals: CostSums, days: int, noun: str) -> Iterable[str]:
    read, whole = totals.cache_read_tokens, totals.total_tokens
    yield f"{plural(totals.responses, 'response')} in {plural(days, f'active {noun}')}"
    if whole:
        yield f"{format_count(whole)} tokens, {_part(read / whole)} read from the cache"
    if days > 1 and totals.total_cost:
        yield f"{format_usd(totals.total_cost / days)} per active {noun}"


def _part(part: float) -> str:
    """A percentage that is not rounded up to 100."""
    return f"{part:.0%}" if part < 0.99 or part == 1 else f"{min(part, 0.999):.1%}"


# --- Rows of reports ---


def _by_model(answer: CostAnswer | None) -> dict[str, float] | None:
    if answer is None:
        return None
    sums: dict[str, float] = {}
    for row in given(answer.models):
        name = model_label(None if row.model_name is UNSET else row.model_name) or "unknown"
        sums[name] = sums.get(name, 0.0) + (row.total_cost or 0.0)
    return sums


def _blocks(items: Sequence[BlockItem]) -> tuple[SpendBlock, ...]:
    """The newest, relative to the most expensive of them."""
    real = sorted((one for one in items if not one.is_gap), key=lambda one: one.start_time or "")
    newest = real[-BLOCKS:][::-1]
    most = max((one.cost_usd or 0.0 for one in newest), default=0.0) or 1.0
    return tuple(_block(one, most) for one in newest)


def _block(one: BlockItem, most: float) -> SpendBlock:
    start, last = moment(one.start_time), moment(one.end_time)
    end = "now" if one.is_active else clock(one.end_time)
    name = f"{start.day} {start:%b %H:%M} – {end}" if start else end
    percent = round((one.cost_usd or 0.0) / most * 100, 1)
    days = (f"{start:%Y-%m-%d}" if start else "", f"{last or start:%Y-%m-%d}" if start else "")
    return SpendBlock(name, format_usd(one.cost_usd), percent, one.is_active, *days)


def top_session(answer: CostAnswer, names: Mapping[tuple[str, str], str]) -> TopSession | None:
    """The most expensive session of a report by session."""
    rows = given(answer.sessions)
    if not rows or not rows[0].total_cost:
        return None
    row = rows[0]
    key = str(row.project_id or ""), str(row.session_id or "")
    return TopSession(
        project_id=key[0],
        session_id=key[1],
        title=title_label(names.get(key, key[1])),
        usd=row.total_cost or 0.0,
    )
