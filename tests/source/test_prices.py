import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from unspool.source.prices import bundled, overrides

RATES = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read")
TABLE: dict[str, Any] = json.loads(bundled())
ROWS = [(model, row) for model, rows in TABLE["models"].items() for row in rows]


def rates(model: str, index: int = -1) -> tuple[float, ...]:
    row = TABLE["models"][model][index]
    return tuple(row[name] for name in RATES)


def test_every_row_prices_all_five_kinds_of_token() -> None:
    unpriced = [
        model
        for model, row in ROWS
        for part in (row, *row["tiers"])
        if not all(part[name] > 0 for name in RATES)
    ]

    assert unpriced == []


def test_the_rows_of_a_model_follow_each_other_without_a_gap() -> None:
    for rows in TABLE["models"].values():
        starts = [row["from"] for row in rows]
        ends = [row["until"] for row in rows]

        assert (starts[0], ends[-1]) == (None, None)
        assert starts[1:] == ends[:-1] == sorted(ends[:-1])


def test_every_day_in_the_table_is_a_day() -> None:
    days = [row[edge] for _, row in ROWS for edge in ("from", "until") if row[edge]]

    assert [date.fromisoformat(day).isoformat() for day in days] == days


def test_every_alias_leads_to_a_model_and_hides_none() -> None:
    assert set(TABLE["aliases"].values()) <= set(TABLE["models"])
    assert not set(TABLE["aliases"]) & set(TABLE["models"])


def test_an_hour_s_write_costs_twice_the_input_in_every_row_and_tier() -> None:
    parts = [part for _, row in ROWS for part in (row, *row["tiers"])]

    assert all(part["cache_write_1h"] == pytest.approx(2 * part["input"]) for part in parts)


def test_the_long_prompt_tier_of_opus_4_6_ends_on_its_day() -> None:
    first, second, third = TABLE["models"]["claude-opus-4-6"]

    assert (first["until"], len(first["tiers"]), second["tiers"]) == ("2026-03-13", 1, [])
    assert (second["fast"], third["from"], third["fast"]) == (6, "2026-07-24", None)


def test_haiku_5_5_has_a_tier_above_a_hundred_thousand() -> None:
    (tier,) = TABLE["models"]["claude-haiku-5-5"][0]["tiers"]

    assert rates("claude-haiku-5-5") == (0.1, 0.5, 0.125, 0.2, 0.01)
    assert tuple(tier.values()) == (100_000, 0.5, 2.5, 0.625, 1, 0.05)


def test_the_newest_reads_are_no_longer_a_tenth_of_the_input() -> None:
    reads = [rates(f"claude-{name}")[-1] for name in ("opus-5-5", "sonnet-5-5", "fable-5-1")]

    assert reads == [0.2, 0.1, 0.25]


def test_claude_devtools_rates_have_four_fields_and_a_tier_or_none() -> None:
    row = TABLE["devtools"]["claude-sonnet-4-5"]

    assert row["above_200k"] == {"input": 6, "output": 22.5, "write": 7.5, "read": 0.6}
    assert TABLE["devtools"]["claude-haiku-4-5"]["above_200k"] is None
    assert "claude-sonnet-4" not in TABLE["devtools"]


def test_the_user_s_own_prices_are_given_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_bytes(b"[models")

    assert overrides(tmp_path) == b"[models"


def test_without_own_prices_there_are_none(tmp_path: Path) -> None:
    assert overrides(tmp_path) is None
