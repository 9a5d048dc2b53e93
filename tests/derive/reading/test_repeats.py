"""A line or a block written twice is taken once."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import messages_of
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.derive.reading import repeats
from unspool.derive.reading.repeats import Repeats
from unspool.model.message import Message

BLOCKS = [thinking_block("hm"), text_block("so"), tool_block("Bash", {}, "t1"), text_block("and")]


def fresh(transcript: Transcript) -> list[Message]:
    seen = Repeats()
    found = [seen.fresh(message) for message in messages_of(transcript)]
    return [message for message in found if message is not None]


def kinds(transcript: Transcript) -> list[list[str]]:
    return [[piece.kind for piece in message.pieces] for message in fresh(transcript)]


def test_a_line_appended_again_under_its_uuid_is_dropped() -> None:
    made = Transcript().user("go", uuid="x").user("go", uuid="x").says("done")

    assert [message.type for message in fresh(made)] == ["user", "assistant"]


def test_a_message_without_a_uuid_is_none() -> None:
    assert fresh(Transcript().says("a", uuid=None).says("b", uuid=None)) == []


# peers 5
def test_blocks_repeated_by_a_growing_snapshot_are_taken_once() -> None:
    made = Transcript().answers([BLOCKS[:1], BLOCKS[:2], BLOCKS[:4]])

    assert kinds(made) == [["thinking"], ["text"], ["call", "text"]]


def test_a_line_that_only_repeats_keeps_its_place_and_its_usage() -> None:
    first, second = fresh(Transcript().answers(["so"], outputs=[1, 9]))

    assert (len(first.pieces), second.pieces) == (1, ())
    assert second.tokens is not None
    assert second.tokens.output == 9


def test_equal_words_of_two_responses_are_both_taken() -> None:
    assert kinds(Transcript().says("so").says("so")) == [["text"], ["text"]]


def test_equal_words_of_numbered_blocks_are_both_taken() -> None:
    each = [{"apiBlockIndex": 0}, {"apiBlockIndex": 1}]

    assert kinds(Transcript().answers(["so", "so"], each=each)) == [["text"], ["text"]]


def test_prompts_may_repeat() -> None:
    assert len(fresh(Transcript().user("go").user("go"))) == 2


def test_lines_without_a_message_id_are_never_compared() -> None:
    absent: Any = Transcript.ABSENT

    assert kinds(Transcript().says("a", id=absent).says("a", id=absent)) == [["text"], ["text"]]


def test_uuids_seen_are_known() -> None:
    seen = Repeats()
    for message in messages_of(Transcript().user("go")):
        seen.fresh(message)

    assert ("u1" in seen, "u2" in seen) == (True, False)


def test_only_so_many_responses_are_remembered() -> None:
    made = Transcript()
    for number in range(repeats._MOST_OPEN + 1):
        made.says("so", id=f"m{number}")
    made.says("so", id="m1").says("so", id="m0")

    assert kinds(made)[-2:] == [[], ["text"]]


@given(st.lists(st.integers(1, len(BLOCKS)), min_size=1, max_size=6))
def test_however_a_response_grew_each_block_comes_once(sizes: list[int]) -> None:
    made = Transcript().answers([BLOCKS[:size] for size in sorted(sizes)])
    found = [piece.print or piece.id for message in fresh(made) for piece in message.pieces]

    assert len(found) == len(set(found)) == max(sizes)
