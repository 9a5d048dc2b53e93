"""What tokens cost: integers of 1e-12 USD per token, so that sums never round.

Plain tuples: a status line must not wait for anything to load.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Rates(NamedTuple):
    """Prices of one token of each kind; cache writes by how long they live."""

    input: int = 0
    output: int = 0
    write_5m: int = 0
    write_1h: int = 0
    read: int = 0


class Tier(NamedTuple):
    """The rates of a whole request whose prompt is longer than `above` tokens."""

    above: int
    rates: Rates


class PriceRow(NamedTuple):
    """One model's prices for the days from `start`, up to but without `until`; None is open."""

    rates: Rates
    start: str | None = None
    until: str | None = None
    tiers: tuple[Tier, ...] = ()  # the longest prompts first
    fast: int | None = None  # tenths: 20 doubles the price; None: not offered
    context: int = 0  # tokens the model can read; 0: not known


class FieldRates(NamedTuple):
    """Prices in claude-devtools' four fields."""

    input: int = 0
    output: int = 0
    write: int = 0
    read: int = 0


class DevtoolsRow(NamedTuple):
    """`above` holds for the tokens of one field beyond 200,000 in one message."""

    rates: FieldRates
    above: FieldRates | None = None


class PriceTable(NamedTuple):
    """Every price we know; the rows of a model are in the order of their dates."""

    models: Mapping[str, tuple[PriceRow, ...]] = MappingProxyType({})
    devtools: Mapping[str, DevtoolsRow] = MappingProxyType({})
    aliases: Mapping[str, str] = MappingProxyType({})
    geo: Mapping[str, int] = MappingProxyType({})  # tenths, by inference_geo
    web_search: int = 0  # 1e-12 USD per request
    updated: str = ""
    trouble: tuple[str, ...] = ()  # what of the user's own prices could not be used
