import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.json_depth import DEEPEST, is_too_deep, shallow


@pytest.mark.parametrize("opener", [b"[", b'{"a":'])
def test_brackets_are_followed_to_a_fixed_depth(opener: bytes) -> None:
    assert not is_too_deep(opener * DEEPEST)
    assert is_too_deep(opener * (DEEPEST + 1))


def test_what_is_shallow_enough_goes_on_to_its_decoder() -> None:
    deep = "[" * (DEEPEST + 1)

    assert (shallow(deep[1:]), shallow(b"{}")) == (deep[1:], b"{}")
    for data in (deep, f"{deep}\udc80"):
        with pytest.raises(ValueError, match="nested too deep"):
            shallow(data)


def test_brackets_inside_strings_are_not_depth() -> None:
    assert not is_too_deep(b'"' + b"[" * 300 + b'"')
    assert not is_too_deep(rb'"\"' + b"{" * 300 + b'"')


def test_many_shallow_brackets_are_not_deep() -> None:
    assert not is_too_deep(b"[],{}," * 300)


def test_a_string_may_end_in_backslashes() -> None:
    assert is_too_deep(rb'"\\"' + b"[" * 300)
    assert not is_too_deep(rb'"\\\"' + b"[" * 300)


def test_brackets_after_any_strings_are_counted() -> None:
    assert is_too_deep(b'["a","b[",' * 101 + b'{"c":' * 100)
    assert not is_too_deep(b'["a","b[",' * 100 + b'{"c":' * 100)


@given(st.text(alphabet='[]{}"\\a', max_size=40).map(str.encode))
def test_any_valid_value_is_as_deep_as_its_decoded_value(text: bytes) -> None:
    line = b"[" * (DEEPEST - 3) + json.dumps(text.decode()).encode() + b"," + text
    line += b"]" * (DEEPEST - 3)
    try:
        value = json.loads(line)
    except ValueError:
        return

    assert is_too_deep(line) == (depth(value) > DEEPEST)


def depth(value: object) -> int:
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 0
