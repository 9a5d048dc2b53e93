import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import here
from tests.engine.usage.spending import MILLION, MODEL, PRICE
from unspool.demo import Transcript

Capsys = pytest.CaptureFixture[str]
NOW = datetime.fromtimestamp(time.time(), UTC)  # noqa: TID251


@pytest.fixture
def running(root: Path) -> Path:
    """The root with a session that goes on now, too."""
    made = Transcript(session="s2", model=MODEL, start=(NOW - timedelta(minutes=2)).isoformat())
    made.says("x", usage=MILLION, id="msg_a", timestamp=_iso(2)).says(
        "y", usage=MILLION, id="msg_b", timestamp=_iso(1)
    )
    made.save(root)
    return root


def _iso(minutes: int) -> str:
    at = (NOW - timedelta(minutes=minutes)).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z")


def blocks(capsys: Capsys, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(here(capsys, "cost", "blocks", "-j", *options).out)[
        "blocks"
    ]
    return found


def test_blocks_and_the_gaps_between_them(running: Path, capsys: Capsys) -> None:
    found = blocks(capsys)

    assert [block["isGap"] for block in found] == [False, True, False]
    assert [block["costUSD"] for block in found] == [PRICE, 0.0, 2 * PRICE]


def test_only_the_one_that_runs(running: Path, capsys: Capsys) -> None:
    (block,) = blocks(capsys, "--active")

    assert block["isActive"]
    assert block["burnRate"]["tokensPerMinute"] == pytest.approx(2_000_000)


def test_only_those_of_three_days(running: Path, capsys: Capsys) -> None:
    assert [block["isActive"] for block in blocks(capsys, "--recent") if not block["isGap"]] == [
        True
    ]


@pytest.mark.parametrize(("limit", "tokens"), [("3000000", 3_000_000), ("max", 1_000_000)])
def test_a_limit_is_a_number_or_the_most_there_was(
    running: Path, capsys: Capsys, limit: str, tokens: int
) -> None:
    *_, block = blocks(capsys, "-t", limit)

    assert block["tokenLimitStatus"]["limit"] == tokens


def test_a_limit_that_is_none_is_said_so(running: Path, capsys: Capsys) -> None:
    said = here(capsys, "cost", "blocks", "-t", "some")

    assert said.code == 2
    assert "'some' is neither a number of tokens nor `max`" in said.err


def test_a_block_can_be_shorter(running: Path, capsys: Capsys) -> None:
    first, *_ = blocks(capsys, "--session-length", "2")

    assert first["endTime"] == "2026-01-31T12:00:00.000Z"


def test_the_newest_can_come_first(running: Path, capsys: Capsys) -> None:
    assert blocks(capsys, "--order", "desc") == blocks(capsys)[::-1]


def test_as_text_the_running_one_says_how_it_goes(running: Path, capsys: Capsys) -> None:
    out = here(capsys, "cost", "blocks", "-z", "UTC").out

    assert "2026-01-31 10:00 – 15:00" in out
    assert "2,000,000 tokens/min" in out


def test_where_none_runs_that_is_said(root: Path, capsys: Capsys) -> None:
    assert here(capsys, "cost", "blocks", "-a").out == "No block is active.\n"
