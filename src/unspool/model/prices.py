"""What tokens cost: integers of 1e-12 USD per token, so that sums never round."""

from msgspec import Struct


class Rates(Struct, frozen=True, gc=False):
    """Prices of one token of each kind; cache writes by how long they live."""

    input: int = 0
    output: int = 0
    write_5m: int = 0
    write_1h: int = 0
    read: int = 0


class Tier(Struct, frozen=True, gc=False):
    """The rates of a whole request whose prompt is longer than `above` tokens."""

    above: int
    rates: Rates


class PriceRow(Struct, frozen=True, gc=False):
    """One model's prices for the days from `start`, up to but without `until`; None is open."""

    rates: Rates
    start: str | None = None
    until: str | None = None
    tiers: tuple[Tier, ...] = ()  # the longest prompts first
    fast: int | None = None  # tenths: 20 doubles the price; None: not offered
    context: int = 0  # tokens the model can read; 0: not known


class FieldRates(Struct, frozen=True, gc=False):
    """Prices in claude-devtools' four fields."""

    input: int = 0
    output: int = 0
    write: int = 0
    read: int = 0


class DevtoolsRow(Struct, frozen=True, gc=False):
    """`above` holds for the tokens of one field beyond 200,000 in one message."""

    rates: FieldRates
    above: FieldRates | None = None


class PriceTable(Struct, frozen=True, gc=False):
    """Every price we know; the rows of a model are in the order of their dates."""

    models: dict[str, tuple[PriceRow, ...]] = {}
    devtools: dict[str, DevtoolsRow] = {}
    aliases: dict[str, str] = {}
    geo: dict[str, int] = {}  # tenths, by inference_geo
    web_search: int = 0  # 1e-12 USD per request
    updated: str = ""
    trouble: tuple[str, ...] = ()  # what of the user's own prices could not be used
