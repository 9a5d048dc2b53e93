import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.regex import PatternError, compile_pattern
from unspool.engine.search.literals import required_literals


def literals(pattern: str) -> str:
    """In the order they come; `|` between those that stand for each other."""
    compile_pattern(pattern)
    return " ".join("|".join(sorted(group)) for group in required_literals(pattern))


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("Timed out", "timed out"), ("error: .* not found$", "found error not"),
        ("abcd?e", "abc e"), ("abcd*", "abc"), ("abcd+e", "abcd e"), ("abc??d", "ab d"),
        ("ab{2}cde", "cde ab"), ("ab{0,2}cd", "cd a"), ("ab{,2}", "ab 2"), (r"a\*bc", "bc a"),
        (r"\bdoor\b", "door"), ("^in$", "in"), ("[abc]+de", "de"), ("[^]a]bc", "bc"),
        ("[[:alpha:]]bc", "bc"), (r"[\]ab]cd", "cd"), (r"\x41bc", "bc"), (r"\x{41}bc", "bc"),
        (r"\pLbc", "bc"), (r"\p{Greek}bc", "bc"), (r"\012bc", "bc"), (r"\d+bc", "bc"),
        ("(abc)d", "abc d"), ("(ab)?cd", "cd"), ("(?:ab)+c", "ab c"), ("(?P<name>abc)", "abc"),
        ("(?i)Abc", "abc"), ("(?i:Abc)d", "abc d"), ("née", "n e"), ("\u212aelvin", "elvin"),
        ("部分.", "部分"),
    ],
)  # fmt: skip
def test_texts_that_every_match_contains_are_known(pattern: str, required: str) -> None:
    assert literals(pattern) == required


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("error|warning", "error|warning"), ("x(foo|ba[rz])", "ba|foo x"),
        ("(abc|d)ef", "ef abc|d"), ("((ab|cd)e|f)", "ab|cd|f"), ("(a|bc)?de", "de"),
    ],
)  # fmt: skip
def test_of_alternatives_one_is_required(pattern: str, required: str) -> None:
    assert literals(pattern) == required


@pytest.mark.parametrize(
    "pattern",
    ["a*", "[abc]+", "abc|", "(|abc)", r"\d+", ".*", r"\Qab\E*", "ab(?i)*", "(abc)*", "!"],
)
def test_a_pattern_may_require_nothing(pattern: str) -> None:
    assert literals(pattern) == ""


def test_the_longest_are_enough() -> None:
    assert literals("a bb ccc dddd eeeee") == "eeeee dddd ccc bb"


@given(
    st.text(r"adkK\|?*+.(){}[]^$Qi:2,İ", min_size=1, max_size=10),
    st.text("adkK\u212aİi2 ", max_size=12),
)
def test_every_text_that_matches_has_what_is_required(pattern: str, text: str) -> None:
    try:
        is_match = compile_pattern(pattern).occurs_in(text)
    except PatternError:
        return
    folded = text.lower()

    assert not is_match or all(
        any(one in folded for one in group) for group in required_literals(pattern)
    )
