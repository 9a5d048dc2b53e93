from typing import get_args

from unspool.model.document import StatusName
from unspool.show.names import STATUSES, model, title


def test_every_status_has_a_sign_of_its_own() -> None:
    assert set(STATUSES) == set(get_args(StatusName))
    assert len({sign.shape for sign in STATUSES.values()}) == len(STATUSES)


def test_a_model_goes_without_maker_and_date() -> None:
    assert model("claude-opus-4-6-20260205") == "opus-4-6"
    assert model("claude-3-5-sonnet@20241022") == "3-5-sonnet"
    assert model("vendor/lantern-large") == "vendor/lantern-large"


def test_a_session_without_a_title_has_a_word_for_it() -> None:
    assert title(" \n") == "Untitled"
    assert title("Fix\nthe build") == "Fix the build"
