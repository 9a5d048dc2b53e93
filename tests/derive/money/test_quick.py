import json
from itertools import product

import pytest

from unspool.decode.prices import price_table
from unspool.derive.money.cost import cost
from unspool.derive.money.quick import price
from unspool.derive.reading.clock import millis
from unspool.model.message import Tokens
from unspool.model.statusline import Used
from unspool.source.prices import bundled

PLAIN = json.loads(bundled())
TABLE = price_table(bundled())
ROWS = [row for rows in PLAIN["models"].values() for row in rows]
DAYS = {"2024-01-01", "2026-11-15"} | {row["from"] for row in ROWS if row["from"]}
TIMES = ("00:00:00.000", "23:59:59.999")
MOMENTS = [millis(f"{day}T{time}Z") or 0 for day in sorted(DAYS) for time in TIMES]
SIZES = (0, 1, 99_990, 100_000, 199_990, 200_000, 250_001)
BESIDES = Used(output=7, read=11, write=5, write_5m=2, write_1h=1, searches=3)
USES = [
    BESIDES._replace(input=size, speed=speed, geo=geo)
    for size, speed, geo in product(SIZES, ("", "fast", "standard"), ("", "us", "elsewhere"))
]


@pytest.mark.parametrize("model", PLAIN["models"])
def test_it_says_what_the_ledger_says_of_every_model_day_and_size(model: str) -> None:
    for used, at in product(USES, MOMENTS):
        assert price(used, model, at, PLAIN) == cost(Tokens(*used), model, at, TABLE)


@pytest.mark.parametrize(
    "model", [*PLAIN["aliases"], "claude-opus-5[1m]", "CLAUDE-OPUS-5", "", "gpt"]
)
def test_it_knows_a_model_by_all_its_names(model: str) -> None:
    used, at = Used(input=10, output=20), MOMENTS[-1]

    assert price(used, model, at, PLAIN) == cost(Tokens(*used), model, at, TABLE)
