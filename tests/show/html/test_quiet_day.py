"""A quiet day: what was worked on last, and what the week and yesterday were like."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.boards import NOW
from tests.show.webs import HOSTILE, seen, shell
from unspool.model.document import SessionInfo, TotalMetrics
from unspool.model.insights import ActivityStrip, TimeSpan
from unspool.model.session import Board, SessionSummary
from unspool.show.html.board_page import board_page
from unspool.show.html.quiet_day import QuietDay, QuietFacts, Yesterday, quiet_day

DAY = 86_400_000
WEDNESDAY = NOW + 3 * DAY  # 2026-11-18


def session(name: str, last: str, **about: Any) -> SessionSummary:
    info = SessionInfo(id=name, project_id="-p", project_name="p", title=f"Title {name}", **about)
    return SessionSummary(session=info, metrics=TotalMetrics(cost_usd=7.97), last_activity=last)


def day(now: int = WEDNESDAY, **facts: Any) -> QuietDay:
    return quiet_day(QuietFacts(now=now, zone=UTC, **facts))


def fortnight(last_week: float, *this_week: float) -> tuple[float, ...]:
    """Dollars of fourteen days: this week's up to today, and as many of the last one."""
    before = (last_week,) * 7
    return (*(0.0,) * 14, *before, *this_week)[-14:]


def shown(made: QuietDay) -> str:
    page = board_page(Board(at=WEDNESDAY), shell(), quiet=made)
    return " ".join(seen(page).text.split())


@pytest.mark.parametrize(
    ("last", "name"),
    [
        ("2026-11-18T08:10:00.000Z", "today"),
        ("2026-11-17T18:40:00.000Z", "yesterday"),
        ("2026-11-13T09:31:00.000Z", "Friday"),
        ("2026-11-11T09:31:00.000Z", "11 Nov 2026"),
    ],
)
def test_the_day_of_a_session_is_said_in_words(last: str, name: str) -> None:
    assert day(recent=[session("a", last)]).rows[0].day == name


def test_a_session_can_be_resumed_from_where_it_is_listed() -> None:
    one = session("3f9c", "2026-11-17T18:40:00.000Z", recent_output="It is built.")
    text = shown(day(recent=[one], strips={"-p/3f9c": ActivityStrip(turns=(TimeSpan(0, 9),))}))

    assert "Nothing is running" in text
    assert "last activity yesterday 18:40" in text
    assert "claude --resume 3f9c" in text
    assert "It is built." in text


def test_the_resume_command_can_be_copied() -> None:
    one = session("3f9c", "2026-11-17T18:40:00.000Z")
    made = seen(board_page(Board(at=WEDNESDAY), shell(), quiet=day(recent=[one])))

    assert {found.get("data-copy") for found in made.all("button")} >= {"claude --resume 3f9c"}


def test_without_any_session_it_says_what_to_do() -> None:
    assert "Run claude in any directory" in shown(day())


def test_the_week_is_compared_with_the_same_days_of_the_last() -> None:
    made = day(days=fortnight(10.0, 12.0, 10.0, 0.0))

    assert made.week == "$22.00"
    assert made.delta == "+10 % compared with the same days last week"


def test_a_day_with_work_counts_though_it_is_not_over() -> None:
    assert day(days=fortnight(10.0, 9.0, 9.0, 9.0)).delta.startswith("−10 % ")


def test_on_monday_before_any_work_the_last_week_is_told() -> None:
    assert day(NOW + DAY, days=fortnight(10.0, 0.0)).delta == "$70.00 last week"


def test_against_a_week_of_nothing_there_are_no_percents() -> None:
    assert day(days=fortnight(0.0, 5.0, 5.0, 0.0)).delta == "$0.00 on the same days last week"


def test_every_day_of_the_week_has_a_bar_and_those_gone_by_a_link() -> None:
    bars = day(days=fortnight(0.0, 34.0, 0.0, 0.0)).bars

    assert [bar.name for bar in bars] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert [bar.date for bar in bars[:4]] == ["2026-11-16", "2026-11-17", "2026-11-18", ""]
    assert (bars[0].dollars, bars[0].height, bars[1].height) == ("$34", 48, 2)


def test_yesterday_says_nothing_of_what_did_not_happen() -> None:
    facts = Yesterday(sessions=9, usd=38.7)

    assert day(yesterday=facts).yesterday == (("Sessions", "9"), ("Spent", "$38.70"))


def test_yesterday_counts_calls_and_waits() -> None:
    facts = Yesterday(sessions=1, calls=1_200, failed=3, waited=14, waited_ms=52 * 60_000)

    assert day(yesterday=facts).yesterday[2:] == (
        ("Tool calls", "1,200, 3 failed"),
        ("Waited for you", "52 min in 14 calls"),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_session_becomes_an_element(text: str) -> None:
    def made(text: str) -> Any:
        about = {"recent_output": text, "git_branch": text}
        one = session("a", "2026-11-17T18:40:00.000Z", goal=text, **about)
        return seen(board_page(Board(at=WEDNESDAY), shell(), quiet=day(recent=[one])))

    assert made(text).shape == made("calm").shape
