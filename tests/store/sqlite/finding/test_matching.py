import apsw
import pytest

from unspool.store.sqlite.finding import vocabulary
from unspool.store.sqlite.finding.matching import Matching
from unspool.store.sqlite.migrations import create
from unspool.store.terms import terms


def matching(typed: str) -> Matching:
    """Of an index where one line says main and map."""
    connection = apsw.Connection(":memory:")
    create(connection, "index.db")
    connection.execute("INSERT INTO said (rowid, body) VALUES (1, 'main map')")
    return Matching(connection, terms(typed))


def test_phrases_stay_whole_where_places_are_known() -> None:
    made = matching('Fix "the LANTERN" src/a')

    assert made.expressions == {
        "said": '"fix" AND "the lantern" AND "src a"',
        "output": '"fix" AND "the" AND "lantern" AND "src" AND "a"',
    }


def test_a_beginning_is_said_as_the_words_that_begin_so() -> None:
    made = matching("src/ma*")

    assert made.expressions == {
        "said": '("src main" OR "src map")',
        "output": '"src" AND ("ma")',
    }


def test_a_beginning_of_many_words_is_left_to_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "MOST", 1)
    made = matching("ma*")

    assert (made.expressions["said"], made.is_broad) == ('"ma" *', True)


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
@pytest.mark.parametrize("body", ["the quick, brown\nfox", "The QUICK, brown \u2014 F\u00d3X"])
def test_a_phrase_stands_in_a_body_word_beside_word(typed: str, is_there: bool, body: str) -> None:
    assert matching(typed).has_phrases(body) is is_there


def test_a_phrase_begins_with_a_whole_word() -> None:
    found = [matching('"fox fox"').has_phrases(body) for body in ("xfox fox", "xfox fox fox")]

    assert found == [False, True]


def test_single_words_are_the_indexs_to_find() -> None:
    assert matching("absent").has_phrases("anything")
