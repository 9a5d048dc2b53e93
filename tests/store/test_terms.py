from hypothesis import given
from hypothesis import strategies as st

from unspool.store.terms import LONGEST, Term, found, plain, terms


def test_words_phrases_and_prefixes_are_told_apart() -> None:
    assert terms('one "two three" four* "five si"*') == [
        Term("one", False),
        Term("two three", False),
        Term("four", True),
        Term("five si", True),
    ]


def test_a_quote_that_is_not_closed_ends_with_the_text() -> None:
    assert terms('a "b c') == [Term("a", False), Term("b c", False)]


def test_signs_without_a_letter_are_no_terms() -> None:
    assert terms('!! "..." * - a') == [Term("a", False)]


def test_a_long_text_is_cut() -> None:
    assert [len(term.text) for term in terms("a" * 1000)] == [LONGEST]


def test_half_characters_are_replaced() -> None:
    assert (plain("a\ud800b"), plain("ok")) == ("a?b", "ok")


def test_a_term_is_found_whole_or_as_a_beginning() -> None:
    body = "The quick brown fox"

    assert found(terms("quick fox"), body)
    assert found(terms('"brown fo"*'), body)
    assert not found(terms("quic"), body)
    assert not found(terms('"quick fox"'), body)


@given(st.text())
def test_no_text_breaks_it(typed: str) -> None:
    for term in terms(typed):
        assert "\0" not in term.text
        assert any(map(str.isalnum, term.text))
