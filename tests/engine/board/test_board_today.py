"""The live board over real files: context, what is spent today, alerts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.engine.live import Live, at
from tests.engine.roots import PRICES, root_sessions
from unspool.demo import Transcript
from unspool.demo.generator import generate
from unspool.engine.board.board import LiveBoard
from unspool.engine.dates import local_clock
from unspool.engine.sessions.options import BoardOptions
from unspool.model.alerts import CostRule, ErrorRule, LimitedRule, TokensRule, WaitingRule
from unspool.model.session import BoardSpend
from unspool.model.usage import Quota, QuotaWindow
from unspool.source.prices import bundled
from unspool.source.roots import find_roots

START = "2026-01-01T00:00:00.000Z"


def talk(session: str = "s1", **options: Any) -> Transcript:
    return Transcript(session, start=START, **options).user("Build it")


def called(session: str = "s1") -> Transcript:
    return talk(session).calls("Bash", command="make test")


def bash(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def test_the_context_is_what_the_last_answer_read(tmp_path: Path) -> None:
    used = {"input_tokens": 10, "cache_read_input_tokens": 20_000}
    used |= {"cache_creation_input_tokens": 500, "output_tokens": 7}
    row = Live(tmp_path).wrote(talk(model="claude-opus-5").says("x", usage=used)).row(2)

    assert (row.context_tokens, row.context_limit) == (20_510, 1_000_000)


def test_the_window_of_an_unknown_model_is_not_known(tmp_path: Path) -> None:
    assert Live(tmp_path).wrote(talk(model="new-9").says("x")).row(2).context_limit is None


def test_after_a_compaction_the_context_is_what_it_left(tmp_path: Path) -> None:
    made = talk().says("x").compacts(post=8_000)

    assert Live(tmp_path).wrote(made).row(5).context_tokens == 8_000


def test_today_counts_from_midnight_on(tmp_path: Path) -> None:
    made = talk().says("yesterday").wait(900).says("today")
    live = Live(tmp_path, midnight=lambda now: at(900)).wrote(made)
    row = live.row(960)

    assert row.today.tokens * 2 == row.metrics.total_tokens
    assert (row.today.cost_usd or 0) * 2 == pytest.approx(row.metrics.cost_usd)


def test_today_adds_what_the_ledger_knows_of_other_sessions(tmp_path: Path) -> None:
    spent = {
        ("-repo", "s1"): BoardSpend(tokens=9),
        ("-repo", "old"): BoardSpend(tokens=5, cost_usd=1.5),
    }
    live = Live(tmp_path, elsewhere=lambda since: spent).wrote(talk().says("x"))
    board = live.board(3)

    assert board.today.tokens == board.rows[0].today.tokens + 5
    assert board.today.cost_usd == pytest.approx((board.rows[0].today.cost_usd or 0) + 1.5)


def test_the_ledger_is_not_asked_more_often_than_every_quarter_of_a_minute(tmp_path: Path) -> None:
    asked: list[int] = []

    def ledger(since: int) -> dict[tuple[str, str], BoardSpend]:
        asked.append(since)
        return {}

    live = Live(tmp_path, elsewhere=ledger)
    for seconds in (0, 1, 14, 15, 16):
        live.board(seconds)

    assert len(asked) == 2


def test_a_price_that_is_not_known_is_said_and_not_counted_as_nothing(tmp_path: Path) -> None:
    today = Live(tmp_path).wrote(talk(model="new-9").says("x")).board(2).today

    assert (today.cost_usd, today.unpriced) == (None, ("new-9",))


def test_a_rule_on_waiting_alerts_once_when_its_time_has_come(tmp_path: Path) -> None:
    live = Live(tmp_path, rules=[WaitingRule(name="slow", seconds=30)]).wrote(called())
    live.hook("PermissionRequest", 2, tool_name="Bash")

    assert live.row(20).alerts == ()
    assert [one.rule for one in live.row(33).alerts] == ["slow"]
    assert len(live.row(90).alerts) == 1


def test_a_rule_on_errors_alerts_of_what_happens_from_now_on(tmp_path: Path) -> None:
    made = called().returns("no", failed=True)
    live = Live(tmp_path, rules=[ErrorRule(name="bad")]).wrote(made)

    assert live.row(10).alerts == ()
    live.wrote(made.wait(20).calls("Bash", command="x").returns("no", failed=True))
    assert [one.rule for one in live.row(40).alerts] == ["bad"]


def test_an_alert_of_a_limit_says_on_this_machines_clock_when_it_is_reset(tmp_path: Path) -> None:
    quota = [Quota(at(0), QuotaWindow(100, at(3_600)))]
    made = talk()
    rules = [LimitedRule(name="stop")]
    live = Live(tmp_path, rules=rules, recent_quota=lambda: quota).wrote(made)
    assert live.row(2).alerts == ()
    live.wrote(made.wait(1).synthetic("5-hour limit reached", error="rate_limit"))

    (alert,) = live.row(5).alerts
    assert alert.message == f"Usage limit, resets {local_clock(at(3_600), at(5))}"
    assert re.fullmatch(r".* \d\d:\d\d", alert.message)


def test_what_was_told_before_is_not_told_again(tmp_path: Path) -> None:
    rules = [TokensRule(name="much", above=1, of="session")]
    first = Live(tmp_path, rules=rules).wrote(called())
    (alert,) = first.row(3).alerts

    again = Live(tmp_path, rules=rules, notified=frozenset({alert.key}))
    assert again.row(3).alerts == ()


def test_a_rule_on_the_day_alerts_of_the_whole_board(tmp_path: Path) -> None:
    rules = [CostRule(name="dear", above=1, of="day")]
    board = Live(tmp_path, rules=rules).wrote(called()).board(3)

    assert [(one.rule, one.session) for one in board.alerts] == [("dear", "")]


def test_what_a_session_spent_is_of_today_though_it_left_the_board(tmp_path: Path) -> None:
    live = Live(tmp_path, hours=1).wrote(talk().says("x"))
    spent = live.board(3).today

    assert live.board(9_000).rows == ()
    assert live.board(9_001).today == spent != BoardSpend()


def test_every_session_of_a_made_up_root_costs_what_the_list_says(tmp_path: Path) -> None:
    generate(tmp_path, mb=1, seed=3, prices=json.loads(bundled()))
    now = max(file.stat().st_mtime_ns for file in tmp_path.rglob("*.jsonl")) // 1_000_000
    watching = BoardOptions(hours=1_000_000)
    board = LiveBoard(find_roots([tmp_path], {}, tmp_path), PRICES, watching, now=now).board(now)
    listed = {row.session.id: row.metrics for row in root_sessions(tmp_path, now=now).summaries()}
    counted = {row.session.id: row.metrics for row in board.rows}

    assert len(counted) > 5
    for id, used in counted.items():
        assert (used.total_tokens, used.cost_usd) == (listed[id].total_tokens, listed[id].cost_usd)
