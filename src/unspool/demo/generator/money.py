"""Tokens -> picodollars, counted apart from the ledger so that each can check the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

_PICO = 1_000_000_000_000
_RATE = 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one API response."""

    input: int = 0
    output: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    unsplit: int = 0
    searches: int = 0
    fast: bool = False
    us: bool = False

    @property
    def written(self) -> int:
        """Tokens written to the cache, of either lifetime or of none told."""
        return self.write_5m + self.write_1h + self.unsplit

    @property
    def prompt(self) -> int:
        """Tokens that went in."""
        return self.input + self.read + self.written


class Prices:
    """A dated price table: USD per million tokens, in rows per model."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._models: Mapping[str, Any] = table["models"]
        self._aliases: Mapping[str, str] = table.get("aliases", {})
        self._us = Decimal(str(table["geo"]["us"]))
        self._search = _pico(table["web_search_usd"], _PICO)

    def cost(self, model: str, day: str, usage: Usage) -> int | None:
        """Price a response on its day; None when nobody knows the model."""
        rows = self._models.get(model) or self._models.get(self._aliases.get(model, ""))
        if not rows:
            return None
        row = [row for row in rows if (row.get("from") or "") <= day][-1]
        rates = row
        for tier in sorted(row.get("tiers") or (), key=lambda tier: int(tier["above"])):
            rates = tier if usage.prompt > tier["above"] else rates
        total = (
            usage.input * _pico(rates["input"])
            + usage.output * _pico(rates["output"])
            + usage.read * _pico(rates["cache_read"])
            + (usage.write_5m + usage.unsplit) * _pico(rates["cache_write_5m"])
            + usage.write_1h * _pico(rates["cache_write_1h"])
        )
        if usage.fast:
            total = int(total * Decimal(str(row.get("fast") or 1)))
        if usage.us:
            total = int(total * self._us)
        return total + usage.searches * self._search


@cache
def _pico(rate: float | None, unit: int = _RATE) -> int:
    return int(Decimal(str(rate or 0)) * unit)
