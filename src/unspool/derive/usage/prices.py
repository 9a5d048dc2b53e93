"""Tokens of one response -> its price, in picodollars (1e-12 USD) so that sums never round."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from unspool.derive.reading.clock import iso
from unspool.model.prices import FieldRates, PriceRow, PriceTable, Rates
from unspool.model.usage import UNKNOWN_AGENT, WEB_SEARCH, Mode, Tokens, UsageRow

PICO = 10**12
DEVTOOLS_TIER = 200_000
# Far above any real price of one response: invalid counts or prices must not dominate a sum.
MOST_PICO = 1_000 * PICO
_DAY = 86_400_000

Priced = TypeVar("Priced")

# One model has many names, by cloud, region, date and context window.
_WINDOW = re.compile(r"\[\d+[km]\]$")
_PROVIDER = re.compile(r"^(?:.*/)?(?:(?:[a-z-]+\.)?anthropic\.)?")
_REVISION = re.compile(r"-v\d+(?::\w+)*$")
_DATE = re.compile(r"-(?:\d{8}|latest|default)$")


class PriceParts(NamedTuple):
    """What one response cost by kind of token, in picodollars; together they are its price."""

    read: int = 0
    output: int = 0
    write: int = 0
    input: int = 0
    searches: int = 0


class Pricer:
    """Prices responses by a table; the row for a model and a day is looked up once."""

    def __init__(self, table: PriceTable, mode: Mode = "billing") -> None:
        self.table = table
        self._mode = mode
        self._rows: dict[tuple[str, int], PriceRow | None] = {}

    def price(self, tokens: Tokens, model: str, at: int | None) -> int | None:
        """The price of one response in picodollars; None where its model has no known price."""
        if model == UNKNOWN_AGENT:
            return 0  # nothing is known of it: sums that count it say "at least"
        if self._mode == "devtools":
            return _devtools(tokens, model, self.table)
        if model == WEB_SEARCH:
            return tokens.web_searches * self.table.web_search
        row = self.row(model, at)
        return None if row is None else price_response(tokens, row, self.table)

    def price_of(self, row: UsageRow) -> int | None:
        """The price of a response at the time of its earliest line."""
        return self.price(row.tokens, row.model, row.timestamp)

    def parts(self, row: UsageRow) -> PriceParts:
        """Where the price of a response comes from; nothing where it has none."""
        prices = self.row(row.model, row.timestamp) if self._mode == "billing" else None
        if prices is None:
            return PriceParts(output=row.usd_pico or 0)
        return price_parts(row.tokens, prices, self.table)

    def rewrite_price(self, row: UsageRow, lost: int) -> int:
        """What it cost beyond reading them to write these tokens of a response once more."""
        prices = self.row(row.model, row.timestamp)
        return 0 if prices is None else rewrite_price(lost, row.tokens, prices, self.table)

    def row(self, model: str, at: int | None) -> PriceRow | None:
        """The prices of a model on a day."""
        key = (model, -1 if at is None else at // _DAY)
        try:
            return self._rows[key]
        except KeyError:
            rows = find_prices(model, self.table.models, self.table.aliases)
            row = self._rows[key] = row_at(rows, at) if rows else None
            return row

    def window(self, model: str, at: int | None) -> int | None:
        """The context window of a model in tokens; None where it is unknown."""
        row = self.row(model, at)
        return (row.context or None) if row else None


def row_at(rows: Sequence[PriceRow], at: int | None) -> PriceRow:
    """Choose the row in force on a UTC day; before all rows the first, without a time the last."""
    day = iso(at) if len(rows) > 1 else None
    if day is None:
        return rows[-1]
    past = [row for row in rows if row.start is None or row.start <= day[:10]]
    return past[-1] if past else rows[0]


def rates_for(row: PriceRow, prompt: int) -> Rates:
    """Choose the rates of a whole request by all its prompt, cached or not."""
    for tier in row.tiers:
        if prompt > tier.above:
            return tier.rates
    return row.rates


def price_response(tokens: Tokens, row: PriceRow, table: PriceTable) -> int:
    """Price one response by the row in force: the whole request at one tier's rates."""
    total = sum(_amounts(tokens, row))
    return min(
        MOST_PICO,
        total * _factor(tokens, row, table) // 100 + tokens.web_searches * table.web_search,
    )


def price_parts(tokens: Tokens, row: PriceRow, table: PriceTable) -> PriceParts:
    """The price of one response by kind of token; what rounding leaves over counts as output."""
    factor = _factor(tokens, row, table)
    read, output, write, input = (part * factor // 100 for part in _amounts(tokens, row))
    searches = tokens.web_searches * table.web_search
    whole = price_response(tokens, row, table)
    if whole == MOST_PICO:
        return PriceParts(output=whole)
    output = whole - read - write - input - searches
    return PriceParts(read, output, write, input, searches)


def rewrite_price(lost: int, tokens: Tokens, row: PriceRow, table: PriceTable) -> int:
    """What it cost beyond reading them to write these tokens of a response once more."""
    rate = rates_for(row, tokens.prompt)
    write = rate.write_1h if tokens.write_1h else rate.write_5m
    return max(0, lost * (write - rate.read)) * _factor(tokens, row, table) // 100


def _amounts(tokens: Tokens, row: PriceRow) -> tuple[int, int, int, int]:
    """Cache reads, output, cache writes and other input, before factors."""
    rate = rates_for(row, tokens.prompt)
    # Claude Code, too, takes a write of unknown lifetime for a short one.
    unknown = max(0, tokens.cache_write - tokens.write_5m - tokens.write_1h)
    return (
        tokens.cache_read * rate.read,
        tokens.output * rate.output,
        (tokens.write_5m + unknown) * rate.write_5m + tokens.write_1h * rate.write_1h,
        tokens.input * rate.input,
    )


def _factor(tokens: Tokens, row: PriceRow, table: PriceTable) -> int:
    """Hundredths: what fast answers and the region make of a price."""
    fast = row.fast if tokens.speed == "fast" and row.fast is not None else 10
    return fast * table.geo.get(tokens.geo, 10)


def usd(pico: int) -> float:
    return pico / PICO


def pico(usd: float) -> int:
    """The picodollars of an amount; exact up to some thousands of dollars."""
    return round(usd * PICO)


def _devtools(tokens: Tokens, model: str, table: PriceTable) -> int | None:
    """The price by the rules of claude-devtools: rates without dates, a tier for each field."""
    if not model or model == WEB_SEARCH:
        return 0
    row = find_exact(model, table.devtools)
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


def find_exact(model: str, prices: Mapping[str, Priced]) -> Priced | None:
    """Find a model by its exact name, else regardless of case."""
    if (price := prices.get(model)) is not None:
        return price
    return {name.lower(): value for name, value in prices.items()}.get(model.lower())


def find_prices(
    model: str, prices: Mapping[str, Priced], aliases: Mapping[str, str]
) -> Priced | None:
    """Find a model under any of its names, the exact one first."""
    price = prices.get(model) or prices.get(aliases.get(model, ""))
    if price is not None:
        return price
    folded = {name.lower(): value for name, value in prices.items()}
    for name in model_names(model):
        price = folded.get(name) or folded.get(aliases.get(name, "").lower())
        if price is not None:
            return price
    return None


def model_names(model: str) -> list[str]:
    """The names a model may be priced under: its own, then without cloud, revision and date."""
    name = model.strip().lower()
    bare = _REVISION.sub("", _PROVIDER.sub("", _WINDOW.sub("", name)))
    dated = bare.replace("@", "-")
    return [name, bare, dated, _DATE.sub("", dated)]
