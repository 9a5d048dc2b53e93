"""Usage limits, from the status line to every place that shows them."""

import json
from pathlib import Path

import pytest

from tests.cli.runs import here, stores_of
from tests.cli.statuslines import answered, given, standard_input, talk
from tests.serve.served import served
from unspool.cli import config
from unspool.engine.board.feed import board_query, current_board

HOUR = 3_600_000
LIMITS = {"five_hour": 83.5, "seven_day": 41.2}


@pytest.fixture
def root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A session whose status line was told of two limits, both half gone."""
    answered(talk().user("hi"), 1).save(tmp_path)
    now = config.now()
    resets = {"five_hour": now + 2.5 * HOUR, "seven_day": now + 84 * HOUR}
    limits = {
        name: {"used_percentage": used, "resets_at": round(resets[name] / 1_000)}
        for name, used in LIMITS.items()
    }
    with standard_input(given(tmp_path, rate_limits=limits)):
        said = here(capsys, "statusline", "--root", tmp_path).out
    assert "5h " in said
    assert "7d " in said
    return tmp_path


def test_reports_board_api_and_pages_tell_the_same_limits(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = json.loads(here(capsys, "cost", "blocks", "--json", "--root", root).out)["quota"]
    board = current_board(board_query(stores_of(root))).quota
    with served(root) as site:
        answer = site.ask("/api/cost?by=blocks").json()["quota"]
        page = site.ask("/spend").text

    expected = [("5h", 83.5, 50), ("7d", 41.2, 50)]
    for found in (blocks, answer):
        told = [(one["window"], one["usedPercent"], one["elapsedPercent"]) for one in found]
        assert [(*one[:2], round(one[2])) for one in told] == expected
    assert [(one.window, one.used_percent, round(one.elapsed_percent)) for one in board] == expected
    assert '<b class="num">84 %</b>' in page
    assert "84 % used, 50 % of its window elapsed; resets " in page


def test_a_report_of_blocks_says_it_in_words(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = here(capsys, "cost", "blocks", "--root", root).out

    assert "5h limit: 84% used, 50% of its window elapsed" in text
    assert "ahead of pace" in text


def test_without_a_reading_there_is_no_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(talk().user("hi"), 1).save(tmp_path)
    blocks = json.loads(here(capsys, "cost", "blocks", "--json", "--root", tmp_path).out)

    assert blocks["quota"] == []
    assert current_board(board_query(stores_of(tmp_path))).quota == ()
