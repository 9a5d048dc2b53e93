import json

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.search import vocabulary
from unspool.store.sqlite.search.matching import RawLineFilter, TermMatcher
from unspool.store.terms import Term, found, terms

WORDS = st.sampled_from(["ab", "Ab", "b", "a", "é", "e\u0301", "\u212a", "k", "1", "漢"])
GAPS = st.sampled_from([" ", "\n", '"', "\\", "\x1b[0m", ", ", "✓", "\\n", "", '":"', "\u0301"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), max_size=8).map(lambda made: "".join(map("".join, made)))


def matcher(typed: str) -> TermMatcher:
    """Of an index where one line says main and map."""
    connection = apsw.Connection(":memory:")
    create(connection, "index.db")
    connection.execute("INSERT INTO said (rowid, body) VALUES (1, 'main map')")
    return TermMatcher(connection, terms(typed))


def test_phrases_stay_whole_where_places_are_known() -> None:
    made = matcher('Fix "the LANTERN" src/a')

    assert made.expressions == {
        "said": '"fix" AND "the lantern" AND "src a"',
        "output": '"fix" AND "the" AND "lantern" AND "src" AND "a"',
    }


def test_a_beginning_is_said_as_the_words_that_begin_so() -> None:
    made = matcher("src/ma*")

    assert made.expressions == {
        "said": '("src main" OR "src map")',
        "output": '"src" AND ("ma")',
    }


def test_a_beginning_of_many_words_is_left_to_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "_MOST_WORDS", 1)
    made = matcher("ma*")

    assert (made.expressions["said"], made.has_broad_prefix) == ('"ma" *', True)


def test_accents_and_signs_are_gone() -> None:
    assert matcher("Caf\u00e9 \u2014 !").expressions["said"] == '"cafe"'


def test_what_has_no_words_asks_for_nothing() -> None:
    made = matcher("\u2030 \u00a0")

    assert (made.word_count, made.expressions) == (0, {"said": "", "output": ""})


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
    assert matcher(typed).has_phrases(body) is is_there


def test_a_phrase_begins_with_a_whole_word() -> None:
    found = [matcher('"fox fox"').has_phrases(body) for body in ("xfox fox", "xfox fox fox")]

    assert found == [False, True]


def test_single_words_are_the_indexs_to_find() -> None:
    assert matcher("absent").has_phrases("anything")


def may_have(phrase: str, *texts: str, ascii: bool = False) -> bool:
    line = json.dumps({"content": [{"text": text} for text in texts]}, ensure_ascii=ascii)
    return RawLineFilter([phrase.split()]).may_match(line.encode())


@pytest.mark.parametrize("text", ["lantern green it", "green old lantern", "greenlantern"])
def test_words_that_are_not_side_by_side_are_ruled_out(text: str) -> None:
    assert not may_have("green lantern", text)


@pytest.mark.parametrize("gap", [" ", "\n\t", '"', "\\", "\x1b[", " ✓ ", "-/-"])
def test_words_side_by_side_are_not(gap: str) -> None:
    assert may_have("green lantern", f"a Green{gap}LANTERN b")
    assert may_have("green lantern", f"a Green{gap}LANTERN b", ascii=True)


def test_a_phrase_may_go_on_in_the_next_text() -> None:
    assert may_have("green lantern", "it is green.", "lantern")


@pytest.mark.parametrize("ascii", [True, False])
def test_a_letter_with_a_mark_may_be_a_plain_one(ascii: bool) -> None:
    assert may_have("cafe noir", "café noir", ascii=ascii)


def test_words_that_are_not_plain_rule_nothing_out() -> None:
    assert may_have("café noir", "something else")


@given(st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(["ab b", "a k", "b 1 ab"]))
def test_nothing_that_has_a_phrase_is_ruled_out(texts: list[str], phrase: str) -> None:
    if found([Term(phrase, False)], "\n".join(texts)):
        assert may_have(phrase, *texts)
        assert may_have(phrase, *texts, ascii=True)
