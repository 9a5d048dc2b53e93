"""One response and the bundled prices as plain JSON -> what it costs, without loading the model.

It says what `cost.cost` says: a test goes through every row of the table.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from unspool.derive.money import names
from unspool.model.statusline import Used

_PICO_PER_MTOK = 1_000_000
_PICO_PER_USD = 10**12


def price(used: Used, model: str, at: int, table: Mapping[str, Any]) -> int | None:
    """Price one response; None where its model has no known price."""
    rows = names.find(model, table["models"], table["aliases"])
    if not rows:
        return None
    day = datetime.fromtimestamp(at / 1_000, UTC).date().isoformat()
    row = [row for row in rows if (row["from"] or "") <= day or row is rows[0]][-1]
    rates = _rates(row, used.input + used.read + used.write)
    unsaid = max(0, used.write - used.write_5m - used.write_1h)
    total = (
        used.input * _pico(rates["input"])
        + used.output * _pico(rates["output"])
        + used.read * _pico(rates["cache_read"])
        + (used.write_5m + unsaid) * _pico(rates["cache_write_5m"])
        + used.write_1h * _pico(rates["cache_write_1h"])
    )
    fast = row["fast"] if used.speed == "fast" and row["fast"] else 1
    tenths: int = round(fast * 10) * round(table["geo"].get(used.geo, 1) * 10)
    search: int = round(table["web_search_usd"] * _PICO_PER_USD)
    return total * tenths // 100 + used.searches * search


def _rates(row: Mapping[str, Any], prompt: int) -> Mapping[str, Any]:
    """The rates of a whole request by all its prompt, cached or not."""
    tiers = [tier for tier in row["tiers"] if prompt > tier["above"]]
    return max(tiers, key=lambda tier: float(tier["above"]), default=row)


def _pico(usd_per_mtok: float) -> int:
    return round(usd_per_mtok * _PICO_PER_MTOK)
