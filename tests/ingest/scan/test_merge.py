import json
from typing import Any

import pytest
from msgspec.json import encode

from unspool.demo import Transcript
from unspool.ingest.ids import line_id
from unspool.ingest.scan.lines import Line, Spoken, Used
from unspool.ingest.scan.merge import Answer, Answers, Odd
from unspool.model.transcript import ForkedFrom

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:01.000Z"


def line(output: int = 1, at: str | None = NOON, **fields: Any) -> Line:
    body = Spoken(
        fields.pop("model", "m"),
        fields.pop("id", "msg_1"),
        fields.pop("stop", None),
        Used(output_tokens=output, input_tokens=fields.pop("input", 0)),
    )
    return Line(type="assistant", message=body, timestamp=at, **fields)


def known(*lines: Line | bytes) -> dict[str, Answer]:
    """What is known after each of these lines, which begin at 0, 1,000, 2,000 …"""
    answers = Answers()
    for n, one in enumerate(lines):
        data = one if isinstance(one, bytes) else encode(one)
        answers.read(data, n * 1_000, len(data))
    return answers.known


def told(*lines: Line) -> Answer:
    (answer,) = known(*lines).values()
    return answer


def closer(data: bytes) -> list[bytes]:
    return [data[begin:end] for begin, end in Answers().read(data, 0, len(data))]


def test_the_line_with_most_output_counts() -> None:
    assert told(line(1), line(260, LATER), line(3, LATER)).used.output_tokens == 260


def test_of_equal_output_the_finished_line_counts_then_the_later() -> None:
    assert told(line(5, NOON, stop="end_turn"), line(5, LATER)).at < told(line(5, LATER)).at
    assert told(line(5), line(5, LATER)).at == told(line(5, LATER)).at


def test_the_earliest_line_is_the_first_wherever_it_stands() -> None:
    answer = told(line(9, LATER), line(1, NOON))

    assert (answer.first_at, answer.place) == (told(line()).at, 1_000)


def test_of_two_first_lines_the_one_with_the_greater_id_is_named() -> None:
    answer = told(line(1), line(2))

    assert answer.place == max((0, 1_000), key=lambda place: line_id(place, 0))


def test_one_finished_line_is_enough() -> None:
    assert told(line(1, stop="end_turn"), line(9, LATER)).is_finished
    assert not told(line(1), line(9, LATER)).is_finished


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
def test_a_line_that_cannot_stand_alone_is_odd(one: Line) -> None:
    with pytest.raises(Odd):
        told(one)


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
def test_copies_that_differ_in_more_than_output_and_time_are_odd(second: Line) -> None:
    with pytest.raises(Odd):
        told(line(), second)


@pytest.mark.parametrize(
    "one", [Line(type="user"), Line(type="assistant"), line(model="<synthetic>")]
)
def test_what_used_nothing_is_no_answer(one: Line) -> None:
    assert known(one) == {}


def test_only_lines_that_name_an_assistant_are_looked_at() -> None:
    made = Transcript().user("hi").says("a").system("turn_duration").says("b")

    assert list(known(made.bytes())) == ["msg_1", "msg_2"]


def test_the_word_inside_a_text_is_not_the_word() -> None:
    assert known(Transcript().user('{"type":"assistant"}').bytes()) == {}


def test_a_last_line_may_lack_its_newline() -> None:
    assert list(known(Transcript().says("a").bytes().strip())) == ["msg_1"]


def test_a_line_with_spaces_is_read_like_any_other() -> None:
    assert list(known(json.dumps(json.loads(Transcript().says("a").bytes())).encode()))


def test_what_cannot_be_read_at_a_glance_is_left_to_a_closer_look() -> None:
    cut = b'{"type":"assistant","message":'

    assert closer(b"x\n" + cut + b"\ny\n") == [cut]
    assert closer(cut) == [cut]
