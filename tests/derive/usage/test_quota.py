"""Usage limits: known until they are reset, compared with the time that is gone, and what stops."""

import pytest

from unspool.derive.usage.quota import limit_reset, paces, quota_rows
from unspool.model.usage import Quota, QuotaRow, QuotaWindow

HOUR = 3_600_000
FIVE, SEVEN = QuotaWindow(23.5, 5 * HOUR), QuotaWindow(41.2, 50 * HOUR)


def test_use_is_compared_with_the_time_that_is_gone() -> None:
    five, seven = paces(Quota(4 * HOUR, FIVE, SEVEN), 4 * HOUR)

    assert (five.window, five.used, round(five.elapsed), five.is_ahead) == ("5h", 23.5, 80, False)
    assert (seven.window, round(seven.elapsed), seven.is_ahead) == ("7d", 73, False)
    assert paces(Quota(HOUR, QuotaWindow(30, 5 * HOUR)), HOUR)[0].is_ahead


def test_a_window_that_was_reset_is_not_known_any_more() -> None:
    assert [one.window for one in paces(Quota(1, FIVE, SEVEN), 5 * HOUR)] == ["7d"]
    assert paces(None, 0) == []


def test_a_pace_above_one_reaches_the_limit_before_its_reset() -> None:
    five, seven = paces(Quota(4 * HOUR, FIVE._replace(used=100), SEVEN), 4 * HOUR)

    assert (five.pace, seven.pace) == (1.25, 0.57)
    assert paces(Quota(0, FIVE), 0)[0].pace is None, "no time is gone yet"


STOP = 10 * HOUR
FULL, WEEK = QuotaWindow(100, 12 * HOUR), QuotaWindow(100.0, 90 * HOUR)
ANY, FIVE_HOURS, WEEKLY = "You've hit your limit", "5-hour limit reached", "Weekly limit reached"


@pytest.mark.parametrize(
    ("sentence", "reset"),
    [
        (FIVE_HOURS, FULL.resets_at),
        ("Session limit reached ∙ resets 3am", FULL.resets_at),
        ("You've hit your session limit · resets 4:20pm", FULL.resets_at),
        (WEEKLY, WEEK.resets_at),
        ("You've hit your weekly limit", WEEK.resets_at),
        (ANY, WEEK.resets_at),
        ("Claude AI usage limit reached", WEEK.resets_at),
        ("You've hit your Opus limit", None),
        ("Opus weekly limit reached", None),
        ("You're out of extra usage", None),
        ("API Error: Rate limit reached", None),
    ],
)
def test_the_sentence_says_which_limit_it_was(sentence: str, reset: int | None) -> None:
    assert limit_reset(sentence, STOP, [Quota(STOP - 1, FULL, WEEK)]) == reset


@pytest.mark.parametrize(
    ("snapshots", "reset"),
    [
        ([], None),
        ([Quota(STOP, FULL._replace(used=99.9))], None),
        ([Quota(STOP, None, WEEK)], None),
        ([Quota(STOP - HOUR, FULL)], FULL.resets_at),
        ([Quota(STOP - HOUR, FULL), Quota(STOP - 1, FULL._replace(used=3))], None),
        ([Quota(STOP - HOUR, FULL._replace(used=97)), Quota(STOP + 600_000, FULL)], 12 * HOUR),
        ([Quota(STOP + 600_001, FULL)], None),
        ([Quota(STOP - HOUR, FULL._replace(resets_at=STOP))], None),
        ([Quota(STOP + 1, FULL._replace(resets_at=STOP + 6 * HOUR))], None),
        ([Quota(STOP - HOUR, FULL), Quota(STOP - 1, None, SEVEN)], FULL.resets_at),
    ],
)
def test_the_newest_snapshot_around_the_stop_tells_of_the_window_it_fell_in(
    snapshots: list[Quota], reset: int | None
) -> None:
    assert limit_reset(FIVE_HOURS, STOP, snapshots) == reset


def test_a_limit_that_is_not_named_is_the_one_that_is_used_up() -> None:
    assert limit_reset(ANY, STOP, [Quota(STOP, FULL, SEVEN)]) == FULL.resets_at


def test_a_row_is_made_only_of_a_window_that_changed() -> None:
    told = [(Quota(1, FIVE, SEVEN), "a"), (Quota(2, FIVE, FULL), "b"), (Quota(3, None, FULL), "c")]

    assert list(quota_rows(told)) == [
        QuotaRow(1, "5h", 23.5, 5 * HOUR, "a"),
        QuotaRow(1, "7d", 41.2, 50 * HOUR, "a"),
        QuotaRow(2, "7d", 100, 12 * HOUR, "b"),
    ]
