from pathlib import Path

import pytest

from tests.redact.ordinary_texts import KEY_NAMES
from tests.redact.recall import LEAST_RECALL, MOST_ALARMS, lines, measured, total
from tests.redact.secret_kinds import FORMS, KINDS
from unspool.redact import redact

DOCS = Path(__file__).parents[2] / "docs" / "security.md"


def test_the_set_has_sixty_kinds_in_three_forms_and_twenty_thousand_ordinary_texts() -> None:
    found, _, changed, _ = measured()

    assert len({one.name for one in KINDS}) == len(KINDS) >= 60
    assert set(found) == {(one.name, form) for one in KINDS for form in FORMS}
    assert total(changed.values()).of >= 20_000


def test_ninety_eight_of_a_hundred_secrets_are_found() -> None:
    found, left, *_ = measured()

    assert total(found.values()).value >= LEAST_RECALL, left


@pytest.mark.parametrize("form", FORMS)
def test_they_are_found_in_each_form(form: str) -> None:
    shares = (share for (_, where), share in measured().found.items() if where == form)

    assert total(shares).value >= LEAST_RECALL


def test_nine_of_ten_are_found_of_each_kind_in_each_form() -> None:
    found = measured().found

    assert [place for place, share in found.items() if share.value < 0.9] == []


def test_one_of_a_thousand_ordinary_texts_is_changed_at_most() -> None:
    *_, changed, alarms = measured()

    assert total(changed.values()).value <= MOST_ALARMS, alarms


def test_the_published_figures_are_those_measured() -> None:
    published = DOCS.read_text("utf-8").split("\n")

    assert [line for line in lines() if line not in published] == []
    assert f"{len(KINDS)} kinds of secrets" in "\n".join(published)


def test_a_name_that_only_ends_in_key_has_no_secret() -> None:
    texts = [f'{name} = "{"a1b2c3d4" * 3}"' for name in KEY_NAMES]

    assert [text for text in texts if redact(text) != text] == []
