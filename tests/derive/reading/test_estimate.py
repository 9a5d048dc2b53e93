"""Weights are those of the client's own language: UTF-16 units of compact JSON, by four."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.reading.estimate import checksum, json_tokens, json_units, tokens, units

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# devtools 81
@pytest.mark.parametrize(
    ("text", "weight"), [("", 0), ("a", 1), ("a" * 5, 2), ("a" * 12, 3), ("a" * 1000, 250)]
)
def test_a_token_is_four_units_rounded_up(text: str, weight: int) -> None:
    assert tokens(text) == weight


# devtools 81
def test_an_empty_list_weighs_one_token() -> None:
    assert json_tokens(b"[]") == 1


@pytest.mark.parametrize(("text", "length"), [("é", 1), ("€", 1), ("😀", 2), ("\ud800", 1)])
def test_units_are_those_of_utf_16(text: str, length: int) -> None:
    assert units(text) == length


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (b'{"a": 1, "b": [1, 2]}', '{"a":1,"b":[1,2]}'),
        (b'{\n  "a": 1\n}', '{"a":1}'),
        (b'["a", "b"]', '["a","b"]'),
        (b'[ "a" ]', '["a"]'),
        (b'{"a":"\\u00e9"}', '{"a":"é"}'),
        (b'{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'),
        (b'{"a":1.0}', '{"a":1}'),
        (b'{"a":2.0,"b":1}', '{"a":2,"b":1}'),
        (b"[3.0]", "[3]"),
    ],
)
def test_json_weighs_what_it_would_written_compactly(written: bytes, plain: str) -> None:
    assert json_units(written) == units(plain)


@pytest.mark.parametrize("written", ['{"a":"x.0y"}', '{"a":1.05}', '["a\\"b"]', "7", '{"é":1}'])
def test_compact_json_weighs_what_it_is(written: str) -> None:
    assert json_units(written.encode()) == units(written)


def test_a_number_too_long_to_spell_out_keeps_its_exponent() -> None:
    assert json_units(b'{"a": 1e300}') == len('{"a":1e300}')


@pytest.mark.parametrize("broken", [b'{"a": "\\ud800"}', b'{"a": ', b"", b"\xff\xfe"])
def test_json_that_cannot_be_read_still_has_a_weight(broken: bytes) -> None:
    assert json_units(broken) == units(broken.decode("utf-8", "replace"))


def test_json_nested_beyond_reason_has_a_weight() -> None:
    assert json_units(b"[ " * 100_000) == 200_000


@given(VALUES)
def test_spaced_and_escaped_json_weigh_the_same_as_compact(value: Any) -> None:
    assert json_units(json.dumps(value).encode()) == units(compact(value))


def test_a_checksum_tells_texts_apart() -> None:
    assert checksum("a") == checksum("a") != checksum("b")


def test_a_checksum_tells_places_apart() -> None:
    assert checksum("a", 1) != checksum("a", 2)


def test_half_a_character_has_a_checksum() -> None:
    assert checksum("\ud800") != checksum("\ud801")
