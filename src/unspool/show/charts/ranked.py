"""Names and amounts -> ranked bars: the largest first, the rest beside it."""

from collections.abc import Iterable
from typing import NamedTuple

from unspool.show.money import format_usd


class Amount(NamedTuple):
    """One thing and what it comes to; None has no known price."""

    name: str
    usd: float | None
    project: str = ""
    note: str = ""


class Row(NamedTuple):
    name: str
    percent: float
    value: str
    project: str = ""
    note: str = ""


class Ranked(NamedTuple):
    caption: str
    rows: tuple[Row, ...]


def ranked(amounts: Iterable[Amount], caption: str, limit: int = 8) -> Ranked:
    """The first few; those beyond the limit are one row, so that the sum stays whole."""
    order = sorted(amounts, key=lambda one: -(one.usd or 0.0))
    rest = order[limit:]
    if len(rest) > 1:
        more = Amount(f"{len(rest)} others", sum(one.usd or 0.0 for one in rest))
        order = [*order[:limit], more]
    most = max((one.usd or 0.0 for one in order), default=0.0) or 1.0
    rows = (
        Row(o.name, round((o.usd or 0.0) / most * 100, 1), format_usd(o.usd), o.project, o.note)
        for o in order
    )
    return Ranked(caption, tuple(rows))
