"""Whose words a user line holds: a person's, a machine's, or nobody's."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.derive.reads import heard, placed
from unspool.demo import text_block
from unspool.derive.reading.classify import classify, together

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}}
DOCUMENT = {"type": "document", "source": {"type": "base64", "data": "aaaa"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
REMINDER = "<system-reminder>be kind</system-reminder>"
STOPPED = "[Request interrupted by user]"
MATE = '<teammate-message teammate_id="ann">hi</teammate-message>'
TASK = "<task-notification><task-id>a1</task-id></task-notification>"
COMMAND = "<command-name>/model</command-name>"
OUT, ERR = "<local-command-stdout>", "<local-command-stderr>"


def blocks(*texts: str) -> list[Any]:
    return [text_block(text) for text in texts]


# devtools 18
def test_a_plain_string_is_a_prompt() -> None:
    assert placed("hello") == ("user", "prompt")


# devtools 19
def test_a_text_block_is_a_prompt() -> None:
    assert placed(blocks("hello")) == ("user", "prompt")


# devtools 20
@pytest.mark.parametrize("content", [[text_block("look"), IMAGE], [IMAGE]])
def test_an_image_with_or_without_text_is_a_prompt(content: list[Any]) -> None:
    assert placed(content) == ("user", "prompt")


# devtools 21
@pytest.mark.parametrize("text", [COMMAND, "<command-message>model</command-message>" + COMMAND])
def test_a_slash_command_is_the_users(text: str) -> None:
    assert placed(text) == ("user", "command")


# devtools 22
@pytest.mark.parametrize(
    ("content", "voice"),
    [
        (f"{OUT}done</local-command-stdout>", "stdout"),
        (f"{ERR}no</local-command-stderr>", "stderr"),
        (blocks(f"{OUT}done</local-command-stdout>"), "stdout"),
    ],
)
def test_the_output_of_a_command_is_the_systems(content: Any, voice: str) -> None:
    assert placed(content) == ("system", voice)


# devtools 23
@pytest.mark.parametrize(
    ("content", "voice"),
    [
        (blocks(f"{ERR}no</local-command-stderr>"), "stderr"),
        (f"\n{OUT}done</local-command-stdout>", "stdout"),
        (blocks("hello", f"{OUT}done</local-command-stdout>"), "stdout"),
    ],
)
def test_output_is_the_systems_wherever_it_stands(content: Any, voice: str) -> None:
    assert placed(content) == ("system", voice)


# devtools 24
@pytest.mark.parametrize(
    "content",
    [
        f"{OUT}</local-command-stdout>",
        f"{ERR} \n</local-command-stderr>",
        blocks(f"{OUT}</local-command-stdout>"),
    ],
)
def test_output_that_says_nothing_is_noise(content: Any) -> None:
    assert placed(content) == ("noise", "reminder")


# devtools 25
@pytest.mark.parametrize(
    "content",
    [REMINDER, "<local-command-caveat>c</local-command-caveat>", REMINDER * 2, blocks(REMINDER)],
)
def test_reminders_and_caveats_alone_are_noise(content: Any) -> None:
    assert placed(content) == ("noise", "reminder")


# devtools 28
@pytest.mark.parametrize("is_meta", [True, False])
def test_a_tool_result_belongs_to_the_answer_meta_or_not(is_meta: bool) -> None:
    assert placed([RESULT], isMeta=is_meta) == ("ai", "")


# devtools 29
def test_a_tool_result_beside_text_belongs_to_the_answer() -> None:
    assert placed([RESULT, text_block("and do it again")]) == ("ai", "")


# devtools 30
def test_a_tool_result_beside_an_interruption_is_an_interrupted_answer() -> None:
    assert placed([RESULT, text_block(STOPPED)]) == ("ai", "interruption")


def test_a_tool_result_without_any_id_still_belongs_to_the_answer() -> None:
    message = heard([text_block("so"), {"type": "tool_result", "content": "ok"}])

    assert (message.category, [piece.kind for piece in message.pieces]) == ("ai", ["text"])


# devtools 31
@pytest.mark.parametrize("content", [STOPPED, blocks("[Request interrupted by user for tool use]")])
def test_an_interruption_alone_is_no_prompt(content: Any) -> None:
    assert placed(content) == ("ai", "interruption")


def test_a_prompt_written_into_an_interruption_is_a_prompt() -> None:
    assert placed(blocks(STOPPED, "rather this")) == ("user", "prompt")


# devtools 32
def test_text_between_reminders_is_a_prompt() -> None:
    message = heard(f"{REMINDER} real {REMINDER}")

    assert (message.category, message.voice, message.head) == ("user", "prompt", "real")


# devtools 33
def test_text_after_a_reminder_is_a_prompt() -> None:
    assert placed(f"{REMINDER}hello") == ("user", "prompt")


# devtools 34
def test_a_reminder_block_beside_text_takes_nothing_from_the_prompt() -> None:
    assert placed(blocks("hello", REMINDER)) == ("user", "prompt")


# devtools 35
def test_text_before_a_reminder_is_a_prompt() -> None:
    assert placed(f"hello{REMINDER}") == ("user", "prompt")


# devtools 36
@pytest.mark.parametrize("content", ["", " \n\t", [], blocks(" "), None])
def test_nothing_is_no_prompt(content: Any) -> None:
    assert placed(content) == ("noise", "reminder")


# devtools 37
@pytest.mark.parametrize(
    "content",
    [
        MATE,
        blocks(MATE),
        '<teammate-message color="red" teammate_id="ann">hi</teammate-message>',
        f"Another Claude session sent a message:\n{MATE}",
    ],
)
def test_a_teammates_message_belongs_to_the_answer(content: Any) -> None:
    assert placed(content) == ("ai", "teammate")


def test_a_sentence_that_only_begins_like_a_teammates_is_a_prompt() -> None:
    assert placed("Another Claude session sent me here") == ("user", "prompt")


# devtools 38
@pytest.mark.parametrize(
    ("text", "voice"),
    [
        ("<bash-input>ls</bash-input>", "bash_input"),
        ("<bash-stdout>a</bash-stdout>", "bash_output"),
        ("<bash-stderr>no</bash-stderr>", "bash_output"),
        ("<bash-stdout></bash-stdout><bash-stderr></bash-stderr>", "bash_output"),
    ],
)
def test_the_shell_is_the_systems(text: str, voice: str) -> None:
    assert placed(text) == ("system", voice)


# devtools 39
@pytest.mark.parametrize("content", [TASK, blocks(TASK), TASK.replace("task-not", "agent-not")])
def test_a_tasks_report_belongs_to_the_answer(content: Any) -> None:
    assert placed(content) == ("ai", "notification")


# devtools 40
@pytest.mark.parametrize("content", ["Caveat: made by a command", blocks("injected"), [IMAGE]])
def test_injected_text_belongs_to_the_answer(content: Any) -> None:
    assert placed(content, isMeta=True) == ("ai", "meta")


def test_the_instructions_of_a_skill_have_a_voice_of_their_own() -> None:
    text = "Base directory for this skill: /skills/pdf\n# PDF"

    assert placed(text, isMeta=True) == ("ai", "skill")


@pytest.mark.parametrize(
    ("origin", "place"),
    [
        ("human", ("user", "prompt")),
        ("task-notification", ("ai", "notification")),
        ("peer", ("ai", "teammate")),
        ("coordinator", ("ai", "meta")),
        (None, ("user", "prompt")),
    ],
)
def test_what_others_sent_is_no_prompt(origin: str | None, place: tuple[str, str]) -> None:
    assert placed("go on", origin={"kind": origin}) == place


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("<user-memory-input>remember</user-memory-input>", ("user", "memory")),
        ("<ci-monitor-event>failed</ci-monitor-event>", ("ai", "event")),
        ('<channel source="chat">hi</channel>', ("ai", "event")),
        ("<channel><title>a feed I pasted</title></channel>", ("user", "prompt")),
        ("<ide_opened_file>a.py</ide_opened_file>", ("noise", "reminder")),
        (blocks("<ide_selection>x</ide_selection>", "why?"), ("user", "prompt")),
        ([DOCUMENT], ("ai", "meta")),
        ([{"type": "novelty"}], ("ai", "meta")),
        ("<system-reminder>never closed", ("user", "prompt")),
        ("[brackets] of my own", ("user", "prompt")),
        ("<b>bold</b>", ("user", "prompt")),
    ],
)
def test_the_edges_between_prompts_and_other_things(content: Any, place: tuple[str, str]) -> None:
    assert placed(content) == place


@given(st.text())
def test_a_reminder_around_a_text_never_changes_its_place(text: str) -> None:
    assert classify(f"{REMINDER}{text}{REMINDER}") == classify(text)


def test_lines_of_no_text_are_noise() -> None:
    assert together([]) == ("noise", "reminder")
