from typing import Any

import pytest

from unspool.demo import Transcript
from unspool.ingest.scan.lines import Used, decode, message_key, name_of, other_name, tokens_of
from unspool.model.transcript import CacheCreation, ServerTools

ABSENT = Transcript.ABSENT


def test_of_a_line_only_what_was_used_is_read() -> None:
    line = decode(Transcript().says("a", usage={"output_tokens": 7}).bytes())

    assert line.message is not None
    assert line.message.usage is not None
    assert (line.type, line.message.id, line.message.usage.output_tokens) == (
        "assistant",
        "msg_1",
        7,
    )


def test_missing_counts_are_nought() -> None:
    tokens = tokens_of(Used(input_tokens=None, output_tokens=3))

    assert (tokens.input, tokens.output, tokens.cache_write, tokens.speed) == (0, 3, 0, "")


def test_a_split_that_says_more_than_the_sum_is_believed() -> None:
    used = Used(cache_creation_input_tokens=0, cache_creation=CacheCreation(5, 7))

    assert tokens_of(used).cache_write == 12


def test_web_searches_are_told() -> None:
    assert tokens_of(Used(server_tool_use=ServerTools(3))).web_searches == 3


def named(**fields: Any) -> str:
    data = Transcript().says("a", id=ABSENT, **fields).bytes()
    return other_name(decode(data), memoryview(data))


def test_a_response_without_an_id_goes_by_its_request_then_by_its_line() -> None:
    fork = {"sessionId": "s0", "messageUuid": "u7"}

    assert named(request="req_9") == "\0r:req_9"
    assert named(request=ABSENT, uuid="u8") == "\0u:u8"
    assert named(request=ABSENT, uuid="u8", forkedFrom=fork) == "\0u:u7"
    assert named(request=ABSENT, uuid=ABSENT) == named(request=5) == ""


@pytest.mark.parametrize("key", ["m:msg_1", "r:req_1", "u:u1", "l:7:1.0", "m:", "m:r:x"])
def test_names_and_keys_stand_for_each_other(key: str) -> None:
    assert message_key(name_of(key)) == key


def test_a_name_that_is_no_id_is_not_taken_for_one() -> None:
    assert name_of("r:req_1") != name_of("m:r:req_1")
