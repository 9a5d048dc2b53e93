"""What a text says, once it is known whose it is."""

import pytest

from tests.derive.reads import heard
from unspool.demo import text_block
from unspool.derive.reading.speech import aloud, spoken
from unspool.model.message import Category, Message, Piece, Voice

MATE = '<teammate-message teammate_id="ann">hello</teammate-message>'
TASK = (
    "<task-notification><task-id>a1</task-id><tool-use-id>t1</tool-use-id>"
    "<status>completed</status><summary>Done</summary><result>42</result></task-notification>"
)


def said(text: str, voice: Voice, category: Category = "user") -> Message:
    return spoken(Message(line=1, type="user", category=category, voice=voice), text)


@pytest.mark.parametrize(
    ("voice", "text", "told"),
    [
        ("prompt", "<system-reminder>x</system-reminder> hi ", "hi"),
        ("command", "<command-name>/x</command-name>", "/x"),
        ("bash_output", "<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>", "a\nb"),
        ("teammate", MATE + MATE, "hello\n\nhello"),
        ("teammate", "<teammate-message broken", "<teammate-message broken"),
        ("notification", TASK, "Done\n\n42"),
    ],
)
def test_each_voice_is_read_aloud_in_its_own_way(voice: Voice, text: str, told: str) -> None:
    assert aloud(text, voice) == told


def test_a_prompt_keeps_its_first_500_characters() -> None:
    message = said("x" * 501, "prompt")

    assert (message.head, message.text_tokens) == ("x" * 500, 126)


def test_a_text_is_weighed_as_it_is_read() -> None:
    assert said("<command-name>/model</command-name>", "command").text_tokens == 2


def test_each_teammate_is_weighed_by_itself() -> None:
    assert said(MATE + MATE, "teammate").text_tokens == 4


def test_a_teammate_that_cannot_be_read_is_weighed_whole() -> None:
    assert said("<teammate-message", "teammate").text_tokens == 5


# devtools 39
def test_a_report_of_a_task_is_a_piece_and_names_its_agent() -> None:
    message = heard(TASK)
    (report,) = message.reports

    assert message.pieces == (Piece(0, "text", 2),)
    assert (report.agent_id, report.tool_use_id, report.status) == ("a1", "t1", "completed")


def test_a_text_that_has_its_piece_gets_no_second() -> None:
    assert len(heard([text_block("one"), text_block("two")]).pieces) == 2


def test_silence_has_no_piece() -> None:
    assert said("<system-reminder>x</system-reminder>", "reminder").pieces == ()


# devtools 84
@pytest.mark.parametrize("voice", ["prompt", "command", "meta"])
def test_files_a_text_names_are_noted(voice: Voice) -> None:
    assert said("see @src/a.ts", voice).mentions == ("src/a.ts",)


def test_what_a_command_printed_names_no_file() -> None:
    assert said("<bash-stdout>@src/a.ts</bash-stdout>", "bash_output").mentions == ()


def test_a_summary_names_no_file_anew() -> None:
    assert said("see @src/a.ts", "meta", "compact").mentions == ()
