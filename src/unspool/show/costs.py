"""Reports of costs -> lines of text, in columns that fit."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from unspool.model.usage import CostRow, Report, Spend
from unspool.show import safe
from unspool.show.money import format_usd, plural
from unspool.show.spans import cells, pad


class Column(NamedTuple):
    """A title, the side it is flush with, and how soon it goes where there is no room."""

    title: str
    right: bool = True
    drop: int = 0


NUMBERS: Final = (
    Column("INPUT", drop=3),
    Column("OUTPUT", drop=1),
    Column("CACHE WRITE", drop=4),
    Column("CACHE READ", drop=4),
    Column("TOKENS", drop=2),
    Column("COST"),
)
MODELS: Final = Column("MODELS", right=False, drop=5)
_TITLES: Final = {
    "daily": "DAY",
    "weekly": "WEEK OF",
    "monthly": "MONTH",
    "session": "SESSION",
    "project": "PROJECT",
    "model": "MODEL",
}
_DATE: Final = re.compile(r"[-@]20\d{6}$")
_GAP: Final = 2
_WIDEST: Final = 40


def table(
    report: Report, kind: str, *, width: int | None = None, breakdown: bool = False
) -> Iterator[str]:
    """Titles, rows, what they come to, and what is to be known about that."""
    columns = [Column(_TITLES[kind], right=False), *_middle(kind), *NUMBERS]
    rows = [line for row in report.rows for line in _lines(row, kind, breakdown)]
    total = ["TOTAL", *("" for _ in _middle(kind)), *numbers(report.total.spend)]
    yield from laid_out(columns, rows, total, width)
    yield from remarks(report.total)


def _middle(kind: str) -> list[Column]:
    project = [Column("PROJECT", right=False, drop=4)] if kind == "session" else []
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
    is_more = bool(spend.lower_bound or (spend.unpriced and spend.pico))
    return [*(f"{count:,}" for count in counts), format_usd(spend.usd, at_least=is_more)]


def model_name(name: str) -> str:
    """A model without maker and date."""
    return _DATE.sub("", name).removeprefix("claude-")


def laid_out(
    columns: Sequence[Column], rows: list[list[str]], total: list[str] | None, width: int | None
) -> Iterator[str]:
    """Cells in columns; those least wanted go where the width is too small for all."""
    titles = [column.title for column in columns]
    every = [titles, *rows, *([total] if total else [])]
    every = [[safe.brief(cell, 200) for cell in row] for row in every]
    sizes = [min(max(map(cells, column)), _WIDEST) for column in zip(*every, strict=True)]
    kept = _kept(columns, sizes, width)
    rule = "─" * (sum(sizes[at] for at in kept) + _GAP * (len(kept) - 1))
    for n, row in enumerate(every):
        if total and n == len(every) - 1:
            yield rule
        aligned = (pad(row[at], sizes[at], right=columns[at].right) for at in kept)
        yield (" " * _GAP).join(aligned).rstrip()


def _kept(columns: Sequence[Column], sizes: list[int], width: int | None) -> list[int]:
    kept = list(range(len(columns)))
    while width is not None and sum(sizes[at] + _GAP for at in kept) - _GAP > width:
        least = max(kept, key=lambda at: columns[at].drop)
        if not columns[least].drop:
            break
        kept.remove(least)
    return kept


def remarks(total: CostRow) -> Iterator[str]:
    """What the sum leaves out, and where it may be more."""
    unpriced = [(name, spend) for name, spend in total.models.items() if spend.unpriced]
    if unpriced or total.spend.lower_bound:
        yield ""
    for name, spend in unpriced:
        used = f"{plural(spend.unpriced, 'response')}, {spend.tokens:,} tokens"
        yield f"No price is known for {safe.brief(name, 80)}: {used} not in the cost."
    if total.spend.lower_bound:
        told = plural(total.spend.lower_bound, "response")
        yield f"≥ at least: {told} never told how much was written in the end."
