from typing import Any

import pytest
from msgspec import Raw

from unspool.decode.values import DEEPEST, cleaned, sound, too_deep, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a":[1,2.5,null,true]}', {"a": [1, 2.5, None, True]}),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"a\ud800"', "a\ufffd"),
        (b'"\xff"', "\ufffd"),
        (b"[NaN,Infinity,-Infinity,1e999]", [None] * 4),
        (b"\xef\xbb\xbf[1]", [1]),
        (b"%d" % (2**63 - 1), 2**63 - 1),
        (b"%d" % 2**63, str(2**63)),
        (b"-%d" % 2**63, -(2**63)),
        (b"9" * 5000, "9" * 5000),
        (b'"a\nb"', "a\nb"),
        (b"", None),
        (b"{", None),
        (b"[1]x", None),
    ],
)
def test_a_value_is_read_whatever_is_wrong_with_it(text: bytes, expected: Any) -> None:
    assert value(Raw(text)) == expected


@pytest.mark.parametrize("opener", [b"[", b'{"a":'])
def test_brackets_are_followed_to_a_fixed_depth(opener: bytes) -> None:
    assert not too_deep(opener * DEEPEST)
    assert too_deep(opener * (DEEPEST + 1))


def test_brackets_inside_strings_are_not_depth() -> None:
    assert not too_deep(b'"' + b"[" * 300 + b'"')
    assert not too_deep(rb'"\"' + b"{" * 300 + b'"')


def test_many_shallow_brackets_are_not_deep() -> None:
    assert not too_deep(b"[],{}," * 300)


def test_a_value_too_deep_is_not_read() -> None:
    deep = b"[" * 300 + b"]" * 300

    assert value(deep) is None
    assert cleaned(deep) is None
    assert sound(deep) is None


def test_sound_json_is_left_alone() -> None:
    assert sound(b' {"a": 1} ') == b' {"a": 1} '


def test_unsound_json_is_rewritten() -> None:
    assert sound(b'{"a": NaN}') == b'{"a":null}'


def test_no_json_cannot_be_made_sound() -> None:
    assert sound(b"{a}") is None
