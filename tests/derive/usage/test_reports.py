from datetime import date

import pytest

from unspool.derive.usage.reports import (
    blocks,
    build_report,
    group_names,
    period_names,
    sort_by_cost,
    sum_spend,
)
from unspool.model.usage import UNKNOWN_AGENT, Spend, TotalRow

DAY, QUARTER = 86_400_000, 900_000
NEW_YEAR = 1_767_225_600_000  # a Thursday


def total(at: int = NEW_YEAR, model: str = "opus", pico: int = 10, **more: int | str) -> TotalRow:
    """A sum of one response."""
    counts = (1, 2, 3, 4, 0, pico, more.get("unpriced", 0), 0, 1, at, at)
    return (at, more.get("project", "-repo"), more.get("session", "s1"), "", model, *counts)


def utc(ms: int) -> int:
    return ms // DAY


def names(kind: str, *days: int, week: str = "sunday") -> list[str]:
    totals = [total(NEW_YEAR + day * DAY) for day in days]
    found = build_report(totals, period_names(kind, utc, week))
    return [row.name for row in found.rows]


def test_days_come_in_their_order() -> None:
    assert names("daily", 2, 0, 0) == ["2026-01-01", "2026-01-03"]


def test_a_day_is_the_reader_s() -> None:
    name = period_names("daily", lambda ms: (ms + 3_600_000) // DAY)
    late = build_report([total(NEW_YEAR - QUARTER)], name)

    assert late.rows[0].name == "2026-01-01"


@pytest.mark.parametrize(
    ("week", "expected"),
    [
        ("sunday", ["2025-12-28", "2026-01-04"]),
        ("monday", ["2025-12-29", "2026-01-05"]),
        ("thursday", ["2026-01-01"]),
    ],
)
def test_a_week_is_called_by_its_first_day(week: str, expected: list[str]) -> None:
    assert names("weekly", 0, 5, week=week) == expected


def test_months_are_told_without_days() -> None:
    assert names("monthly", -1, 0, 30, 31) == ["2025-12", "2026-01", "2026-02"]


def test_what_has_no_time_is_undated() -> None:
    assert build_report([total(0)], period_names("daily", utc)).rows[0].name == "undated"


def test_a_session_is_told_with_its_project() -> None:
    totals = [total(session="a"), total(session="a", project="-other"), total(session="b")]
    found = build_report(totals, group_names("session"))

    assert [(row.name, row.project) for row in found.rows] == [
        ("a", "-other"),
        ("a", "-repo"),
        ("b", "-repo"),
    ]


@pytest.mark.parametrize(("kind", "name"), [("project", "-repo"), ("model", "opus")])
def test_projects_and_models_are_told_by_name(kind: str, name: str) -> None:
    assert [row.name for row in build_report([total(), total()], group_names(kind)).rows] == [name]


def test_a_model_without_a_name_has_one_in_a_report() -> None:
    assert build_report([total(model="")], group_names("model")).rows[0].name == "unknown"


def test_rows_and_the_total_add_up() -> None:
    totals = [total(), total(model="haiku", pico=5), total(NEW_YEAR + DAY, pico=7)]
    found = build_report(totals, period_names("daily", utc))

    assert [row.spend.pico for row in found.rows] == [15, 7]
    assert (found.total.spend.pico, found.total.spend.responses) == (22, 3)
    assert found.total.spend.tokens == sum(row.spend.tokens for row in found.rows) == 30


@pytest.mark.parametrize("kind", ["session", "project", "model"])
def test_an_agent_of_which_nothing_is_known_is_counted_and_is_no_model(kind: str) -> None:
    found = build_report([total(), total(model=UNKNOWN_AGENT, pico=0)], group_names(kind))

    assert [list(row.models) for row in found.rows] == [["opus"]]
    assert (list(found.total.models), found.total.unknown_agents) == (["opus"], 1)
    assert found.total.spend.responses == 2


def test_nor_is_it_one_in_a_block() -> None:
    (block,) = blocks([total(), total(model=UNKNOWN_AGENT, pico=0)], NEW_YEAR)

    assert block.models == ("opus",)


def test_the_dearest_model_of_a_row_comes_first() -> None:
    totals = [total(model="a", pico=1), total(model="b", pico=9)]
    found = build_report(totals, period_names("daily", utc))

    assert list(found.rows[0].models) == ["b", "a"]


def test_the_dearest_row_comes_first_or_last() -> None:
    found = build_report([total(model="a", pico=1), total(model="b", pico=9)], group_names("model"))

    assert [row.name for row in sort_by_cost(found).rows] == ["b", "a"]
    assert [row.name for row in sort_by_cost(found, descending=False).rows] == ["a", "b"]


def test_nothing_adds_up_to_nothing() -> None:
    assert sum_spend([]) == Spend()
    assert build_report([], period_names("daily", utc)).rows == []


def test_a_span_is_from_the_first_known_time_to_the_last() -> None:
    spends = [total(at)[5:] for at in (0, NEW_YEAR + 5, NEW_YEAR)]

    assert sum_spend(spends)[-2:] == (NEW_YEAR, NEW_YEAR + 5)


def test_an_unpriced_sum_is_not_free() -> None:
    unpriced = build_report([total(pico=0, unpriced=1)], group_names("model")).total.spend
    free = build_report([total(pico=0)], group_names("model")).total.spend

    assert (unpriced.usd, free.usd) == (None, 0.0)


def test_the_new_year_of_these_tests_is_one() -> None:
    assert date.fromordinal(date(1970, 1, 1).toordinal() + utc(NEW_YEAR)) == date(2026, 1, 1)
