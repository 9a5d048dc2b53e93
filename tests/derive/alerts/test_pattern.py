import pytest

from unspool.derive.alerts.pattern import Atom, Group, Hold, Refused, Repeat, parse


def refusal(pattern: str) -> str:
    with pytest.raises(Refused) as refused:
        parse(pattern)
    return str(refused.value)


# devtools 123
@pytest.mark.parametrize("pattern", ["(a+)+", "(a*)*", "(?:a+b)*", "((a{2,3}))+", "(x(a+))*y"])
def test_a_repeated_group_that_repeats_is_refused(pattern: str) -> None:
    assert "itself repeats or chooses" in refusal(pattern)


# devtools 123
@pytest.mark.parametrize("pattern", ["(a|b)+", "(?:a|b){2,}", "((a|b)c)*"])
def test_a_repeated_choice_is_refused(pattern: str) -> None:
    assert "itself repeats or chooses" in refusal(pattern)


# devtools 123
def test_a_pattern_of_more_than_a_hundred_characters_is_refused() -> None:
    assert parse("x" * 100)
    assert "101" in refusal("x" * 101)


# devtools 123
@pytest.mark.parametrize("pattern", ["(a", "a)", "((a)", "[a", "a]", "(a|b", "\\"])
def test_an_unbalanced_pattern_is_refused(pattern: str) -> None:
    assert refusal(pattern)


# devtools 123
def test_a_repeated_back_reference_is_refused() -> None:
    assert "back-references" in refusal(r"(a)\1+")


@pytest.mark.parametrize(
    "pattern",
    ["", "*a", "a**", "a*+", "a{2}{3}", "^*", "{2}", "a|*", "a{60}", "a{3,2}", "[z-a]", "[[a]]"],
)
def test_what_means_nothing_is_refused(pattern: str) -> None:
    assert refusal(pattern)


@pytest.mark.parametrize("pattern", ["(?=a)", "(?!a)", "(?i)a", "(?<=a)b", "(?>a)", r"\q", r"\07"])
def test_what_the_search_cannot_do_is_refused(pattern: str) -> None:
    assert "not known here" in refusal(pattern)


def test_a_choice_without_repetition_is_taken() -> None:
    assert parse("a|b") == Group("one", [Atom("a"), Atom("b")])


def test_an_optional_choice_is_taken() -> None:
    assert isinstance(parse("(a|b)?"), Repeat)


@pytest.mark.parametrize(
    ("pattern", "bounds"),
    [
        ("a*", (0, None)),
        ("a+", (1, None)),
        ("a?", (0, 1)),
        ("a{3}", (3, 3)),
        ("a{2,}", (2, None)),
        ("a{,4}", (0, 4)),
        ("a{2,4}?", (2, 4)),
    ],
)
def test_a_repetition_has_its_bounds(pattern: str, bounds: tuple[int, int | None]) -> None:
    assert parse(pattern) == Repeat(Atom("a"), *bounds)


@pytest.mark.parametrize("hold", ["^", "$", r"\b", r"\B", r"\A", r"\Z"])
def test_a_place_is_no_character(hold: str) -> None:
    assert parse(hold) == Hold(hold)


@pytest.mark.parametrize("atom", [r"\d", r"\.", r"\x41", r"\u00e9", "[a-z]", "[^]]", r"[\]]", "{"])
def test_a_character_of_some_kind_is_one_atom(atom: str) -> None:
    assert parse(atom) == Atom(atom)
