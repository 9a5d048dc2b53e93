"""Sums of the ledger -> the windows of five hours that a plan's usage is counted in."""

from collections.abc import Iterable, Iterator

from unspool.derive.usage.reports import NAMELESS, added
from unspool.model.usage import CostBlock, Pace, TotalRow

HOUR = 3_600_000
MINUTE = 60_000
_UNPRICED, _FIRST, _LAST = 11, 14, 15
_RECENT = 72 * HOUR


def blocks(totals: Iterable[TotalRow], now: int, length: int = 5 * HOUR) -> list[CostBlock]:
    """A block begins with the hour of its first response and lasts `length`, gaps shown.

    What has no time is in none of them.
    """
    dated = sorted((total for total in totals if total[_FIRST]), key=lambda total: total[_FIRST])
    return list(_blocks(dated, now, length))


def _blocks(dated: list[TotalRow], now: int, length: int) -> Iterator[CostBlock]:
    held: list[TotalRow] = []
    start = last = 0
    for total in dated:
        first = int(total[_FIRST])
        if held and (first - start > length or first - last > length):
            yield _block(held, start, now, length)
            held = []
            if first - last > length:
                yield CostBlock(last + length, first, is_gap=True)
        if not held:
            start = first - first % HOUR
        held.append(total)
        last = max(last, int(total[_LAST]))
    if held:
        yield _block(held, start, now, length)


def _block(held: list[TotalRow], start: int, now: int, length: int) -> CostBlock:
    spend, end = added(held, 5), start + length
    models = {str(total[4]) or NAMELESS for total in held}
    unpriced = {str(total[4]) or NAMELESS for total in held if total[_UNPRICED]}
    is_active = now - spend.last_at < length and now < end
    names = tuple(sorted(models)), tuple(sorted(unpriced))
    return CostBlock(start, end, spend, *names, is_active=is_active)


def recent(found: Iterable[CostBlock], now: int) -> list[CostBlock]:
    """Those of the last three days, and the one that runs."""
    return [block for block in found if block.is_active or block.start >= now - _RECENT]


def pace(block: CostBlock, now: int) -> Pace | None:
    """The pace of the block that runs; one response has none."""
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
