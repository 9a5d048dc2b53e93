import json
from typing import Any

import pytest
from msgspec.json import encode

from unspool.demo import Transcript
from unspool.engine.usage.scan.answers import (
    Answer,
    AnswerLine,
    Answers,
    ApiMessage,
    Odd,
    Used,
    tokens_of,
)
from unspool.model.transcript import CacheCreation, ForkedFrom, ServerTools

ABSENT = Transcript.ABSENT
NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:01.000Z"


def line(output: int = 1, at: str | None = NOON, **fields: Any) -> AnswerLine:
    body = ApiMessage(
        model=fields.pop("model", "m"),
        id=fields.pop("id", "msg_1"),
        stop_reason=fields.pop("stop", None),
        usage=Used(output_tokens=output, input_tokens=fields.pop("input", 0)),
    )
    return AnswerLine(type="assistant", message=body, timestamp=at, **fields)


def known(*lines: AnswerLine | bytes) -> dict[str, Answer]:
    """What is known after each of these lines."""
    answers = Answers()
    for one in lines:
        data = one if isinstance(one, bytes) else encode(one)
        answers.read(data, len(data))
    return answers.known


def answer(*lines: AnswerLine) -> Answer:
    (found,) = known(*lines).values()
    return found


def closer(data: bytes) -> list[bytes]:
    return [data[begin:end] for begin, end in Answers().read(data, len(data))]


def test_the_line_with_most_output_counts() -> None:
    assert answer(line(1), line(260, LATER), line(3, LATER)).used.output_tokens == 260


def test_of_equal_output_the_finished_line_counts_then_the_later() -> None:
    assert answer(line(5, NOON, stop="end_turn"), line(5, LATER)).at < answer(line(5, LATER)).at
    assert answer(line(5), line(5, LATER)).at == answer(line(5, LATER)).at


def test_the_earliest_line_gives_the_time_wherever_it_stands() -> None:
    assert answer(line(9, LATER), line(1, NOON)).first_at == answer(line()).at


def test_one_finished_line_is_enough() -> None:
    assert answer(line(1, stop="end_turn"), line(9, LATER)).is_finished
    assert not answer(line(1), line(9, LATER)).is_finished


@pytest.mark.parametrize(
    "one",
    [
        line(id=None),
        line(id=""),
        line(at=None),
        line(at="noon"),
        line(at="9999-01-31T12:00:00.000Z"),
    ],
)
def test_a_line_that_cannot_stand_alone_is_odd(one: AnswerLine) -> None:
    with pytest.raises(Odd):
        answer(one)


@pytest.mark.parametrize(
    "second",
    [
        line(is_sidechain=True),
        line(agent_id="a1"),
        line(forked_from=ForkedFrom("s0", "u1")),
        line(input=5),
        line(model="n"),
    ],
)
def test_copies_that_differ_in_more_than_output_and_time_are_odd(second: AnswerLine) -> None:
    with pytest.raises(Odd):
        answer(line(), second)


@pytest.mark.parametrize(
    "one", [AnswerLine(type="user"), AnswerLine(type="assistant"), line(model="<synthetic>")]
)
def test_what_used_nothing_is_no_answer(one: AnswerLine) -> None:
    assert known(one) == {}


def test_only_lines_that_name_an_assistant_are_looked_at() -> None:
    made = Transcript().user("hi").says("a").system("turn_duration").says("b")

    assert list(known(made.bytes())) == ["m:msg_1", "m:msg_2"]


def test_the_word_inside_a_text_is_not_the_word() -> None:
    assert known(Transcript().user('{"type":"assistant"}').bytes()) == {}


def test_a_line_with_spaces_is_read_like_any_other() -> None:
    assert list(known(json.dumps(json.loads(Transcript().says("a").bytes())).encode()))


@pytest.mark.parametrize("bad", [b'{"type":"assistant","message":', b'{"a":"\xff assistant"}'])
def test_what_cannot_be_read_at_a_glance_is_left_to_a_closer_look(bad: bytes) -> None:
    bad = bad.replace(b" assistant", b'","type":"assistant')

    assert closer(b"x\n" + bad + b"\ny\n") == [bad]
    assert closer(bad) == [bad]


def keys(**fields: Any) -> list[str]:
    return [*known(Transcript().says("a", id=ABSENT, **fields).bytes())]


def test_a_response_without_an_id_goes_by_its_request_then_by_its_line() -> None:
    fork = {"sessionId": "s0", "messageUuid": "u7"}

    assert keys(request="req_9") == ["r:req_9"]
    assert keys(request=ABSENT, uuid="u8") == ["u:u8"]
    assert keys(request=ABSENT, uuid="u8", forkedFrom=fork) == ["u:u7"]
    for nameless in ({"request": ABSENT, "uuid": ABSENT}, {"request": 5}):
        with pytest.raises(Odd):
            keys(**nameless)


def test_missing_counts_are_nought() -> None:
    tokens = tokens_of(Used(input_tokens=None, output_tokens=3))

    assert (tokens.input, tokens.output, tokens.cache_write, tokens.speed) == (0, 3, 0, "")


def test_a_split_that_says_more_than_the_sum_is_believed() -> None:
    used = Used(cache_creation_input_tokens=0, cache_creation=CacheCreation(5, 7))

    assert tokens_of(used).cache_write == 12


def test_web_searches_are_counted() -> None:
    assert tokens_of(Used(server_tool_use=ServerTools(3))).web_searches == 3
