"""Tokens of one response -> money, in integers of 1e-12 USD so that sums never round."""

from unspool.derive.money import names, rates
from unspool.model.message import Tokens
from unspool.model.prices import FieldRates, PriceRow, PriceTable
from unspool.model.usage import Mode

PICO = 10**12
DEVTOOLS_TIER = 200_000
_MOST = 10**30  # a count of four hundred digits is not a bill, and no float holds it


def cost(
    tokens: Tokens, model: str, at: int | None, table: PriceTable, mode: Mode = "billing"
) -> int | None:
    """Price one response; None where its model has no known price."""
    if mode == "devtools":
        return _devtools(tokens, model, table)
    rows = names.find(model, table.models, table.aliases)
    return billed(tokens, rates.row_at(rows, at), table) if rows else None


def usd(pico: int) -> float:
    """Say it in dollars."""
    return min(pico, _MOST) / PICO


def pico(usd: float) -> int:
    """Take dollars back to the integers they came from, exact to some thousands."""
    return round(usd * PICO)


def billed(tokens: Tokens, row: PriceRow, table: PriceTable) -> int:
    """Price one response by the row in force: the whole request at one tier's rates."""
    rate = rates.rates_for(row, tokens.prompt)
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
    return total * fast * geo // 100 + tokens.web_searches * table.web_search


def _devtools(tokens: Tokens, model: str, table: PriceTable) -> int | None:
    if not model:
        return 0
    row = names.same(model, table.devtools)
    if row is None:
        return None
    base, above = row.rates, row.above or row.rates
    return _fields(tokens, base, above)


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
