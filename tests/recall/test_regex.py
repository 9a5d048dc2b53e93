import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.errors import ConfigError
from unspool.recall.regex import compiled, needles


# devtools 123
@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+",
        "(a|b)+",
        "a" * 101,
        "(a",
        "a)",
        "[a",
        "(a*){2,}",
        r"(a)\1+",
        "((ab*)c)*",
        "(?:a|b)*",
    ],
)
def test_a_pattern_that_may_never_end_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError):
        compiled(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a+b*",
        "(a+)b",
        "(a|b)",
        "(abc)+",
        r"(a|b)\+",
        "[(a+)]+",
        r"\(a+\)+",
        "(a+)?",
        "a|b",
        "x{3}",
        "[[a]b",
    ],
)
def test_a_pattern_that_ends_is_taken(pattern: str) -> None:
    assert compiled(pattern).pattern == pattern


@pytest.mark.parametrize(
    ("pattern", "sure"),
    [
        ("Timed out", b"timed out"), ("err: (a|b)", b"err"), ("a|bcd", b""), ("abc?d", b"ab d"),
        ("abcd*", b"abc"), ("ab{2}cde", b"a cde"), ("(abc)d", b"d"), ("(?x) abc", b""),
        (r"\bkettle\b", b"kettle"), ("[abc]+", b""), ("né", b"n"), (r"\x41bcd", b""),
    ],
)  # fmt: skip
def test_letters_that_must_be_there_are_known(pattern: str, sure: bytes) -> None:
    assert needles(pattern) == tuple(sure.split())


@given(st.from_regex(r"[a-d(|)?*+.]{1,8}"), st.text("abcd ", max_size=12))
def test_a_text_that_fits_has_the_letters_that_must_be_there(pattern: str, text: str) -> None:
    try:
        found = compiled(pattern).search(text)
    except ConfigError:
        return
    assert found is None or all(letters in text.encode() for letters in needles(pattern))


def test_case_does_not_matter_and_lines_have_ends() -> None:
    assert compiled("^todo$").search("a\nTODO\nb")


@given(st.text(max_size=110))
def test_any_text_is_taken_or_refused(pattern: str) -> None:
    try:
        made = compiled(pattern)
    except ConfigError:
        return
    assert isinstance(made, re.Pattern)
