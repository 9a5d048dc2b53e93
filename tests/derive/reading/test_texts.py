"""Texts are read back whole, in the words a person should see."""

from typing import Any

import pytest

from tests.derive.reads import entries_of, messages_of
from unspool.demo import Transcript, text_block, thinking_block
from unspool.derive.reading.texts import block_text, call_input, result_content, said
from unspool.model.message import Message, Piece
from unspool.model.transcript import Entry, Unreadable

LONG = "x" * 999
MATE = '<teammate-message teammate_id="ann">hi</teammate-message>'
TASK = "<task-notification><summary>Done</summary></task-notification>"
NOBODY = Message(line=1, type="user", category="noise")


def both(transcript: Transcript) -> tuple[Entry, Message]:
    return entries_of(transcript)[-1][0], messages_of(transcript)[-1]


def all_said(transcript: Transcript) -> str:
    return said(*both(transcript))


def texts_of(transcript: Transcript) -> list[str]:
    entry, message = both(transcript)
    return [block_text(entry, message, piece) for piece in message.pieces]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (LONG, LONG),
        ([text_block("one"), text_block("two")], "one\ntwo"),
        ("<system-reminder>x</system-reminder>ask", "ask"),
        (MATE, "hi"),
        (TASK, "Done"),
        ("<command-name>/x</command-name>", "/x"),
        (None, ""),
    ],
)
def test_a_user_line_is_read_back_whole(content: Any, told: str) -> None:
    assert all_said(Transcript().user(content)) == told


def test_a_summary_is_read_back_as_it_stands() -> None:
    text = "<command-name>/x</command-name> was typed"

    assert all_said(Transcript().user(text, isCompactSummary=True)) == text


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (Transcript().system("local_command", content=f"<bash-stdout>{LONG}</bash-stdout>"), LONG),
        (Transcript().system("api_error", error=LONG), LONG),
        (Transcript().attachment("hook_success", stdout=LONG), LONG),
        (Transcript().attachment("queued_command", prompt=LONG), LONG),
        (Transcript().attachment("queued_command", prompt=TASK), "Done"),
        (Transcript().attachment("file", content=LONG), LONG),
    ],
)
def test_notes_and_attachments_are_read_back_whole(made: Transcript, told: str) -> None:
    assert (all_said(made), set(texts_of(made))) == (told, {told})


def test_each_block_of_an_answer_is_read_back() -> None:
    made = Transcript().answers([[thinking_block("hm"), text_block(" so <b> ")]])

    assert texts_of(made) == ["hm", " so <b> "]


def test_a_line_that_is_a_string_is_read_back() -> None:
    assert texts_of(Transcript().user("<bash-input>ls</bash-input>")) == ["ls"]


def test_each_text_of_a_user_line_is_read_back_by_itself() -> None:
    made = Transcript().user([text_block(MATE), text_block(MATE.replace("hi", "ho"))])

    assert texts_of(made) == ["hi", "ho"]


def test_a_block_of_a_new_kind_is_shown_as_it_is() -> None:
    assert texts_of(Transcript().answers([{"type": "novelty"}])) == ['{"type":"novelty"}']


def test_a_call_has_no_text_of_its_own() -> None:
    assert texts_of(Transcript().calls("Bash", command="ls")) == [""]


@pytest.mark.parametrize(("given", "kept"), [({"a": 1}, b'{"a":1}'), (None, b"{}")])
def test_what_a_tool_was_given_is_read_back(given: Any, kept: bytes) -> None:
    block = {"type": "tool_use", "id": "t1", "name": "Bash", "input": given}
    entry, message = both(Transcript().answers([block]))

    assert bytes(call_input(entry, message.pieces[0])) == kept


@pytest.mark.parametrize(("content", "kept"), [("a", b'"a"'), ([], b"[]"), (None, b'""')])
def test_what_a_tool_answered_is_read_back(content: Any, kept: bytes) -> None:
    entry, message = both(Transcript().calls("Bash", command="ls").returns(content))

    assert bytes(result_content(entry, message.pieces[0])) == kept


@pytest.mark.parametrize("entry", [Unreadable("gone", b""), *entries_of(Transcript().user([]))[0]])
def test_what_is_no_longer_there_reads_as_nothing(entry: Entry) -> None:
    gone = Piece(7, "text")

    assert (said(entry, NOBODY), block_text(entry, NOBODY, gone)) == ("", "")
    assert bytes(call_input(entry, gone)) == b"{}"
    assert bytes(result_content(entry, gone)) == b'""'
