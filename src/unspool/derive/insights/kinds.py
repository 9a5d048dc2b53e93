"""Responses -> what reading, writing and answering cost, each priced as its response was."""

from collections.abc import Iterable
from typing import Final

from unspool.derive.usage.prices import Pricer, rates_for
from unspool.model.insights import Cause, ResponseFact
from unspool.model.prices import PriceRow, PriceTable

NAMES: Final = ("Reading the cache", "Answers", "Writing the cache", "New input", "Web searches")


class Kinds:
    """One price table, asked for every response."""

    def __init__(self, table: PriceTable) -> None:
        self._table = table
        self._row_of = Pricer(table).row

    def sums(self, responses: Iterable[ResponseFact]) -> list[Cause]:
        """The dearest first; what has no price is in none."""
        sums = dict.fromkeys(NAMES, 0)
        for one in responses:
            for name, pico in zip(NAMES, self._parts(one), strict=True):
                sums[name] += pico
        made = (Cause(name=name, pico=pico) for name, pico in sums.items() if pico)
        return sorted(made, key=lambda one: -one.pico)

    def price(self, one: ResponseFact, tokens: int, is_write: bool) -> int | None:
        """What writing or reading some tokens costs at the rates of a response."""
        row = self._row(one)
        if row is None:
            return None
        rate = rates_for(row, one.prompt)
        write = rate.write_1h if one.write_1h else rate.write_5m
        return self._scaled(one, row, tokens * (write if is_write else rate.read))

    def _parts(self, one: ResponseFact) -> tuple[int, int, int, int, int]:
        row = self._row(one)
        if row is None or one.pico is None:
            return 0, 0, 0, 0, 0
        rate = rates_for(row, one.prompt)
        written = (one.cache_write - one.write_1h) * rate.write_5m + one.write_1h * rate.write_1h
        parts = (
            one.cache_read * rate.read,
            one.output_tokens * rate.output,
            written,
            one.input_tokens * rate.input,
        )
        reading, answers, writing, new = (self._scaled(one, row, part) for part in parts)
        return reading, answers, writing, new, one.web_searches * self._table.web_search

    def _scaled(self, one: ResponseFact, row: PriceRow, pico: int) -> int:
        fast = row.fast if one.speed == "fast" and row.fast is not None else 10
        return pico * fast * self._table.geo.get(one.geo, 10) // 100

    def _row(self, one: ResponseFact) -> PriceRow | None:
        return self._row_of(one.model, one.at)
