from __future__ import annotations

from random import Random

import pytest

from unspool.demo.generator.words import Words


@pytest.mark.parametrize("kind", ["prose", "code", "log"])
@pytest.mark.parametrize("size", [1, 900, 700_000])
def test_a_cut_is_as_long_as_asked(kind: str, size: int) -> None:
    assert len(getattr(Words(Random(1)), kind)(size)) == size


def test_two_cuts_differ() -> None:
    words = Words(Random(1))

    assert words.code(400) != words.code(400)


def test_the_same_seed_says_the_same() -> None:
    assert Words(Random(3)).prose(2_000) == Words(Random(3)).prose(2_000)


def test_another_seed_says_something_else() -> None:
    assert Words(Random(3)).prose(2_000) != Words(Random(4)).prose(2_000)


def test_paths_come_in_any_number() -> None:
    assert len(Words(Random(1)).paths(1_500)) == 1_500


def test_a_nickname_is_three_words() -> None:
    assert len(Words(Random(1)).nickname().split("-")) == 3


def test_no_blank_of_a_grammar_is_left_unfilled() -> None:
    words = Words(Random(1))

    assert "{v}" not in words.code(100_000) + words.log(100_000) + words.prose(100_000)
