import pytest

from unspool.model.usage import CostBlock, QuotaPace, Spend, StatuslineInput, StatuslineTotals
from unspool.show.text.statusline import StatuslineStyle, differs, status_document, status_line

PICO = 10**12


def spend(dollars: float, **more: int) -> Spend:
    return Spend(pico=round(dollars * PICO), responses=1, **more)


def stand(**more: object) -> StatuslineTotals:
    fields = {"session": spend(0.23), "today": spend(1.23), **more}
    return StatuslineTotals(**fields)  # type: ignore[arg-type]


def block(dollars: float) -> CostBlock:
    return CostBlock(0, 1, spend(dollars), is_active=True)


def test_all_there_is_to_know_is_in_one_line() -> None:
    standing = stand(block=block(0.45), usd_per_hour=0.12, minutes_left=165)

    assert status_line(
        StatuslineInput(model="Opus", context=25_000, percent=12.4), standing, StatuslineStyle()
    ) == (
        "Opus | $0.23 session / $1.23 today / $0.45 block (2h 45m left) | $0.12/h"
        " | 25,000 (12%) context"
    )


def test_a_usage_limit_ahead_of_time_says_how_long_it_has_to_last() -> None:
    calm = QuotaPace("7d", 41.2, 80, 10 * 3_600_000, 0)
    ahead = QuotaPace("5h", 83.5, 60, 2 * 3_600_000, 0)
    said = status_line(StatuslineInput(), stand(), StatuslineStyle(), [ahead, calm])

    assert "5h 84% ↑ (2h 0m left) / 7d 41%" in said.split(" | ")


def test_more_than_two_days_are_told_in_days_and_hours() -> None:
    week = QuotaPace("7d", 83.5, 60, 75 * 3_600_000, 0)
    said = status_line(StatuslineInput(), stand(), StatuslineStyle(), [week])

    assert "7d 84% ↑ (3d 3h left)" in said.split(" | ")


def test_what_is_not_known_is_left_out() -> None:
    assert (
        status_line(StatuslineInput(), StatuslineTotals(today=spend(2)), StatuslineStyle())
        == "$2.00 today"
    )


def test_where_nothing_is_known_that_is_said() -> None:
    assert (
        status_line(StatuslineInput(), StatuslineTotals(), StatuslineStyle())
        == "unspool: no data yet"
    )


def test_the_last_hour_of_a_block_is_told_in_minutes() -> None:
    assert "(45m left)" in status_line(
        StatuslineInput(), stand(block=block(1), minutes_left=45), StatuslineStyle()
    )


@pytest.mark.parametrize(
    ("usd", "is_far"), [(0.23, False), (0.21, False), (0.25, False), (0.2, True), (0.26, True)]
)
def test_figures_differ_by_more_than_a_tenth(usd: float, is_far: bool) -> None:
    assert differs(StatuslineInput(usd=usd), stand()) == is_far


def test_a_session_we_know_nothing_of_does_not_differ() -> None:
    assert not differs(StatuslineInput(usd=5), stand(session=Spend()))


def test_claude_codes_figure_stands_in_for_ours() -> None:
    assert (
        status_line(StatuslineInput(usd=0.5), StatuslineTotals(), StatuslineStyle())
        == "$0.50 session"
    )


def test_unless_only_ours_is_wanted() -> None:
    assert (
        status_line(StatuslineInput(usd=0.5), stand(session=Spend()), StatuslineStyle("unspool"))
        == "$1.23 today"
    )


@pytest.mark.parametrize(
    "standing",
    [
        stand(is_session_whole=False),
        stand(session=spend(0.23, lower_bound=1)),
        stand(session=spend(0.23, unpriced=1)),
    ],
)
def test_a_figure_that_may_be_more_says_so(standing: StatuslineTotals) -> None:
    assert status_line(StatuslineInput(), standing, StatuslineStyle()).startswith(
        "≥ $0.23 session / $1.23 today"
    )


def test_a_day_that_was_not_read_to_the_end_is_at_least_that() -> None:
    said = status_line(StatuslineInput(), stand(is_whole=False, block=block(1)), StatuslineStyle())

    assert said.startswith("$0.23 session / ≥ $1.23 today / ≥ $1.00 block")


def test_a_session_without_any_price_is_unpriced() -> None:
    assert "unpriced session" in status_line(
        StatuslineInput(), stand(session=Spend(unpriced=3, responses=3)), StatuslineStyle()
    )


@pytest.mark.parametrize(
    ("burn", "speed", "words"),
    [
        ("off", 9_000, "$0.12/h"),
        ("emoji", 1_999, "$0.12/h 🟢"),
        ("emoji", 2_000, "$0.12/h ⚠️"),
        ("text", 4_999, "$0.12/h (moderate)"),
        ("emoji-text", 5_000, "$0.12/h 🚨 (high)"),
    ],
)
def test_the_pace_is_told_as_asked(burn: str, speed: float, words: str) -> None:
    standing = StatuslineTotals(usd_per_hour=0.12, tokens_per_minute=speed)

    assert status_line(StatuslineInput(), standing, StatuslineStyle(burn=burn)) == words


@pytest.mark.parametrize(("percent", "colour"), [(49, 32), (50, 33), (79, 33), (80, 31)])
def test_a_context_that_fills_up_changes_its_colour(percent: float, colour: int) -> None:
    said = status_line(
        StatuslineInput(percent=percent), StatuslineTotals(), StatuslineStyle(colour=True)
    )

    assert said == f"\x1b[{colour}m{percent}%\x1b[0m context"


def test_the_user_says_what_is_full() -> None:
    style = StatuslineStyle(low=10, medium=20, colour=True)

    assert "\x1b[31m25%" in status_line(StatuslineInput(percent=25), StatuslineTotals(), style)


def test_a_context_without_a_window_is_a_count() -> None:
    assert (
        status_line(StatuslineInput(context=1_500), StatuslineTotals(), StatuslineStyle())
        == "1,500 context"
    )


def test_a_document_has_it_all() -> None:
    given = StatuslineInput("s1", "/p", "Opus", 0.5, 25_000, 12)
    standing = stand(block=block(0.45), usd_per_hour=0.12, minutes_left=165, is_whole=False)

    assert status_document(given, standing) == {
        "sessionId": "s1",
        "model": "Opus",
        "status": None,
        "session": {
            "costUsd": 0.23, "atLeast": False, "claudeCodeCostUsd": 0.5, "differs": True
        },
        "today": {"costUsd": 1.23, "atLeast": True},
        "block": {"costUsd": 0.45, "atLeast": True, "minutesLeft": 165},
        "usdPerHour": 0.12,
        "tokensPerMinute": 0.0,
        "quota": {"fiveHour": None, "sevenDay": None, "pace": None},
        "context": {"tokens": 25_000, "percent": 12},
    }  # fmt: skip


def test_a_document_of_nothing_has_no_figures() -> None:
    found = status_document(StatuslineInput(), StatuslineTotals())

    assert (found["session"]["costUsd"], found["today"]["costUsd"], found["block"]) == (
        None,
        None,
        None,
    )
