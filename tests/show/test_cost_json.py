import pytest

from unspool.model.usage import CostBlock, CostRow, Pace, Report, Spend
from unspool.show.cost_json import LISTS, Document, blocks_document, document, iso

NOON = 1_769_860_800_000
SPEND = Spend(1, 2, 3, 4, 0, 15 * 10**11, 0, 0, 5, NOON, NOON + 1_500)
FREE = Spend(1, 1, 1, 1, 0, 0, 2, 1, 2)
PACE = Pace(128.4, 5.3, 0.5, 55, 900, 1.25)


def made(spend: Spend = SPEND, kind: str = "daily") -> Document:
    row = CostRow("name", spend, {"opus": spend}, "-repo")
    return document(Report([row], row), kind)


def test_a_row_has_ccusage_s_names() -> None:
    (row,) = made()["daily"]

    assert row == {
        "date": "name",
        "period": "name",
        "agent": "all",
        "metadata": {"agents": ["claude"]},
        "inputTokens": 1,
        "outputTokens": 2,
        "cacheCreationTokens": 4,
        "cacheReadTokens": 3,
        "totalTokens": 10,
        "totalCost": 1.5,
        "unpriced": [],
        "lowerBound": False,
        "responses": 5,
        "modelsUsed": ["opus"],
        "modelBreakdowns": [
            {
                "modelName": "opus",
                "inputTokens": 1,
                "outputTokens": 2,
                "cacheCreationTokens": 4,
                "cacheReadTokens": 3,
                "cost": 1.5,
            }
        ],
    }


def test_totals_are_of_all_rows() -> None:
    assert made()["totals"] == {
        "inputTokens": 1,
        "outputTokens": 2,
        "cacheCreationTokens": 4,
        "cacheReadTokens": 3,
        "totalTokens": 10,
        "totalCost": 1.5,
        "unpriced": [],
        "lowerBound": False,
        "responses": 5,
    }


@pytest.mark.parametrize("kind", LISTS)
def test_each_report_has_its_list(kind: str) -> None:
    plural, name = LISTS[kind]
    (row,) = made(kind=kind)[plural]

    assert row[name] == "name"


def test_a_session_is_told_with_project_and_times() -> None:
    (row,) = made(kind="session")["sessions"]

    assert (row["projectId"], row["projectPath"]) == ("-repo", "-repo")
    assert row["firstActivity"] == "2026-01-31T12:00:00.000Z"
    assert row["lastActivity"] == "2026-01-31T12:00:01.500Z"
    assert (row["period"], row["agent"]) == ("name", "claude")
    assert row["metadata"] == {"lastActivity": "2026-01-31T12:00:01.500Z"}


def test_what_has_no_price_is_null_and_named() -> None:
    (row,) = made(FREE)["daily"]

    assert (row["totalCost"], row["unpriced"], row["lowerBound"]) == (None, ["opus"], True)
    assert row["modelBreakdowns"][0]["cost"] is None


def test_a_block_has_ccusage_s_names() -> None:
    block = CostBlock(NOON, NOON + 18_000_000, SPEND, ("opus",), ("lantern",), is_active=True)
    (found,) = blocks_document([block], PACE, None)["blocks"]

    assert found["id"] == found["startTime"] == "2026-01-31T12:00:00.000Z"
    assert (found["endTime"], found["actualEndTime"]) == (
        "2026-01-31T17:00:00.000Z",
        "2026-01-31T12:00:01.500Z",
    )
    assert found["tokenCounts"]["cacheReadInputTokens"] == 3
    assert (found["costUSD"], found["entries"], found["unpriced"]) == (1.5, 5, ["lantern"])
    assert found["burnRate"]["tokensPerMinute"] == 128.4
    assert found["projection"]["remainingMinutes"] == 55


def test_a_gap_has_no_end_of_its_own() -> None:
    (found,) = blocks_document([CostBlock(NOON, NOON + 1, is_gap=True)], PACE, 5)["blocks"]

    assert found["id"] == "gap-2026-01-31T12:00:00.000Z"
    assert (found["actualEndTime"], found["burnRate"]) == (None, None)
    assert "tokenLimitStatus" not in found


@pytest.mark.parametrize(
    ("limit", "status"), [(10_000, "ok"), (1_000, "warning"), (800, "exceeds")]
)
def test_a_limit_says_how_the_running_block_stands(limit: int, status: str) -> None:
    block = CostBlock(NOON, NOON + 1, SPEND, is_active=True)
    (found,) = blocks_document([block], PACE, limit)["blocks"]

    assert found["tokenLimitStatus"]["status"] == status
    assert found["tokenLimitStatus"]["percentUsed"] == 900 / limit * 100


def test_no_time_is_null() -> None:
    assert iso(0) is None
