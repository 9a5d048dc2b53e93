"""Tokens of one response -> money, in integers of 1e-12 USD so that sums never round."""

from collections.abc import Sequence

from unspool.derive.reading.clock import iso
from unspool.derive.usage import names
from unspool.model.prices import FieldRates, PriceRow, PriceTable, Rates
from unspool.model.usage import Mode, Tokens, UsageRow

PICO = 10**12
DEVTOOLS_TIER = 200_000
# Far past any true price of one response: made-up counts and prices must not drown a sum.
MOST_PICO = 1_000 * PICO
_DAY = 86_400_000


class Pricer:
    """A price table, asked often: the row for a model and a day is looked up once."""

    def __init__(self, table: PriceTable, mode: Mode = "billing") -> None:
        self.table = table
        self._mode = mode
        self._rows: dict[tuple[str, int], PriceRow | None] = {}

    def price(self, tokens: Tokens, model: str, at: int | None) -> int | None:
        """What one response costs, in picodollars; None where its model has no known price."""
        if self._mode == "devtools":
            return _devtools(tokens, model, self.table)
        row = self.row(model, at)
        return None if row is None else billed(tokens, row, self.table)

    def price_of(self, row: UsageRow) -> int | None:
        """What a response costs by all its lines: at the time of the earliest."""
        return self.price(row.tokens, row.model, row.timestamp)

    def row(self, model: str, at: int | None) -> PriceRow | None:
        """The prices of a model on a day."""
        key = (model, -1 if at is None else at // _DAY)
        try:
            return self._rows[key]
        except KeyError:
            found = names.find(model, self.table.models, self.table.aliases)
            row = self._rows[key] = row_at(found, at) if found else None
            return row

    def window(self, model: str, at: int | None) -> int | None:
        """How many tokens a model can read; None where that is not known."""
        row = self.row(model, at)
        return (row.context or None) if row else None


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


def billed(tokens: Tokens, row: PriceRow, table: PriceTable) -> int:
    """Price one response by the row in force: the whole request at one tier's rates."""
    rate = rates_for(row, tokens.prompt)
    # Claude Code, too, takes a write of unknown lifetime for a short one.
    unsaid = max(0, tokens.cache_write - tokens.write_5m - tokens.write_1h)
    total = (
        tokens.input * rate.input
        + tokens.output * rate.output
        + tokens.cache_read * rate.read
        + (tokens.write_5m + unsaid) * rate.write_5m
        + tokens.write_1h * rate.write_1h
    )
    fast = row.fast if tokens.speed == "fast" and row.fast is not None else 10
    geo = table.geo.get(tokens.geo, 10)
    return min(MOST_PICO, total * fast * geo // 100 + tokens.web_searches * table.web_search)


def usd(pico: int) -> float:
    """Say it in dollars."""
    return pico / PICO


def pico(usd: float) -> int:
    """Take dollars back to the integers they came from, exact to some thousands."""
    return round(usd * PICO)


def _devtools(tokens: Tokens, model: str, table: PriceTable) -> int | None:
    """As claude-devtools counted: rates without dates, a tier for each field."""
    if not model:
        return 0
    row = names.same(model, table.devtools)
    if row is None:
        return None
    return min(MOST_PICO, _fields(tokens, row.rates, row.above or row.rates))


def _fields(tokens: Tokens, base: FieldRates, above: FieldRates) -> int:
    return (
        _tiered(tokens.input, base.input, above.input)
        + _tiered(tokens.output, base.output, above.output)
        + _tiered(tokens.cache_write, base.write, above.write)
        + _tiered(tokens.cache_read, base.read, above.read)
    )


def _tiered(count: int, base: int, above: int) -> int:
    over = max(0, count - DEVTOOLS_TIER)
    return max(0, count - over) * base + over * above
