"""Five-hour blocks -> lines of text."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from unspool.model.usage import CostBlock, Pace
from unspool.show.costs import MODELS, NUMBERS, Column, laid_out, model_name, numbers
from unspool.show.money import format_usd

_MINUTE: Final = 60_000
_COLUMNS: Final = (
    Column("BLOCK", right=False),
    Column("STATE", right=False, drop=2),
    MODELS,
    *NUMBERS,
)


def blocks_table(
    found: Sequence[CostBlock], clock: Callable[[int], str], *, width: int | None = None
) -> Iterator[str]:
    """One line a block; `clock` says a moment as the reader's clock does."""
    rows = [_row(block, clock) for block in found]
    yield from laid_out(_COLUMNS, rows, None, width)


def _row(block: CostBlock, clock: Callable[[int], str]) -> list[str]:
    span = f"{clock(block.start)} – {clock(block.end)[-5:]}"
    if block.is_gap:
        return [span, f"gap of {_length(block.end - block.start)}", *("" for _ in _COLUMNS[2:])]
    state = "active" if block.is_active else ""
    return [span, state, ", ".join(map(model_name, block.models)), *numbers(block.spend)]


def pace_lines(block: CostBlock, pace: Pace | None, now: int, limit: int | None) -> Iterator[str]:
    """How the block that runs stands, how fast it goes, and what it comes to."""
    spend = block.spend
    left = max(0, block.end - now)
    yield f"{_length(now - block.start)} gone, {_length(left)} left"
    yield f"{spend.tokens:,} tokens, {format_usd(spend.usd)} so far"
    if pace is None:
        return
    yield f"{pace.tokens_per_minute:,.0f} tokens a minute, {format_usd(pace.usd_per_hour)} an hour"
    yield f"at this pace {pace.tokens:,} tokens, {format_usd(pace.usd)} in the end"
    if limit:
        yield f"that is {pace.tokens / limit:.0%} of the limit of {limit:,} tokens"


def _length(milliseconds: int) -> str:
    hours, minutes = divmod(milliseconds // _MINUTE, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
