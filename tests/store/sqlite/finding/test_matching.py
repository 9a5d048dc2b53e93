import apsw
import pytest

from unspool.store.sqlite.finding.matching import Matching
from unspool.store.terms import terms


def matching(typed: str) -> Matching:
    return Matching(apsw.Connection(":memory:"), terms(typed))


def test_phrases_stay_whole_where_places_are_known() -> None:
    made = matching('Fix "the LANTERN" src/ma*')

    assert made.expressions == {
        "said": '"fix" "the lantern" "src ma" *',
        "output": '"fix" "the" "lantern" "src" "ma" *',
    }


def test_accents_and_signs_are_gone() -> None:
    assert matching("Caf\u00e9 \u2014 !").expressions["said"] == '"cafe"'


def test_what_has_no_words_asks_for_nothing() -> None:
    made = matching("\u2030 \u00a0")

    assert (made.is_asked, made.expressions) == (False, {"said": "", "output": ""})


@pytest.mark.parametrize(
    ("typed", "is_there"),
    [
        ('"brown fox"', True),
        ('"quick fox"', False),
        ('"The Quick"', True),
        ('"brown fo"*', True),
        ('"brown fo"', False),
        ('"fox over"', False),
        ("brown-fox quick.brown", True),
        ("brown-fox fox.quick", False),
    ],
)
def test_a_phrase_stands_in_a_body_word_beside_word(typed: str, is_there: bool) -> None:
    assert matching(typed).has_phrases("the quick, brown\nfox") is is_there


def test_single_words_are_the_indexs_to_find() -> None:
    assert matching("absent").has_phrases("anything")
