"""The price of a request is that of its day and of its whole prompt."""

import pytest

from tests.derive.money.books import rates
from unspool.derive.money.rates import rates_for, row_at
from unspool.derive.reading.clock import millis
from unspool.model.prices import PriceRow, Tier

OLD = PriceRow(rates(3), start="2026-01-01", until="2026-03-13")
NEW = PriceRow(rates(2), start="2026-03-13")


@pytest.mark.parametrize(
    ("at", "row"),
    [
        ("2026-01-01T00:00:00.000Z", OLD),
        ("2026-03-12T23:59:59.999Z", OLD),
        ("2026-03-13T00:00:00.000Z", NEW),
        ("2026-03-12T23:30:00.000-05:00", NEW),
        ("2030-01-01T00:00:00.000Z", NEW),
        ("2025-01-01T00:00:00.000Z", OLD),
        (None, NEW),
    ],
)
def test_a_request_takes_the_row_of_its_utc_day(at: str | None, row: PriceRow) -> None:
    assert row_at((OLD, NEW), millis(at)) is row


def test_a_model_with_one_price_has_it_on_any_day() -> None:
    assert row_at((NEW,), millis("2025-01-01T00:00:00.000Z")) is NEW


def test_a_tier_begins_above_its_limit() -> None:
    row = PriceRow(rates(1), tiers=(Tier(500, rates(3)), Tier(100, rates(2))))

    found = [rates_for(row, prompt) for prompt in (100, 101, 500, 501)]

    assert found == [rates(1), rates(2), rates(2), rates(3)]
