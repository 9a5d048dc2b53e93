"""Usage limits, from the status line to every place that shows them."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from tests.cli.runs import here, stores_of
from tests.cli.statuslines import answered, given, standard_input, talk
from tests.serve.served import Served, indexed, server_context
from unspool.cli import config
from unspool.engine.board.feed import board_query, current_board
from unspool.model.session import QuotaStatus

HOUR = 3_600_000
LIMITS = {"five_hour": 83.5, "seven_day": 41.2}


SPANS, PACES = ("fiveHour", "sevenDay"), {"fiveHour": 1.7, "sevenDay": 0.8}


def limits() -> dict[str, dict[str, float]]:
    """What Claude Code would say now."""
    now = config.now()
    resets = {"five_hour": now + 2.5 * HOUR, "seven_day": now + 84 * HOUR}
    return {
        name: {"used_percentage": used, "resets_at": round(resets[name] / 1_000)}
        for name, used in LIMITS.items()
    }


@pytest.fixture
def root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A session whose status line was told of two limits, both half gone."""
    answered(talk().user("hi"), 1).save(tmp_path)
    with standard_input(given(tmp_path, rate_limits=limits())):
        said = here(capsys, "statusline", "--root", tmp_path).out
    assert "5h " in said
    assert "7d " in said
    return tmp_path


def test_reports_board_api_and_pages_tell_the_same_limits(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = json.loads(here(capsys, "cost", "blocks", "--json", "--root", root).out)["quota"]
    query = board_query(stores_of(root))
    board = current_board(query).quota
    with standard_input(given(root)):
        line = json.loads(here(capsys, "statusline", "--json", "--root", root).out)["quota"]
    assert line == {"fiveHour": None, "sevenDay": None, "pace": None}, "it was told of none"
    with standard_input(given(root, rate_limits=limits())):
        line = json.loads(here(capsys, "statusline", "--json", "--root", root).out)["quota"]
    indexed(root)
    with server_context(root, watching=query.watching) as made:
        site = Served(made)
        answer = site.ask("/api/cost?by=blocks").json()["quota"]
        days = site.ask("/api/cost").json()["quota"]
        status = site.ask("/api/status").json()["quota"]
        page = site.ask("/spend").text

    told_days = json.loads(here(capsys, "cost", "--json", "--root", root).out)["quota"]
    for found in (
        blocks,
        told_days,
        answer,
        days,
        status,
        line,
        json.loads(msgspec.json.encode(board)),
    ):
        told = [(found[name]["usedPercent"], found[name]["elapsedPercent"]) for name in SPANS]
        assert [(used, round(elapsed)) for used, elapsed in told] == [(83.5, 50), (41.2, 50)]
        assert {"resetsAt", "at"} <= set(found["fiveHour"])
        assert {name: round(pace, 1) for name, pace in found["pace"].items()} == PACES
    assert '<b class="num">84 %</b>' in page
    table = page.partition('<div id="limits">')[2].partition("</table>")[0]
    rows = re.findall(r'<tr><td>(.*?)</td>.*?<td class="r num">(.*?)</td><td>(.*?)</td>', table)
    assert [row[:2] for row in rows] == [("5 h", "84 %"), ("7 d", "41 %")]
    assert all(note.startswith("50 % of its window elapsed; resets ") for *_, note in rows)
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

    assert blocks["quota"] == {"fiveHour": None, "sevenDay": None, "pace": None}
    assert current_board(board_query(stores_of(tmp_path))).quota == QuotaStatus()


def test_sql_has_every_change_of_a_limit(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = limits()
    changed["five_hour"]["used_percentage"] = 90
    with standard_input(given(root, rate_limits=changed)):
        here(capsys, "statusline", "--root", root)
    here(capsys, "index", "build", "--root", root)
    # The index of a root that was named lies elsewhere, and the limits are the user's.
    stores_of(root).home.joinpath("quota.jsonl").write_bytes(
        config.unspool_home().joinpath("quota.jsonl").read_bytes()
    )
    ask = "SELECT span, used_percent, session_id, resets_at > at AS holds FROM quota ORDER BY at"
    found = json.loads(here(capsys, "sql", "--json", "--root", root, ask).out)["items"]

    assert [tuple(row.values()) for row in found] == [
        ("5h", 83.5, "s1", 1),
        ("7d", 41.2, "s1", 1),
        ("5h", 90, "s1", 1),
    ]
