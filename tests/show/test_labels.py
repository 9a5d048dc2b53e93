from typing import get_args

from unspool.model.document import StatusName
from unspool.show.labels import COST_CAUSES, STATUSES, model_label, title_label
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


def test_a_session_without_a_title_has_a_word_for_it() -> None:
    assert title_label(" \n") == "Untitled"
    assert title_label("Fix\nthe build") == "Fix the build"


def test_a_cause_of_a_cost_has_a_short_name_and_is_explained_in_a_sentence() -> None:
    for cause in COST_CAUSES.values():
        assert len(cause.term.split()) <= 2
        assert not cause.term.endswith(".")
        assert cause.hint.endswith(".")
