"""Cost reports and five-hour blocks -> text tables."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from unspool.model.usage import CostBlock, CostRow, Pace, QuotaPace, Report, Spend
from unspool.show import safe
from unspool.show.numbers import format_usd, plural, unknown_usage
from unspool.show.spans import cells, pad


class CostColumn(NamedTuple):
    """A title, its alignment, and how soon it is dropped when space is short."""

    title: str
    right: bool = True
    drop: int = 0


NUMBERS: Final = (
    CostColumn("INPUT", drop=3),
    CostColumn("OUTPUT", drop=1),
    CostColumn("CACHE WRITE", drop=4),
    CostColumn("CACHE READ", drop=4),
    CostColumn("TOKENS", drop=2),
    CostColumn("COST"),
)
MODELS: Final = CostColumn("MODELS", right=False, drop=5)
_TITLES: Final = {
    "daily": "DAY",
    "weekly": "WEEK OF",
    "monthly": "MONTH",
    "session": "SESSION",
    "project": "PROJECT",
    "model": "MODEL",
    "skill": "SKILL",
    "mcp": "MCP SERVER",
    "agent": "AGENT",
    "command": "COMMAND",
    "tool": "TOOL",
}
_DATE: Final = re.compile(r"[-@]20\d{6}$")
_GAP: Final = 2
_WIDEST: Final = 40


def cost_table(
    report: Report, kind: str, *, width: int | None = None, breakdown: bool = False
) -> Iterator[str]:
    """Titles, rows, total and remarks."""
    columns = [CostColumn(_TITLES[kind], right=False), *_middle(kind), *NUMBERS]
    rows = [line for row in report.rows for line in _lines(row, kind, breakdown)]
    total = ["TOTAL", *("" for _ in _middle(kind)), *numbers(report.total.spend)]
    yield from layout_columns(columns, rows, total, width)
    yield from remarks(report.total)


def _middle(kind: str) -> list[CostColumn]:
    project = [CostColumn("PROJECT", right=False, drop=4)] if kind == "session" else []
    return [*project, *([] if kind == "model" else [MODELS])]


def _lines(row: CostRow, kind: str, breakdown: bool) -> Iterator[list[str]]:
    name = row.name[:8] if kind == "session" else row.name
    project = [row.project] if kind == "session" else []
    models = [] if kind == "model" else [", ".join(map(model_name, row.models))]
    yield [name, *project, *models, *numbers(row.spend)]
    if breakdown and kind != "model":
        for model, spend in row.models.items():
            yield ["", *("" for _ in project), f"· {model_name(model)}", *numbers(spend)]


def numbers(spend: Spend) -> list[str]:
    """The cells of `NUMBERS`."""
    counts = (spend.input, spend.output, spend.write, spend.read, spend.tokens)
    cost = format_usd(spend.usd, at_least=spend.is_least)
    return [*(f"{count:,}" for count in counts), cost]


def model_name(name: str) -> str:
    """A model without maker and date."""
    return _DATE.sub("", name).removeprefix("claude-")


def layout_columns(
    columns: Sequence[CostColumn], rows: list[list[str]], total: list[str] | None, width: int | None
) -> Iterator[str]:
    """Aligned columns; the least important are dropped when they do not fit."""
    titles = [column.title for column in columns]
    every = [titles, *rows, *([total] if total else [])]
    every = [[safe.brief(cell, 200) for cell in row] for row in every]
    sizes = [min(max(map(cells, column)), _WIDEST) for column in zip(*every, strict=True)]
    visible = _columns_that_fit(columns, sizes, width)
    rule = "─" * (sum(sizes[at] for at in visible) + _GAP * (len(visible) - 1))
    for n, row in enumerate(every):
        if total and n == len(every) - 1:
            yield rule
        aligned = (pad(row[at], sizes[at], right=columns[at].right) for at in visible)
        yield (" " * _GAP).join(aligned).rstrip()


def _columns_that_fit(
    columns: Sequence[CostColumn], sizes: list[int], width: int | None
) -> list[int]:
    visible = list(range(len(columns)))
    while width is not None and sum(sizes[at] + _GAP for at in visible) - _GAP > width:
        least = max(visible, key=lambda at: columns[at].drop)
        if not columns[least].drop:
            break
        visible.remove(least)
    return visible


def forgotten_lines(count: int) -> Iterator[str]:
    """What a report leaves out because it was forgotten."""
    if count:
        yield ""
        yield f"{plural(count, 'session')} forgotten: not included."


def remarks(total: CostRow) -> Iterator[str]:
    """What the total leaves out, and whether it is a lower bound."""
    unpriced = [(name, spend) for name, spend in total.models.items() if spend.unpriced]
    if unpriced or total.spend.lower_bound:
        yield ""
    for name, spend in unpriced:
        used = f"{plural(spend.unpriced, 'response')}, {spend.tokens:,} tokens"
        yield f"No price for {safe.brief(name, 80)}: {used} not included."
    if unfinished := total.spend.lower_bound - total.unknown_agents:
        yield f"≥ at least: {plural(unfinished, 'response')} without a final output count."
    if total.unknown_agents:
        yield f"≥ at least: {unknown_usage(total.unknown_agents)}."


_MINUTE: Final = 60_000
_BLOCK_COLUMNS: Final = (
    CostColumn("BLOCK", right=False),
    CostColumn("STATE", right=False, drop=2),
    MODELS,
    *NUMBERS,
)


def blocks_table(
    blocks: Sequence[CostBlock], clock: Callable[[int], str], *, width: int | None = None
) -> Iterator[str]:
    """One line per block; `clock` formats a time."""
    rows = [_block_row(block, clock) for block in blocks]
    yield from layout_columns(_BLOCK_COLUMNS, rows, None, width)


def _block_row(block: CostBlock, clock: Callable[[int], str]) -> list[str]:
    span = f"{clock(block.start)} – {clock(block.end)[-5:]}"
    if block.is_gap:
        return [
            span,
            f"gap of {_length(block.end - block.start)}",
            *("" for _ in _BLOCK_COLUMNS[2:]),
        ]
    state = "active" if block.is_active else ""
    return [span, state, ", ".join(map(model_name, block.models)), *numbers(block.spend)]


def pace_lines(block: CostBlock, pace: Pace | None, now: int, limit: int | None) -> Iterator[str]:
    """Elapsed time, cost, burn rate and projection of the active block."""
    spend = block.spend
    left = max(0, block.end - now)
    yield f"{_length(now - block.start)} elapsed, {_length(left)} left"
    yield f"{spend.tokens:,} tokens, {format_usd(spend.usd)} so far"
    if pace is None:
        return
    yield f"{pace.tokens_per_minute:,.0f} tokens/min, {format_usd(pace.usd_per_hour)}/h"
    yield f"projected: {pace.tokens:,} tokens, {format_usd(pace.usd)}"
    if limit:
        yield f"that is {pace.tokens / limit:.0%} of the limit of {limit:,} tokens"


def quota_lines(quota: Iterable[QuotaPace]) -> Iterator[str]:
    """Usage limits: used, elapsed, and when they are reset."""
    for one in quota:
        left = _length(one.resets_at - one.at)
        yield (
            f"{one.window} limit: {one.used:.0f}% used, {one.elapsed:.0f}% of its window elapsed, "
            f"reset in {left}{', ahead of pace' if one.is_ahead else ''}"
        )


def _length(milliseconds: int) -> str:
    hours, minutes = divmod(milliseconds // _MINUTE, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
