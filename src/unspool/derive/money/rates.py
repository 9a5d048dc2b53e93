"""Dated prices -> the rates of one request: by its day, then by the length of its prompt."""

from collections.abc import Sequence

from unspool.derive.reading.clock import iso
from unspool.model.prices import PriceRow, Rates


def row_at(rows: Sequence[PriceRow], at: int | None) -> PriceRow:
    """Choose the row in force on a UTC day; before all rows the first, without a time the last."""
    day = iso(at) if len(rows) > 1 else None
    if day is None:
        return rows[-1]
    begun = [row for row in rows if row.start is None or row.start <= day[:10]]
    return begun[-1] if begun else rows[0]


def rates_for(row: PriceRow, prompt: int) -> Rates:
    """Choose the rates of a whole request by all its prompt, cached or not."""
    for tier in row.tiers:
        if prompt > tier.above:
            return tier.rates
    return row.rates
