from datetime import UTC

from tests.show.made import NOON, PIPE, SCREEN, at, document, texts
from unspool.model.document import Metrics, PendingTool, SessionMetrics, Status, TotalMetrics
from unspool.show.text.layout import Frame
from unspool.show.text.session import header

FACTS = {
    "project_name": "api",
    "git_branch": "feat/limits",
    "models": ("claude-opus-4-6", "claude-haiku-4-5-20251001"),
    "start_time": at(2),
    "end_time": at(9),
    "duration_ms": 420_000,
}


def test_a_session_opens_with_what_where_and_when() -> None:
    lines = texts(header(document(session=FACTS), PIPE))

    assert lines[0] == "Make it quick"
    assert lines[1] == (
        "api · feat/limits · opus-4-6, haiku-4-5 · Thu 1 Jan 10:02 – 10:09 · 7 min · $0.00"
    )


def test_a_status_says_since_when_and_how_we_know() -> None:
    status = Status("waiting_for_approval", "2026-01-01T11:57:00Z", "hook")
    tool = PendingTool("t1", "Bash", "rm -rf build")
    lines = texts(header(document(session={"status": status, "pending_tool": tool}), PIPE))

    assert lines[2] == "▲ waiting for your approval  3 min ago (hook)  Bash  rm -rf build"


def test_a_stop_says_why_and_until_when() -> None:
    until = "2026-01-01T15:00:00.000Z"
    limit = Status("limited", "2026-01-01T11:57:00Z", "transcript", until, "You've hit it")
    failed = Status("failed", "2026-01-01T11:57:00Z", "transcript", None, "API Error: 500")
    frame = Frame(None, NOON, UTC)
    lines = [texts(header(document(session={"status": one}), frame))[2] for one in (limit, failed)]

    assert lines == [
        "◆ stopped by its usage limit  3 min ago (transcript)  usage limit, resets 15:00",
        "✕ stopped by an error  3 min ago (transcript)  API Error: 500",
    ]


def test_who_is_idle_waits_for_no_tool() -> None:
    tool = PendingTool("t1", "Bash", "make")
    lines = texts(header(document(session={"pending_tool": tool}), PIPE))

    assert lines[2] == "○ idle (inferred)"


def test_a_lower_bound_is_marked_at_the_top() -> None:
    total = TotalMetrics(cost_usd=1.5, lower_bound=True)
    made = document(metrics=SessionMetrics(Metrics(), Metrics(), total))

    assert texts(header(made, PIPE))[1] == "≥ $1.50"


def test_a_long_title_wraps() -> None:
    lines = texts(header(document(session={"title": "word " * 40}), Frame(40, NOON)))

    assert all(len(line) <= 40 for line in lines)


def test_an_agent_is_called_one() -> None:
    lines = texts(header(document(session={"is_subagent": True, "version": "2.1.270"}), SCREEN))

    assert lines[3] == "agent 3f2a1b9c-0000 · Claude Code 2.1.270"


def test_a_title_cannot_colour_the_terminal() -> None:
    assert texts(header(document(session={"title": "\x1b[31mred\x1b[0m"}), PIPE))[0] == "red"
