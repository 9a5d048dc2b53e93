import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.store.sqlite.finding.bytewise import Bytewise
from unspool.store.terms import Term, found

WORDS = st.sampled_from(["ab", "Ab", "b", "a", "é", "e\u0301", "\u212a", "k", "1", "漢"])
GAPS = st.sampled_from([" ", "\n", '"', "\\", "\x1b[0m", ", ", "✓", "\\n", "", '":"', "\u0301"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), max_size=8).map(lambda made: "".join(map("".join, made)))


def may_have(phrase: str, *texts: str, ascii: bool = False) -> bool:
    line = json.dumps({"content": [{"text": text} for text in texts]}, ensure_ascii=ascii)
    return Bytewise([phrase.split()]).may_have(line.encode())


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
