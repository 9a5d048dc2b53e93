import pytest

from tests.derive.alerts.executions import START, execution, rule
from tests.derive.reads import entries_of
from unspool.demo import Transcript
from unspool.derive.alerts.limits import quota_alerts, thresholds
from unspool.derive.alerts.rules import NOTICES
from unspool.derive.alerts.session import (
    AlertDeduplicator,
    OpenCalls,
    SessionAlerts,
)
from unspool.derive.reading.clock import iso, millis
from unspool.derive.transcript import TranscriptFold, Views
from unspool.model.alerts import Alert, AlertRule
from unspool.model.document import Evidence, PendingTool, Status, StatusName, ToolExecution
from unspool.model.usage import QuotaPace

SINCE = millis(START) or 0
PICO = 10**12


def session(*rules: AlertRule, **more: str) -> SessionAlerts:
    return SessionAlerts(rules, "s1", "-home-me-repo", known=more.values())


def waited(
    seconds: float, state: StatusName = "waiting_for_approval", evidence: Evidence = "hook"
) -> list[Alert]:
    alerts = session(rule(when="waiting", seconds=60))
    pending = PendingTool("t1", "Bash", "make")
    return alerts.status(Status(state, START, evidence), pending, SINCE + int(seconds * 1_000))


def test_a_wait_that_is_long_enough_is_told() -> None:
    (found,) = waited(60)

    assert found.message == "Waiting for approval for more than 60 s: Bash make"
    assert found.at == SINCE + 60_000


def test_a_shorter_wait_is_not() -> None:
    assert not waited(59.9)


@pytest.mark.parametrize("state", ["working", "waiting_for_input", "idle", "ended"])
def test_only_waiting_for_approval_is_such_a_wait(state: StatusName) -> None:
    assert not waited(600, state)


@pytest.mark.parametrize(
    ("evidence", "count"), [("registry", 1), ("hook", 1), ("transcript", 0), ("inferred", 0)]
)
def test_a_wait_has_to_be_proven(evidence: Evidence, count: int) -> None:
    assert len(waited(600, evidence=evidence)) == count


def asked(tool: str = "AskUserQuestion", seconds: float = 10, *rules: AlertRule) -> list[Alert]:
    mine = rules or tuple(NOTICES.values())
    pending, now = PendingTool("t1", tool, ""), SINCE + int(seconds * 1_000)
    status = Status("waiting_for_approval", START, "hook")
    return session(*mine).status(status, pending, now, "Which lid?")


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ExitPlanMode"])
def test_a_question_is_a_notice_of_its_own_and_not_a_wait_too(tool: str) -> None:
    (found,) = asked(tool)

    assert (found.rule, found.message) == ("question", "Asks you: Which lid?")


def test_a_call_that_waits_is_no_question() -> None:
    assert [one.rule for one in asked("Bash")] == ["waiting"]


def test_a_question_is_a_wait_where_no_rule_asks_for_questions() -> None:
    assert [one.rule for one in asked("AskUserQuestion", 60, rule(when="waiting", seconds=5))] == [
        "waiting"
    ]


def test_a_question_is_told_when_every_witness_has_had_time_to_speak() -> None:
    assert (len(asked(seconds=2.9)), len(asked(seconds=3))) == (0, 1)


def finish(alerts: SessionAlerts, at: int, seconds: float = 5) -> list[str]:
    status = Status("waiting_for_input", iso(at), "hook")
    return [one.message for one in alerts.status(status, None, at + int(seconds * 1_000))]


def works(alerts: SessionAlerts) -> None:
    assert alerts.status(Status("working", START, "hook"), None, SINCE) == []


def test_a_session_that_worked_and_waits_for_a_prompt_has_finished() -> None:
    alerts = session(rule(when="finished"))
    works(alerts)

    assert finish(alerts, SINCE + 1_000) == ["Finished, and waits for your prompt"]
    assert finish(alerts, SINCE + 9_000) == []  # another witness of the same end
    works(alerts)
    assert len(finish(alerts, SINCE + 20_000)) == 1


def test_a_session_that_was_only_opened_has_not_finished() -> None:
    assert finish(session(rule(when="finished")), SINCE) == []


def test_an_end_that_is_followed_by_more_work_at_once_is_none() -> None:
    alerts = session(rule(when="finished"))
    works(alerts)

    assert finish(alerts, SINCE + 1_000, seconds=2.9) == []


def test_a_wait_without_a_beginning_is_not_told() -> None:
    alerts = session(rule(when="waiting", seconds=60))

    assert not alerts.status(Status("waiting_for_approval", None, "hook"), None, SINCE)


def test_an_alert_about_a_limit_says_when_it_is_reset() -> None:
    until = "2026-07-20T18:00:00.000Z"
    stopped = Status("limited", START, "transcript", until, error="You've hit your limit")
    rules = (rule(when="limited"),)
    made = SessionAlerts(rules, "s1", clock=lambda at, now: f"at {iso(at)} from {now}")

    (one,) = made.status(stopped, None, 7)
    assert one.message == f"Usage limit, resets at {until} from 7"


@pytest.mark.parametrize("state", ["limited", "failed"])
def test_a_session_that_a_limit_or_an_error_stopped_is_told_once(state: StatusName) -> None:
    alerts = session(rule(when=state))
    stopped = Status(state, START, "transcript", error="You've hit your limit")
    (found,) = alerts.status(stopped, None, SINCE)

    assert (found.message, found.at) == ("You've hit your limit", SINCE)
    assert not alerts.status(stopped, None, SINCE + 60_000)
    assert not session(rule(when="waiting", seconds=1)).status(stopped, None, SINCE + 60_000)


def test_a_usage_limit_is_told_once_until_it_is_reset() -> None:
    five, seven = QuotaPace("5h", 90, 50, 1_000, 7), QuotaPace("7d", 80, 50, 2_000, 7)
    both, one = rule(when="quota", above=79), rule(when="quota", above=79, window="7d")
    later = five._replace(resets_at=9)

    assert [found.message for found in quota_alerts([both], [five, seven])] == [
        "90 % of the 5h usage limit is used",
        "80 % of the 7d usage limit is used",
    ]
    assert len({found.key for found in quota_alerts([both], [five, five, later])}) == 2
    assert [found.at for found in quota_alerts([one], [five, seven])] == [7]
    assert not [*quota_alerts([rule(when="quota", above=90)], [five])]


def test_the_same_wait_is_told_once_and_the_next_again() -> None:
    alerts, minute = session(rule(when="waiting", seconds=1)), 60_000
    first = Status("waiting_for_approval", START, "hook")
    second = Status("waiting_for_approval", "2026-11-01T10:05:00.000Z", "hook")
    moments = [(first, minute), (first, 2 * minute), (second, 10 * minute)]

    found = [len(alerts.status(status, None, SINCE + later)) for status, later in moments]

    assert found == [1, 0, 1]


def test_a_call_is_told_once_however_often_it_is_fed() -> None:
    alerts = session(rule(use="env-file"))
    running, ended = (execution("Read", state, file_path="/.env") for state in ("running", "ok"))

    assert [len(alerts.execution(one)) for one in (running, ended, ended)] == [1, 0, 0]


def test_what_was_told_before_is_not_told_again() -> None:
    (before,) = session(rule(when="error")).execution(execution(state="error"))

    assert not session(rule(when="error"), known=before.key).execution(execution(state="error"))


def test_a_rule_of_another_project_does_not_hold() -> None:
    ours, other = rule(when="error", project="repo"), rule(when="error", project="elsewhere")

    assert session(ours).execution(execution(state="error"))
    assert not session(other).execution(execution(state="error"))


def test_a_session_that_costs_more_than_its_limit_is_told_once() -> None:
    alerts = session(rule(when="cost", above=5))
    found = [alerts.spent(0, pico, 1) for pico in (5 * PICO, 5 * PICO + 1, 9 * PICO)]

    assert [len(one) for one in found] == [0, 1, 0]
    assert found[1][0].message == "$5.00 this session, more than $5.00"
    assert found[1][0].project == "-home-me-repo"


def test_a_session_of_more_tokens_than_its_limit_is_told() -> None:
    alerts = session(rule(when="tokens", above=1_000, of="session"))

    assert [len(alerts.spent(tokens, 0, 1)) for tokens in (1_000, 1_001)] == [0, 1]


def test_a_day_is_told_once_and_the_next_again() -> None:
    limits, once = [rule(when="cost", above=1, of="day")], AlertDeduplicator()
    days = ["2026-11-01", "2026-11-01", "2026-11-02"]

    found = [once.new(thresholds(limits, "day", day, 0, 2 * PICO, 1)) for day in days]

    assert [len(one) for one in found] == [1, 0, 1]
    assert found[0][0].session == ""


def test_a_limit_of_a_day_is_none_of_a_session() -> None:
    assert not session(rule(when="cost", above=1, of="day")).spent(0, 9 * PICO, 1)


def executions(*parts: Transcript) -> list[ToolExecution]:
    fold, calls = TranscriptFold("s1", views=Views.NONE), OpenCalls()
    lines = [(0, 0, entries) for made in parts for entries in entries_of(made)]
    return list(calls.executions(fold.feed(lines).records))


def test_a_call_is_told_when_it_is_made_and_when_it_is_answered() -> None:
    made = Transcript().user("go").calls("Bash", command="a", id="t1").returns("no", failed=True)

    assert [(one.tool_use_id, one.state, bytes(one.input)) for one in executions(made)] == [
        ("t1", "running", b'{"command":"a"}'),
        ("t1", "error", b'{"command":"a"}'),
    ]


def test_an_answer_to_a_call_that_a_prompt_gave_up_is_not_told() -> None:
    made = Transcript().user("go").calls("Bash", command="a", id="t1").user("stop")

    assert len(executions(made.returns("late", call="t1"))) == 1


def test_a_prompt_to_an_agent_gives_up_no_call_of_the_main_thread() -> None:
    made = Transcript().user("go").calls("Bash", command="a", id="t1")
    made.user("look", parentUuid=None, isSidechain=True).returns("ok", call="t1")

    assert [one.state for one in executions(made)] == ["running", "ok"]
