import re
from math import log
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.regex import PatternError, compile_pattern

atoms = st.sampled_from(
    ["a", "b", "B", "_", r"\.", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\S", "[a-c1]"]
)
signs = st.sampled_from(["", "", "*", "+", "?", "*?", "{2}", "{1,}", "{0,2}", "{1,3}"])
places = st.sampled_from(["", "", "", "^", "$", r"\b", r"\A"])
parts = st.builds("".join, st.tuples(places, atoms, signs))
sequences = st.lists(parts, min_size=1, max_size=4).map("".join)
groups = st.builds("({}){}".format, sequences, st.sampled_from(["", "?", "*", "+", "{2}"]))
patterns = st.one_of(
    sequences,
    st.builds("{}{}".format, sequences, groups),
    st.builds("{}|{}".format, sequences, groups),
)
texts = st.text(st.sampled_from("aAbBcC1_. \n"), max_size=12)

odd = st.lists(st.characters() | st.sampled_from("aé.*+\\\ud800"), max_size=50).map("".join)


def matches(pattern: str, text: str) -> bool:
    return compile_pattern(pattern).occurs_in(text)


def refusal(pattern: str) -> str:
    with pytest.raises(PatternError) as refused:
        compile_pattern(pattern)
    return refused.value.reason


@given(patterns, texts)
def test_it_finds_what_the_standard_library_finds(pattern: str, text: str) -> None:
    standard = re.compile(pattern, re.IGNORECASE | re.MULTILINE)

    assert matches(pattern, text) == bool(standard.search(text))


def test_case_does_not_matter() -> None:
    assert matches("DROP table", "drop TABLE users")
    assert matches("É", "café")


def test_a_pattern_may_begin_anywhere() -> None:
    assert matches(r"rm\s+-rf", "cd /tmp && rm  -rf build")


def test_the_ends_of_lines_are_anchors() -> None:
    assert matches("^todo$", "a\nTODO\nb")
    assert not matches(r"\Atodo", "a\nTODO")


def test_a_dot_ends_at_the_line() -> None:
    assert not matches("a.b", "a\nb")


def test_letters_of_other_scripts_have_a_class() -> None:
    """Documented: the classes with one letter are about ASCII."""
    assert matches(r"\pL", "é")
    assert not matches(r"\w", "é")


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|b)+", "((ab*)c)*", "(?:a|b){2,}", "(?i)a", "a]"])
def test_groups_may_repeat_what_repeats(pattern: str) -> None:
    assert matches(pattern, "xaabcaa]")


# devtools 123
def test_a_pattern_of_more_than_a_hundred_characters_is_refused() -> None:
    assert compile_pattern("x" * 100)
    assert refusal("x" * 101) == "it has 101 characters, and 100 are allowed"


# devtools 123
@pytest.mark.parametrize("pattern", ["(a", "a)", "((a)", "[a", "(a|b", "\\"])
def test_an_unbalanced_pattern_is_refused(pattern: str) -> None:
    assert re.match(r"missing|unexpected|trailing", refusal(pattern))


# devtools 123
@pytest.mark.parametrize("pattern", [r"(a)\1", r"(a)\1+"])
def test_a_back_reference_is_refused(pattern: str) -> None:
    assert refusal(pattern) == "back-references are not supported"


@pytest.mark.parametrize("pattern", ["(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b"])
def test_a_look_around_is_refused(pattern: str) -> None:
    assert refusal(pattern) == "look-arounds are not supported"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "it is empty"),
        ("*a", "no argument for repetition operator: *"),
        ("a**", "bad repetition operator: **"),
        ("a{3,2}", "invalid repetition size: {3,2}"),
        ("[z-a]", "invalid character class range: z-a"),
        (r"\q", r"invalid escape sequence: \q"),
        ("a)", "unexpected ): a)"),
        ("\ud800", "it has half a character"),
        (r"(?:\pL{40}){25}", "it repeats too much"),
    ],
)
def test_a_refusal_says_why(pattern: str, reason: str) -> None:
    assert refusal(pattern) == reason


def test_a_refusal_is_a_sentence_with_the_pattern() -> None:
    sentence = "The pattern '[a' cannot be used: missing ]: [a."
    with pytest.raises(PatternError, match=f"^{re.escape(sentence)}$"):
        compile_pattern("[a")


def test_nothing_is_printed_about_a_bad_pattern(capfd: pytest.CaptureFixture[str]) -> None:
    refusal("(never written before")

    assert capfd.readouterr() == ("", "")


def test_places_are_counted_in_characters() -> None:
    assert compile_pattern("b+").spans("é😀bb\ud800b", 5) == [(2, 4), (5, 6)]


def test_empty_matches_are_no_places() -> None:
    assert compile_pattern("b*").spans("abba", 5) == [(1, 3)]


def test_there_are_no_more_places_than_asked_for() -> None:
    assert compile_pattern("a").spans("aaaa", 2) == [(0, 1), (1, 2)]


@given(odd, odd)
def test_any_pattern_on_any_text_gives_an_answer(pattern: str, text: str) -> None:
    """Lone surrogates too: JSON can hold them."""
    try:
        made = compile_pattern(pattern)
    except PatternError:
        return
    assert all(0 <= a < b <= len(text) for a, b in made.spans(text, 5))
    assert made.occurs_in(text) in (True, False)


def test_a_byte_of_a_character_does_not_break_it() -> None:
    assert compile_pattern(r"\C").spans("é😀", 9)


def seconds(pattern: str, text: str) -> float:
    """Others on the machine only make a run longer, so the shortest counts."""
    shortest = float("inf")
    for _ in range(3):
        begun = process_time()
        compile_pattern(pattern).spans(text, 20)
        shortest = min(shortest, process_time() - begun)
    return shortest


HOSTILE = [
    ("(a+)+$", "a", "!"),
    ("(a|aa)+$", "a", "!"),
    ("(a*)*b", "a", ""),
    ("(x+x+)+y", "x", ""),
    (r"(\w+\s?)*$x", "word ", ""),
    (".*.*.*.*.*.*x", "a", ""),
    ("git.*push.*force", "git push ", ""),
    ("[ab]*a[ab]{200}c", "abbab", ""),
    ("((a{0,10}){0,10}){0,10}b", "a", ""),
    ("a?" * 20 + "a{20}b", "a", ""),
    ("(a*b)?", "a", ""),
]


@pytest.mark.parametrize(("pattern", "unit", "end"), HOSTILE, ids=[one[0] for one in HOSTILE])
def test_time_grows_as_the_text_does(pattern: str, unit: str, end: str) -> None:
    """1 where it does, 2 where it grows as the square; going back would take years."""
    size, grown = 4_000, float("inf")
    while grown > 1.5 and size <= 64_000:
        short, long = (unit * (length // len(unit)) + end for length in (size, 8 * size))
        grown = log(max(seconds(pattern, long), 1e-4) / max(seconds(pattern, short), 1e-4), 8)
        size *= 2

    assert grown <= 1.5
