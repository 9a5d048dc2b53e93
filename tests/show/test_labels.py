from datetime import UTC
from typing import get_args

from tests.show.made import NOON
from unspool.model.document import Status, StatusName
from unspool.show.labels import (
    COST_CAUSES,
    STATUSES,
    model_label,
    notice_text,
    stop_label,
    title_label,
)
from unspool.show.spans import Style


def test_every_status_has_a_sign_of_its_own() -> None:
    assert set(STATUSES) == set(get_args(StatusName))
    assert {sign.style for sign in STATUSES.values()} <= set(get_args(Style))
    assert {len(sign.shape) for sign in STATUSES.values()} == {1}
    assert len({sign.shape for sign in STATUSES.values()}) == len(STATUSES)


def test_a_model_goes_without_maker_and_date() -> None:
    assert model_label("claude-opus-4-6-20260205") == "opus-4-6"
    assert model_label("claude-3-5-sonnet@20241022") == "3-5-sonnet"
    assert model_label("vendor/lantern-large") == "vendor/lantern-large"


def test_a_stop_says_when_the_limit_is_reset_or_what_claude_code_wrote() -> None:
    until = "2026-01-01T15:00:00.000Z"
    reset = Status("limited", None, "transcript", until, "You've hit your limit")
    unknown = Status("limited", None, "transcript", None, "5-hour limit reached")

    assert stop_label(reset, NOON, UTC) == "usage limit, resets 15:00"
    assert stop_label(unknown, NOON, UTC) == "5-hour limit reached"
    assert stop_label(Status("failed", error="API Error: 500"), NOON, UTC) == "API Error: 500"
    assert stop_label(Status("working"), NOON, UTC) == ""


def test_a_number_of_seconds_in_a_notice_is_shown_as_a_time() -> None:
    told = f"Claude AI usage limit reached|{NOON // 1_000 + 3_600}"

    assert notice_text(told, NOON, UTC) == "Claude AI usage limit reached, resets 13:00"
    assert notice_text("1768400000 bytes", NOON, UTC) == "1768400000 bytes"


def test_a_session_without_a_title_has_a_word_for_it() -> None:
    assert title_label(" \n") == "Untitled"
    assert title_label("Fix\nthe build") == "Fix the build"


def test_a_cause_of_a_cost_has_a_short_name_and_is_explained_in_a_sentence() -> None:
    for cause in COST_CAUSES.values():
        assert len(cause.term.split()) <= 2
        assert not cause.term.endswith(".")
        assert cause.hint.endswith(".")
