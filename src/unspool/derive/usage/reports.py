"""Sums of the ledger -> cost reports, five-hour blocks, and the figures of the status line.

Loads nothing but tuples: `cost` and the status line must start fast.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import TypeAlias

from unspool.model.usage import (
    UNKNOWN_AGENT,
    CostBlock,
    CostRow,
    Pace,
    Report,
    Spend,
    StatuslineTotals,
    TotalRow,
)

UNDATED = "undated"
NAMELESS = "unknown"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HOUR = 3_600_000
MINUTE = 60_000

_COUNTS = 5  # where the counts of a total begin
_UNPRICED, _FIRST, _LAST = 11, 14, 15
_RECENT = 72 * HOUR
_EPOCH = date(1970, 1, 1).toordinal()

Calendar: TypeAlias = Callable[[int], int]  # milliseconds -> the reader's day, counted from 1970
RowName: TypeAlias = tuple[str, str]  # and the project, where the row is a session


def period_names(
    kind: str, calendar: Calendar, week: str = "sunday"
) -> Callable[[TotalRow], RowName]:
    """How to name the day, week or month of a sum."""
    known: dict[int, RowName] = {}

    def name(total: TotalRow) -> RowName:
        at = total[0]
        if not at:
            return UNDATED, ""
        day = calendar(at)  # type: ignore[arg-type]
        period = known.get(day)
        if period is None:
            period = known[day] = _period(date.fromordinal(_EPOCH + day), kind, week), ""
        return period

    return name


def _period(day: date, kind: str, week: str) -> str:
    if kind == "monthly":
        return day.isoformat()[:7]
    if kind == "weekly":
        day -= timedelta(days=(day.weekday() - WEEKDAYS.index(week)) % 7)
    return day.isoformat()


def group_names(kind: str) -> Callable[[TotalRow], RowName]:
    """How to name the session, project, model or cause of a sum."""
    if kind == "session":
        return lambda total: (str(total[2]), str(total[1]))
    column = 4 if kind == "model" else 1
    return lambda total: (str(total[column]) or NAMELESS, "")


def build_report(totals: Iterable[TotalRow], name: Callable[[TotalRow], RowName]) -> Report:
    """One row per name, in the order of the names."""
    groups: dict[tuple[RowName, int | str], list[TotalRow]] = {}
    for total in totals:
        key = name(total), total[4]
        if key in groups:
            groups[key].append(total)
        else:
            groups[key] = [total]
    by_name: dict[RowName, dict[str, Spend]] = {}
    for (row_name, model), parts in groups.items():
        models = by_name.setdefault(row_name, {})
        models[str(model) or NAMELESS] = sum_spend(parts, _COUNTS)
    by_model: dict[str, list[TotalRow]] = {}
    for models in by_name.values():
        for model, spend in models.items():
            by_model.setdefault(model, []).append(spend)
    together = {model: sum_spend(spends) for model, spends in by_model.items()}
    by_name.pop((UNKNOWN_AGENT, ""), None)  # no model
    rows = [_row(*row_name, models) for row_name, models in sorted(by_name.items())]
    return Report(rows, _row("total", "", together))


def sort_by_cost(report: Report, *, descending: bool = True) -> Report:
    rows = sorted(report.rows, key=lambda row: row.spend.pico, reverse=descending)
    return Report(rows, report.total)


def sum_spend(parts: Iterable[TotalRow], skip: int = 0) -> Spend:
    """The sum of some spends; `skip` is how many columns come before the counts."""
    columns = list(zip(*parts, strict=True))[skip:]
    if not columns:
        return Spend()
    *counts, first, last = columns
    return Spend._make((*map(sum, counts), min(filter(None, first), default=0), max(last)))


def _row(name: str, project: str, models: dict[str, Spend]) -> CostRow:
    spend, unknown = sum_spend(models.values()), models.pop(UNKNOWN_AGENT, Spend())
    by_cost = sorted(models.items(), key=lambda item: (-item[1].pico, item[0]))
    return CostRow(name, spend, dict(by_cost), project, unknown.responses)


def blocks(totals: Iterable[TotalRow], now: int, length: int = 5 * HOUR) -> list[CostBlock]:
    """The windows that a plan's usage is counted in, and the gaps between them.

    A block begins with the hour of its first response and lasts `length`. Sums without a time
    are in no block.
    """
    dated = sorted((total for total in totals if total[_FIRST]), key=lambda total: total[_FIRST])
    return list(_blocks(dated, now, length))


def _blocks(dated: list[TotalRow], now: int, length: int) -> Iterator[CostBlock]:
    current: list[TotalRow] = []
    start = last = 0
    for total in dated:
        first = int(total[_FIRST])
        if current and (first - start > length or first - last > length):
            yield _block(current, start, now, length)
            current = []
            if first - last > length:
                yield CostBlock(last + length, first, is_gap=True)
        if not current:
            start = first - first % HOUR
        current.append(total)
        last = max(last, int(total[_LAST]))
    if current:
        yield _block(current, start, now, length)


def _block(totals: list[TotalRow], start: int, now: int, length: int) -> CostBlock:
    spend, end = sum_spend(totals, _COUNTS), start + length
    models = {str(total[4]) or NAMELESS for total in totals} - {UNKNOWN_AGENT}
    unpriced = {str(total[4]) or NAMELESS for total in totals if total[_UNPRICED]}
    is_active = now - spend.last_at < length and now < end
    names = tuple(sorted(models)), tuple(sorted(unpriced))
    return CostBlock(start, end, spend, *names, is_active=is_active)


def newest_blocks(totals: Iterable[TotalRow], now: int, count: int) -> list[CostBlock]:
    """The last blocks that anything was used in, the same as `blocks` has them.

    What comes before a gap has no part in what follows it, so years are not gone through.
    """
    dated = sorted((total for total in totals if total[_FIRST]), key=lambda total: total[_FIRST])
    last, begins = 0, [0]
    for number, total in enumerate(dated):
        if int(total[_FIRST]) - last > 5 * HOUR:
            begins.append(number)
        last = max(last, int(total[_LAST]))
    found: list[CostBlock] = []
    end = len(dated)
    while begins and len(found) < count:
        begin = begins.pop()
        some = blocks(dated[begin:end], now)
        found, end = [one for one in some if not one.is_gap] + found, begin
    return found[-count:]


def daily_totals(totals: Iterable[TotalRow], calendar: Calendar) -> list[TotalRow]:
    """The sums of each day and model, at one of its moments; sums without a time together."""
    groups: dict[tuple[int, int | str], list[TotalRow]] = {}
    for total in totals:
        at = int(total[0])
        key = calendar(at) if at else -1, total[4]
        groups.setdefault(key, []).append(total)
    return [
        (parts[0][0], "", "", "", model, *sum_spend(parts, _COUNTS))
        for (_, model), parts in groups.items()
    ]


def recent_blocks(all_blocks: Iterable[CostBlock], now: int) -> list[CostBlock]:
    """The blocks of the last three days, and the active one."""
    return [block for block in all_blocks if block.is_active or block.start >= now - _RECENT]


def pace(block: CostBlock, now: int) -> Pace | None:
    """The pace of the active block; None for a single response."""
    spend = block.spend
    minutes = (spend.last_at - spend.first_at) / MINUTE
    if not block.is_active or minutes <= 0:
        return None
    left = round((block.end - now) / MINUTE)
    usd = spend.usd or 0.0
    per_minute, hourly = spend.tokens / minutes, usd / minutes * 60
    return Pace(
        per_minute,
        (spend.input + spend.output) / minutes,
        hourly,
        left,
        round(spend.tokens + per_minute * left),
        round(usd + hourly / 60 * left, 2),
    )


def statusline_totals(
    totals: Sequence[TotalRow], key: tuple[str, str], day: int, now: int
) -> StatuslineTotals:
    """What a session, today and the active block have used; `day` is when today began.

    `key` is project and session; without a project, all sessions of that id are meant.
    """
    own = key if key[0] else key[1:]
    active = [block for block in blocks(totals, now) if block.is_active]
    block = active[-1] if active else None
    speed = pace(block, now) if block else None
    return StatuslineTotals(
        session=sum_spend(total[_COUNTS:] for total in totals if total[3 - len(own) : 3] == own),
        today=sum_spend(total[_COUNTS:] for total in totals if int(total[0]) >= day),
        block=block,
        usd_per_hour=speed.usd_per_hour if speed else None,
        tokens_per_minute=speed.spoken_per_minute if speed else 0.0,
        minutes_left=max(0, round((block.end - now) / MINUTE)) if block else 0,
    )
