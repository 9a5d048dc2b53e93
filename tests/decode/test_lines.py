import json
from typing import Any

import pytest
from msgspec import Raw

from unspool.decode.lines import decode
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.json_depth import DEEPEST
from unspool.model.blocks import NULL, ContentBlock, OtherBlock, Text, Thinking, ToolResult, ToolUse
from unspool.model.metadata import CostState
from unspool.model.transcript import (
    Assistant,
    Attachment,
    Entry,
    Progress,
    System,
    Unknown,
    Unreadable,
    User,
)


def entries(made: Transcript) -> list[Entry]:
    return [entry for line in made.bytes().split(b"\n") for entry in decode(line)]


def one(line: bytes) -> Entry:
    (entry,) = decode(line)
    return entry


def user(**fields: Any) -> bytes:
    return json.dumps({"type": "user", "uuid": "u1", **fields}).encode()


def content_of(line: bytes) -> str | list[ContentBlock] | None:
    entry = one(line)
    assert isinstance(entry, User | Assistant)
    assert entry.message is not None
    return entry.message.content


def blocks_of(line: bytes) -> list[ContentBlock]:
    content = content_of(line)
    assert isinstance(content, list)
    return content


def result_of(line: bytes) -> bytes:
    entry = one(line)
    assert isinstance(entry, User)
    return bytes(entry.tool_use_result)


# devtools 1
@pytest.mark.parametrize("blank", [b"", b"  ", b"\t", b"\r", b"\xef\xbb\xbf"])
def test_a_blank_line_holds_nothing(blank: bytes) -> None:
    assert decode(blank) == ()


# devtools 1
def test_a_line_may_end_in_a_carriage_return() -> None:
    assert isinstance(one(user() + b"\r"), User)


# devtools 2
def test_a_cut_line_leaves_its_neighbours_whole() -> None:
    made = Transcript().user("one").raw(user()[:20]).user("two")

    kinds = [type(entry) for entry in entries(made)]

    assert kinds == [User, Unreadable, User]


# devtools 3
def test_a_line_without_a_uuid_is_still_read() -> None:
    entry = one(b'{"type":"user","message":{"content":"hi"}}')

    assert isinstance(entry, User)
    assert entry.uuid is None


# devtools 6
def test_each_block_of_an_answer_is_told_apart() -> None:
    blocks = [thinking_block("hm"), text_block("so"), tool_block("Bash", {"command": "ls"}, "t1")]
    line = {"type": "assistant", "message": {"content": blocks}}

    kinds = [type(block) for block in blocks_of(json.dumps(line).encode())]

    assert kinds == [Thinking, Text, ToolUse]


# devtools 6
def test_an_answer_may_be_a_plain_string() -> None:
    assert content_of(b'{"type":"assistant","message":{"content":"done"}}') == "done"


# devtools 7
def test_a_call_without_name_id_or_input_has_empty_ones() -> None:
    (call,) = blocks_of(b'{"type":"assistant","message":{"content":[{"type":"tool_use"}]}}')

    assert call == ToolUse("", "", NULL)


# devtools 8
def test_a_result_need_not_say_whether_it_failed() -> None:
    (result,) = blocks_of(user(message={"content": [{"type": "tool_result", "tool_use_id": "t1"}]}))

    assert isinstance(result, ToolResult)
    assert not result.is_error


# format 9
@pytest.mark.parametrize("result", ['"Error: no"', '[{"type":"text","text":"a"}]', '{"stdout":""}'])
def test_a_structured_result_is_kept_whatever_its_shape(result: str) -> None:
    line = b'{"type":"user","toolUseResult":' + result.encode() + b"}"

    assert result_of(line) == result.encode()


# format 12
def test_line_separators_inside_a_string_do_not_end_it() -> None:
    entry = one('{"type":"user","uuid":"a\u2028b\u2029c"}'.encode())

    assert isinstance(entry, User)
    assert entry.uuid == "a\u2028b\u2029c"


# format 12
def test_a_byte_order_mark_is_passed_over() -> None:
    assert isinstance(one(b"\xef\xbb\xbf" + user()), User)


# format 12
def test_zero_bytes_before_a_record_are_kept_beside_it() -> None:
    zeros, entry = decode(b"\0\0\0" + user())

    assert zeros == Unreadable("zero bytes", b"\0\0\0")
    assert isinstance(entry, User)


# format 12
def test_a_cut_tail_is_kept_as_it_is() -> None:
    assert one(user()[:-5]) == Unreadable("cut record", user()[:-5])


# format 13
def test_a_line_of_an_unknown_kind_keeps_its_bytes() -> None:
    line = b'{"type":"brand-new","sessionId":"s1"}'

    assert one(line) == Unknown("brand-new", line)


# format 13
def test_an_unknown_block_keeps_its_bytes_and_its_neighbours() -> None:
    line = b'{"type":"user","message":{"content":[{"type":"hologram","z":1},{"type":"text"}]}}'

    other, text = blocks_of(line)

    assert other == OtherBlock("hologram", Raw(b'{"type":"hologram","z":1}'))
    assert text == Text()


# format 13
def test_an_unknown_attachment_is_an_attachment() -> None:
    entry = one(b'{"type":"attachment","attachment":{"type":"smell","strength":3}}')

    assert isinstance(entry, Attachment)
    assert entry.attachment is not None
    assert entry.attachment.type == "smell"


# format 17
def test_an_answer_needs_neither_id_nor_model() -> None:
    entry = one(b'{"type":"assistant","message":{"content":[],"usage":{"output_tokens":5}}}')

    assert isinstance(entry, Assistant)
    assert entry.message is not None
    assert (entry.message.id, entry.message.model) == (None, None)


def test_progress_under_its_older_name_is_read() -> None:
    entry = one(b'{"type":"progress","progressData":{"hookEvent":"Stop"}}')

    assert isinstance(entry, Progress)
    assert entry.progress_data is not None
    assert entry.progress_data.hook_event == "Stop"


def test_an_object_without_a_type_is_of_no_known_kind() -> None:
    assert one(b'{"a":1}') == Unknown("", b'{"a":1}')


@pytest.mark.parametrize("line", [b"[1]", b"null", b"12", b'"text"', b"true"])
def test_json_that_is_not_an_object_is_no_record(line: bytes) -> None:
    assert one(line) == Unreadable("not an object", line)


@pytest.mark.parametrize("line", [b'{"type":5}', b'{"type":null}', b'{"type":["user"]}'])
def test_a_type_that_is_not_a_string_places_no_line(line: bytes) -> None:
    assert one(line) == Unreadable("type is not a string", line)


def test_a_lone_surrogate_is_replaced() -> None:
    entry = one(rb'{"type":"user","uuid":"a\ud800b"}')

    assert isinstance(entry, User)
    assert entry.uuid == "a\ufffdb"


def test_a_lone_surrogate_in_a_result_does_not_cost_the_line() -> None:
    assert result_of(rb'{"type":"user","toolUseResult":"a\udfffb"}') == '"a\ufffdb"'.encode()


def test_a_zero_character_in_a_string_stays() -> None:
    entry = one(rb'{"type":"user","uuid":"a\u0000b"}')

    assert isinstance(entry, User)
    assert entry.uuid == "a\0b"


def nested(bracket: bytes, levels: int) -> bytes:
    """A user's line nested so many levels deep, its own two brackets among them."""
    deep = bracket[:-1] * (levels - 1) + b"1" + bracket[-1:] * (levels - 1)
    return b'{"type":"user","toolUseResult":' + deep + b"}"


@pytest.mark.parametrize("levels", [DEEPEST + 1, 300, 600, 900, 2_000, 9_000, 100_000])
@pytest.mark.parametrize("bracket", [b"[]", b'{"a":}'])
def test_nesting_without_end_is_refused_with_a_reason(bracket: bytes, levels: int) -> None:
    line = nested(bracket, levels)

    assert one(line) == Unreadable("nested too deep", line)


@pytest.mark.parametrize("bracket", [b"[]", b'{"a":}'])
def test_nesting_up_to_the_limit_is_read(bracket: bytes) -> None:
    assert isinstance(one(nested(bracket, DEEPEST)), User)


@pytest.mark.parametrize("levels", [DEEPEST + 1, 2_000])
def test_a_line_nested_too_deep_costs_no_record_glued_to_it(levels: int) -> None:
    deep = nested(b"[]", levels)
    entries = decode(user() + deep + user())

    assert [type(entry) for entry in entries] == [User, Unreadable, User]
    assert entries[1] == Unreadable("nested too deep", deep)


@pytest.mark.parametrize("number", [b"9" * 5000, b"%d" % 2**63, b"1e999", b"NaN", b"-Infinity"])
def test_a_number_beyond_reason_costs_its_field_alone(number: bytes) -> None:
    entry = one(b'{"type":"system","subtype":"turn_duration","durationMs":' + number + b"}")

    assert isinstance(entry, System)
    assert (entry.subtype, entry.duration_ms) == ("turn_duration", None)


@pytest.mark.parametrize("number", [b"9" * 5000, b"1e999", b"NaN"])
def test_a_number_beyond_reason_in_a_result_costs_nothing(number: bytes) -> None:
    entry = one(b'{"type":"user","uuid":"u1","toolUseResult":' + number + b"}")

    assert isinstance(entry, User)
    assert entry.uuid == "u1"


def test_an_infinite_cost_is_no_cost() -> None:
    entry = one(b'{"type":"cost-state","totalCostUSD":1e999,"totalLinesAdded":3}')

    assert isinstance(entry, CostState)
    assert (entry.total_cost_usd, entry.total_lines_added) == (None, 3)


@pytest.mark.parametrize("bad", [b"\xff", b"\xe2\x82", b"\xed\xa0\x80"])
def test_bytes_that_are_not_utf8_are_replaced(bad: bytes) -> None:
    entry = one(b'{"type":"user","uuid":"u1","cwd":"a' + bad + b'b"}')

    assert isinstance(entry, User)
    assert entry.uuid == "u1"
    assert entry.cwd is not None
    assert set(entry.cwd) == {"a", "\ufffd", "b"}


def test_a_raw_control_character_in_a_string_is_let_through() -> None:
    entry = one(b'{"type":"user","uuid":"a\x01b"}')

    assert isinstance(entry, User)
    assert entry.uuid == "a\x01b"
