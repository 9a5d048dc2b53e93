from __future__ import annotations

import re
from random import Random
from uuid import UUID

import pytest

from unspool.demo.generator.words import Ids, TextSource


@pytest.mark.parametrize("kind", ["prose", "code", "log"])
@pytest.mark.parametrize("size", [1, 900, 700_000])
def test_a_cut_is_as_long_as_asked(kind: str, size: int) -> None:
    assert len(getattr(TextSource(Random(1)), kind)(size)) == size


def test_two_cuts_differ() -> None:
    words = TextSource(Random(1))

    assert words.code(400) != words.code(400)


def test_the_same_seed_says_the_same() -> None:
    assert TextSource(Random(3)).prose(2_000) == TextSource(Random(3)).prose(2_000)


def test_another_seed_says_something_else() -> None:
    assert TextSource(Random(3)).prose(2_000) != TextSource(Random(4)).prose(2_000)


def test_paths_come_in_any_number() -> None:
    assert len(TextSource(Random(1)).paths(1_500)) == 1_500


def test_a_nickname_is_three_words() -> None:
    assert len(TextSource(Random(1)).nickname().split("-")) == 3


def test_no_blank_of_a_grammar_is_left_unfilled() -> None:
    words = TextSource(Random(1))

    assert "{v}" not in words.code(100_000) + words.log(100_000) + words.prose(100_000)


def test_an_entry_has_a_random_uuid() -> None:
    uuid = UUID(Ids(Random(1)).uuid())

    assert uuid.version == 4
    assert uuid.variant == "specified in RFC 4122"


def test_names_do_not_repeat() -> None:
    ids = Ids(Random(1))

    assert len({ids.uuid() for _ in range(500)} | {ids.named("msg_") for _ in range(500)}) == 1_000


def test_a_hex_name_has_so_many_digits() -> None:
    ids = Ids(Random(1))

    assert all(re.fullmatch("[0-9a-f]{3}", ids.hex(3)) for _ in range(50))


def test_an_api_name_says_what_it_names() -> None:
    assert re.fullmatch("toolu_01[1-9A-Za-z]{22}", Ids(Random(1)).named("toolu_"))
