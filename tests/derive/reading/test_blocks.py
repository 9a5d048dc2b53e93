"""Every kind of block becomes a piece, or says nothing."""

from typing import Any

import pytest

from tests.derive.reads import last_of
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.derive.reading.blocks import piece
from unspool.derive.reading.estimate import IMAGE_TOKENS
from unspool.model.blocks import RedactedThinking, Text
from unspool.model.message import Piece


def pieces_of(*blocks: Any, **fields: Any) -> tuple[Piece, ...]:
    return last_of(Transcript().answers([list(blocks)], **fields)).pieces


# devtools 6
def test_an_answer_of_three_blocks_has_one_call() -> None:
    found = pieces_of(thinking_block("hm"), text_block("so"), tool_block("Bash", {}))

    assert [(one.n, one.kind) for one in found] == [(0, "thinking"), (1, "text"), (2, "call")]


# devtools 7
@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "mcp_tool_use"])
@pytest.mark.parametrize("fields", [{"id": "t1"}, {"id": "", "name": "Bash"}, {"id": ""}])
def test_a_call_without_a_name_or_an_id_says_nothing(kind: str, fields: Any) -> None:
    assert pieces_of({"type": kind, **fields}) == ()


# devtools 7
def test_a_call_without_an_input_was_given_an_empty_one() -> None:
    (call,) = pieces_of({"type": "tool_use", "id": "t1", "name": "LS"})

    assert call == Piece(0, "call", 1, "t1", "LS")


@pytest.mark.parametrize(
    "block",
    [
        text_block(""),
        text_block(" \n"),
        thinking_block(""),
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_reference", "tool_name": "x"},
        {"type": "web_search_tool_result", "content": []},
    ],
)
def test_a_block_with_nothing_to_show_is_no_piece(block: Any) -> None:
    assert pieces_of(block) == ()


def test_texts_and_thoughts_are_weighed() -> None:
    found = pieces_of(thinking_block("a" * 9), text_block("b" * 4))

    assert [one.tokens for one in found] == [3, 1]


def test_a_tool_of_another_server_is_named_after_it() -> None:
    call = {"type": "mcp_tool_use", "id": "t1", "name": "find", "server_name": "maps", "input": {}}

    assert pieces_of(call)[0].name == "mcp__maps__find"


@pytest.mark.parametrize(
    ("kind", "failed"),
    [
        ("web_search_tool_result", False),
        ("advisor_tool_result", False),
        ("mcp_tool_result", True),
    ],
)
def test_a_tool_the_api_ran_answers_in_the_same_line(kind: str, failed: bool) -> None:
    block = {"type": kind, "tool_use_id": "t1", "content": "four", "is_error": True}

    assert pieces_of(block) == (Piece(0, "result", 1, "t1", is_error=failed),)


@pytest.mark.parametrize("kind", ["image", "document"])
def test_an_image_weighs_the_same_whatever_its_size(kind: str) -> None:
    (one,) = pieces_of({"type": kind, "source": {"data": "a" * 99_999}})

    assert (one.kind, one.tokens) == (kind, IMAGE_TOKENS)


# format 13
def test_a_block_of_a_new_kind_is_kept_and_named() -> None:
    (one,) = pieces_of({"type": "hologram", "shape": "cube"})

    assert (one.kind, one.name, one.tokens) == ("other", "hologram", 9)


def test_blocks_are_told_apart_by_what_they_hold() -> None:
    kinds = ({"type": "image", "source": {"data": data}} for data in "ab")
    new = ({"type": "novelty", "x": data} for data in "ab")
    found = pieces_of(text_block("a"), text_block("b"), *kinds, *new)

    assert len({one.print for one in found}) == 6


def test_equal_texts_are_told_apart_by_their_number_in_the_response() -> None:
    first, second = pieces_of(text_block("a"), apiBlockIndex=1), pieces_of(text_block("a"))

    assert first[0].print != second[0].print


def test_one_block_is_noted_by_itself() -> None:
    found = piece(3, Text("four"))

    assert found is not None
    assert (found.n, found.kind, found.tokens) == (3, "text", 1)


def test_one_block_that_says_nothing_is_no_piece() -> None:
    assert piece(0, RedactedThinking("x")) is None
