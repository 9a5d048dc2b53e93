from datetime import UTC

import pytest

from unspool.engine.sessions.grouping import Grouping
from unspool.engine.usage.cost import BlockQuery, CostQuery, block_report, cost_report, matching
from unspool.errors import ConfigError
from unspool.model.usage import TotalRow

HOUR = 3_600_000
DAY = 24 * HOUR
NOW = 1_768_404_600_000  # 2026-01-14T15:30Z


def total(at: int, usd: int, project: str = "-a", model: str = "opus") -> TotalRow:
    counts = 10, 0, 0, 0, 0, usd * 10**12, 0, 0, 1
    return at, project, f"s-{project}", "", model, *counts, at, at


TOTALS = [
    total(NOW - DAY, 5),
    total(NOW - HOUR, 2, project="-b"),
    total(NOW, 3, project="-b", model="haiku"),
]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        (CostQuery(), 3),
        (CostQuery(project="B"), 2),
        (CostQuery(model="hai"), 1),
        (CostQuery(since=NOW - HOUR), 2),
        (CostQuery(until=NOW - HOUR), 1),
        (CostQuery(since=NOW + 1), 0),
    ],
)
def test_a_query_selects_sums(query: CostQuery, count: int) -> None:
    assert len(matching(TOTALS, query, Grouping)) == count


def test_what_has_no_time_is_before_nothing() -> None:
    assert matching([total(0, 1)], CostQuery(until=NOW), Grouping) == []


def test_by_project_checkouts_are_summed_unless_asked_for_separately() -> None:
    totals = [total(NOW, 5), total(NOW, 2, project="-a--claude-worktrees-x")]
    whole, each = (CostQuery("project", separate=separate) for separate in (False, True))

    assert [t[1] for t in matching(totals, whole, Grouping)] == ["-a", "-a"]
    assert matching(totals, each, Grouping) == totals
    assert matching(totals, CostQuery("session"), Grouping) == totals


def test_days_come_in_order_and_can_be_turned_round() -> None:
    rows = cost_report(TOTALS, CostQuery(zone=UTC)).rows

    assert [(row.name, row.spend.usd) for row in rows] == [("2026-01-13", 5.0), ("2026-01-14", 5.0)]
    assert cost_report(TOTALS, CostQuery(zone=UTC, ascending=False)).rows == rows[::-1]


@pytest.mark.parametrize(("ascending", "first"), [(None, "opus"), (False, "opus"), (True, "haiku")])
def test_what_costs_most_is_first_unless_asked_otherwise(
    ascending: bool | None, first: str
) -> None:
    report = cost_report(TOTALS, CostQuery("model", ascending=ascending))

    assert report.rows[0].name == first
    assert report.total.spend.usd == 10.0


def test_the_active_block_has_a_pace() -> None:
    report = block_report(TOTALS, NOW, BlockQuery())

    assert [block.is_gap for block in report.blocks] == [False, True, False]
    assert report.active == report.blocks[-1]
    assert report.pace is not None


def test_blocks_can_be_narrowed() -> None:
    assert len(block_report(TOTALS, NOW, BlockQuery(only_active=True)).blocks) == 1
    assert block_report(TOTALS, NOW + 9 * DAY, BlockQuery(only_recent=True)).blocks == []


@pytest.mark.parametrize(("text", "limit"), [("", None), ("700", 700), ("max", 10)])
def test_a_token_limit_is_a_number_or_the_largest_block(text: str, limit: int | None) -> None:
    assert block_report(TOTALS, NOW, BlockQuery(token_limit=text)).token_limit == limit


@pytest.mark.parametrize("text", ["some", "0", "-1"])
def test_any_other_token_limit_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="token limit"):
        block_report(TOTALS, NOW, BlockQuery(token_limit=text))
