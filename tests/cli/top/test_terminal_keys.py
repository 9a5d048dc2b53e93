from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.cli.top.terminal import KeyDecoder


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        (b"jk", ["j", "k"]),
        (b"\r", ["enter"]),
        (b"\x1b[A\x1b[B", ["up", "down"]),
        (b"\x1bOA", ["up"]),
        (b"\x1b[5~\x1b[6~", ["page up", "page down"]),
        (b"\x1b[H\x1b[F", ["home", "end"]),
        (b"\x7f\x15", ["backspace", "clear"]),
        ("é漢🚀".encode(), ["é", "漢", "🚀"]),
    ],
)
def test_what_a_terminal_sends_has_a_name(sent: bytes, keys: list[str]) -> None:
    assert KeyDecoder().feed(sent) == keys


def test_a_sequence_nobody_knows_is_no_key() -> None:
    assert KeyDecoder().feed(b"\x1b[200~a\x1b[1;5C\x01") == ["a"]


def test_escape_alone_is_a_key_when_nothing_follows() -> None:
    keys = KeyDecoder()

    assert keys.feed(b"\x1b") == []
    assert keys.is_waiting
    assert keys.flush() == ["escape"]
    assert not keys.is_waiting


def test_an_arrow_in_two_parts_is_one_key() -> None:
    keys = KeyDecoder()

    assert [*keys.feed(b"\x1b["), *keys.feed(b"A")] == ["up"]


@given(st.lists(st.integers(0, 40), max_size=6))
def test_the_pieces_do_not_matter(cuts: list[int]) -> None:
    sent = "aé\x1b[A漢\x1bOB🚀\x1b[5~q".encode()
    edges = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
    keys = KeyDecoder()
    found = [key for a, b in pairwise(edges) for key in keys.feed(sent[a:b])]

    assert found == ["a", "é", "up", "漢", "down", "🚀", "page up", "q"]


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(sent: bytes) -> None:
    keys = KeyDecoder()
    found = [*keys.feed(sent), *keys.flush()]

    assert all(key.isprintable() for key in found)
