from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unspool.show.tools.diff import between, from_patch, marked

TEXTS = st.lists(st.sampled_from("abc"), max_size=8).map("\n".join)


def test_only_what_changed_is_marked() -> None:
    changes = between("a\nb\nc\nd", "a\nb\nX\nd")

    assert changes == [(" ", "b"), ("-", "c"), ("+", "X"), (" ", "d")]


def test_a_new_file_is_all_added() -> None:
    assert between("", "a\nb") == [("+", "a"), ("+", "b")]


def test_the_same_text_twice_is_no_change() -> None:
    assert not [mark for mark, _ in between("a\na", "a\na") if mark != " "]


@given(TEXTS, TEXTS)
def test_taking_out_and_putting_in_leads_from_one_to_the_other(old: str, new: str) -> None:
    changes = between(old, new)
    grown = sum({"+": 1, "-": -1}.get(mark, 0) for mark, _ in changes)

    assert grown == len(new.split("\n") if new else []) - len(old.split("\n") if old else [])


def test_a_patch_gives_its_lines() -> None:
    hunks: list[dict[str, Any]] = [
        {"lines": [" a", "-b", "+c", "\\ No newline", 7]},
        {"lines": None},
        {},
    ]

    assert from_patch(hunks) == [(" ", "a"), ("-", "b"), ("+", "c")]


def test_a_line_that_replaces_another_shows_the_words_that_differ() -> None:
    old, new = marked([("-", "key = route + 1"), ("+", "key = tenant + 1")])

    assert old == ("-", (("", "key = "), ("del", "route"), ("", " + 1")))
    assert new == ("+", (("", "key = "), ("ins", "tenant"), ("", " + 1")))


def test_lines_with_little_in_common_are_not_compared() -> None:
    assert list(marked([("-", "for x in y:"), ("+", "raise Oops")])) == [
        ("-", (("", "for x in y:"),)),
        ("+", (("", "raise Oops"),)),
    ]


def test_unequal_blocks_are_not_compared() -> None:
    lines = list(marked([("-", "a = 1"), ("+", "a = 2"), ("+", "b = 2")]))

    assert all(name == "" for _, spans in lines for name, _ in spans)


def test_what_cannot_be_seen_is_made_visible() -> None:
    (_, spans) = next(iter(marked([("+", "a\u202eb")])))

    assert spans == (("", "a"), ("bidi", "U+202E"), ("", "b"))


def test_a_line_that_stayed_has_no_mark() -> None:
    assert list(marked([(" ", "same")])) == [(" ", (("", "same"),))]
