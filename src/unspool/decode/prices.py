"""Price files -> one table in whole numbers: the bundled JSON under the user's own TOML."""

import json
from collections.abc import Iterator
from datetime import date
from typing import Any, overload

from unspool.json_depth import shallow
from unspool.model.prices import DevtoolsRow, FieldRates, PriceRow, PriceTable, Rates, Tier

_PICO_PER_MTOK = 1_000_000  # a dollar per million tokens is a million picodollars per token
_PICO_PER_USD = 10**12
_MOST = 10**9  # no price, window or factor is larger

# Published shares of the input price, for cache prices that a row leaves out.
_WRITE_5M, _WRITE_1H, _READ = 1.25, 2.0, 0.1


def price_table(data: bytes, overrides: bytes | None = None) -> PriceTable:
    """Read the bundled prices, then the user's over them; what is unusable is left out."""
    ours = _table(_json(data))
    if overrides is None:
        return ours
    import tomllib  # noqa: PLC0415 - few have prices of their own, and all would wait for it

    try:
        mine = _table(tomllib.loads(overrides.decode("utf-8-sig")))
    except (ValueError, RecursionError) as error:
        return _over(ours, PriceTable(trouble=(f"prices.toml cannot be read: {error}",)))
    return _over(ours, mine)


def _json(data: bytes) -> Any:
    try:
        return json.loads(shallow(data))
    except (ValueError, RecursionError):
        return None


def _over(ours: PriceTable, mine: PriceTable) -> PriceTable:
    return PriceTable(
        models={**ours.models, **mine.models},
        devtools={**ours.devtools, **mine.devtools},
        aliases={**ours.aliases, **mine.aliases},
        geo={**ours.geo, **mine.geo},
        web_search=mine.web_search or ours.web_search,
        updated=ours.updated,
        trouble=mine.trouble,
    )


def _table(source: Any) -> PriceTable:
    found = _dict(source)
    models = {name: tuple(_rows(rows)) for name, rows in _dict(found.get("models")).items()}
    devtools = {name: _devtools(row) for name, row in _dict(found.get("devtools")).items()}
    aliases = _dict(found.get("aliases"))
    geo = {name: _whole(factor, 10) for name, factor in _dict(found.get("geo")).items()}
    return PriceTable(
        models={name: rows for name, rows in models.items() if rows},
        devtools={name: row for name, row in devtools.items() if row is not None},
        aliases={name: alias for name, alias in aliases.items() if isinstance(alias, str)},
        geo={name: factor for name, factor in geo.items() if factor is not None},
        web_search=_whole(found.get("web_search_usd"), _PICO_PER_USD) or 0,
        updated=_day(found.get("updated")) or "",
        trouble=tuple(f"{name} has no usable prices" for name, rows in models.items() if not rows),
    )


def _rows(source: Any) -> list[PriceRow]:
    rows = [_row(row) for row in (source if isinstance(source, list) else [source])]
    return sorted((row for row in rows if row), key=lambda row: row.start or "")


def _row(source: Any) -> PriceRow | None:
    found = _dict(source)
    rates = _rates(found)
    if rates is None:
        return None
    return PriceRow(
        rates=rates,
        start=_day(found.get("from")),
        until=_day(found.get("until")),
        tiers=tuple(sorted(_tiers(found.get("tiers")), key=lambda tier: -tier.above)),
        fast=_whole(found.get("fast"), 10),
        context=_whole(found.get("context"), 1) or 0,
    )


def _tiers(source: Any) -> Iterator[Tier]:
    for found in source if isinstance(source, list) else []:
        rates, above = _rates(_dict(found)), _whole(_dict(found).get("above"), 1)
        if rates is not None and above is not None:
            yield Tier(above, rates)


def _rates(found: dict[str, Any]) -> Rates | None:
    asked, answered = _price(found, "input"), _price(found, "output")
    if asked is None or answered is None:
        return None
    return Rates(
        input=asked,
        output=answered,
        write_5m=_price(found, "cache_write_5m", round(asked * _WRITE_5M)),
        write_1h=_price(found, "cache_write_1h", round(asked * _WRITE_1H)),
        read=_price(found, "cache_read", round(asked * _READ)),
    )


def _devtools(source: Any) -> DevtoolsRow | None:
    found = _dict(source)
    if _price(found, "input") is None:
        return None
    rates = _field_rates(found, FieldRates())
    above = found.get("above_200k")
    return DevtoolsRow(rates, _field_rates(above, rates) if isinstance(above, dict) else None)


def _field_rates(found: dict[str, Any], missing: FieldRates) -> FieldRates:
    return FieldRates(
        input=_price(found, "input", missing.input),
        output=_price(found, "output", missing.output),
        write=_price(found, "write", missing.write),
        read=_price(found, "read", missing.read),
    )


@overload
def _price(found: dict[str, Any], name: str) -> int | None: ...


@overload
def _price(found: dict[str, Any], name: str, missing: int) -> int: ...


def _price(found: dict[str, Any], name: str, missing: int | None = None) -> int | None:
    price = _whole(found.get(name), _PICO_PER_MTOK)
    return missing if price is None else price


def _whole(number: Any, factor: int) -> int | None:
    if isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= _MOST:
        return round(number * factor)
    return None


def _day(source: Any) -> str | None:
    try:
        return date.fromisoformat(str(source)[:10]).isoformat()
    except ValueError:
        return None


def _dict(source: Any) -> dict[str, Any]:
    return source if isinstance(source, dict) else {}
