import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.alerts.machine import MOST_TEXT, Matcher, matcher, occurs

atoms = st.sampled_from(
    ["a", "b", "B", "_", r"\.", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\S", "[a-c1]", "é"]
)
signs = st.sampled_from(["", "", "*", "+", "?", "*?", "{2}", "{1,}", "{,2}", "{1,3}"])
holds = st.sampled_from(["", "", "", "^", "$", r"\b", r"\A", r"\Z"])
parts = st.builds("".join, st.tuples(holds, atoms, signs))
sequences = st.lists(parts, min_size=1, max_size=4).map("".join)
groups = st.builds("({}){}".format, sequences, st.sampled_from(["", "?"]))
patterns = st.one_of(
    sequences,
    st.builds("{}{}".format, sequences, groups),
    st.builds("{}|{}".format, sequences, groups),
)
texts = st.text(st.sampled_from("aAbBcC1_. \néÉ"), max_size=12)


@given(patterns, texts)
def test_it_finds_what_the_standard_library_finds(pattern: str, text: str) -> None:
    found = re.search(pattern, text, re.IGNORECASE | re.MULTILINE)

    assert occurs(pattern, text) == bool(found)


def test_case_does_not_matter() -> None:
    assert occurs("DROP table", "drop TABLE users")


def test_a_pattern_may_begin_anywhere() -> None:
    assert occurs(r"rm\s+-rf", "cd /tmp && rm  -rf build")


def test_a_pattern_that_is_not_taken_is_found_nowhere() -> None:
    assert not occurs("(a+)+", "aaa")


def test_a_pattern_that_is_not_taken_says_why() -> None:
    assert "repeats" in str(matcher("(a+)+"))


def test_one_that_would_grow_too_large_is_refused() -> None:
    assert matcher(r"(?:abcdefghijk){50}") == "it repeats too much"


def test_what_lies_beyond_the_limit_is_not_looked_at() -> None:
    assert (occurs("x", "a" * (MOST_TEXT - 1) + "x"), occurs("x", "a" * MOST_TEXT + "x")) == (
        True,
        False,
    )


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (".*.*.*.*.*.*x", "a" * MOST_TEXT),
        (r"\s*\s*\s*\s*\s*x", " " * MOST_TEXT),
        ("a*a*a*a*a*a*a*a*b", "a" * MOST_TEXT),
        ("a?" * 20 + "a{20}b", "a" * MOST_TEXT),
        ("git.*push.*force", "git push " * 2_000),
        (r"(\w+\s?)?$x", "word " * 2_000),
    ],
)
def test_no_pattern_runs_away(pattern: str, text: str) -> None:
    """Going back would take years for most of these: then this test would not end."""
    assert isinstance(matcher(pattern), Matcher)

    assert not occurs(pattern, text)


@given(st.text(max_size=110), st.text(max_size=50))
def test_any_pattern_on_any_text_gives_an_answer(pattern: str, text: str) -> None:
    assert occurs(pattern, text) in (True, False)


def test_what_is_remembered_of_many_texts_stays_bounded() -> None:
    found = [occurs("ab", chr(0x4E00 + number) + "ab") for number in range(12_000)]

    assert all(found)
