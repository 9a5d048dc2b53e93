from typing import Any

import pytest
from msgspec import Raw, Struct

from unspool.decode.lenient import (
    MISFIT,
    build,
    by_tag,
    clean_json,
    fit,
    members,
    plain_value,
    read_as,
    text_of,
    valid_json,
)
from unspool.model.blocks import ContentBlock, OtherBlock, Text, Thinking
from unspool.model.transcript import HookInfo, MessageBody, System, Usage


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
    assert plain_value(Raw(text)) == expected


def test_a_value_too_deep_is_not_read() -> None:
    deep = b"[" * 300 + b"]" * 300

    assert plain_value(deep) is None
    assert clean_json(deep) is None
    assert valid_json(deep) is None


def test_sound_json_is_left_alone() -> None:
    assert valid_json(b' {"a": 1} ') == b' {"a": 1} '


def test_unsound_json_is_rewritten() -> None:
    assert valid_json(b'{"a": NaN}') == b'{"a":null}'


def test_no_json_cannot_be_made_sound() -> None:
    assert valid_json(b"{a}") is None


class Inner(Struct, frozen=True):
    n: int = 0


class Outer(Struct, frozen=True):
    inner: Inner | None = None
    many: list[Inner] | None = None
    named: dict[str, Inner] | None = None
    text: str | None = None
    ratio: float | None = None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"text":7,"inner":{"n":1}}', Outer(inner=Inner(1))),
        (b'{"inner":{"n":"x"}}', Outer(inner=Inner())),
        (b'{"inner":5}', Outer()),
        (b'{"inner":[]}', Outer()),
        (b'{"many":[{"n":1},2,{"n":[]}]}', Outer(many=[Inner(1), Inner()])),
        (b'{"many":{"n":1}}', Outer(many=[Inner(1)])),
        (b'{"many":"x"}', Outer()),
        (b'{"named":{"a":{"n":1},"b":2}}', Outer(named={"a": Inner(1)})),
        (b'{"named":[1]}', Outer()),
        (b'{"text":{"a":1}}', Outer()),
        (b'{"text":7,"ratio":"inf"}', Outer()),
        (b'{"text":7,"ratio":"0.5"}', Outer(ratio=0.5)),
        (b' {"text":7} ', Outer()),
    ],
)
def test_only_what_does_not_fit_is_left_out(text: bytes, expected: Outer) -> None:
    assert fit(Outer, text) == expected


@pytest.mark.parametrize("text", [b"5", b"[]", b"{", b'"x"', b""])
def test_a_value_of_another_shape_is_a_misfit(text: bytes) -> None:
    assert fit(Outer, text) is MISFIT


@pytest.mark.parametrize("count", [b'"10"', b"10.0", b"1e1"])
def test_a_count_in_another_spelling_still_counts(count: bytes) -> None:
    assert fit(Usage, b'{"input_tokens":' + count + b"}") == Usage(input_tokens=10)


@pytest.mark.parametrize("count", [b"-1", b"1.5", b"99999999999", b'"many"', b"[1]"])
def test_a_count_beyond_reason_is_left_out(count: bytes) -> None:
    text = b'{"input_tokens":' + count + b',"output_tokens":2}'

    assert fit(Usage, text) == Usage(output_tokens=2)


def test_blocks_that_are_no_blocks_are_kept_as_they_are() -> None:
    body = fit(MessageBody, b'{"content":["loose",{"text":"no type"},{"type":""},{"type":"text"}]}')

    kept = [(block.kind, bytes(block.raw)) for block in body.content[:3]]
    assert kept == [("", b'"loose"'), ("", b'{"text":"no type"}'), ("", b'{"type":""}')]
    assert body.content[3] == Text()


def test_a_known_block_loses_only_its_misfits() -> None:
    body = fit(
        MessageBody, b'{"content":[{"type":"thinking","thinking":5},{"type":"text","text":"a"}]}'
    )

    assert body.content == [Thinking(), Text("a")]


def test_one_block_alone_is_a_list_of_one() -> None:
    assert fit(MessageBody, b'{"content":{"type":"text","text":"a"}}').content == [Text("a")]


def test_hooks_that_are_no_hooks_leave_the_others() -> None:
    system = fit(System, b'{"type":"system","hookInfos":[7,{"command":"lint"}]}')

    assert system.hook_infos == [HookInfo("lint")]


def test_a_struct_is_built_of_the_fields_there_are() -> None:
    assert build(Inner, {"n": Raw(b"3"), "z": Raw(b"4")}) == Inner(3)


def test_a_union_is_indexed_by_its_tags() -> None:
    found = by_tag(ContentBlock)

    assert found["text"] is Text
    assert OtherBlock in found.values()


@pytest.mark.parametrize(
    ("raw", "expected"), [(Raw(b'"a"'), "a"), (Raw(b"5"), None), (None, None), (Raw(b'"'), None)]
)
def test_a_string_is_told_from_everything_else(raw: Raw | None, expected: str | None) -> None:
    assert text_of(raw) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"n":1}', Inner(1)),
        (b'{"n":1,"s":"\\ud800"}', Inner(1)),
        (b"[1]", None),
        (b"{", None),
    ],
)
def test_a_whole_text_is_read_or_nothing_is(text: bytes, expected: Any) -> None:
    assert read_as(Inner, text) == expected


def test_an_object_is_taken_apart_unread() -> None:
    assert members(b'{"a":[1, 2]}') == {"a": Raw(b"[1, 2]")}
    assert members(b"[1]") == {}
