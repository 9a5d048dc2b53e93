from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from unspool.show.diff import between, from_patch

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
