"""Whether the model is still at work."""

import pytest

from tests.derive.reads import messages_of
from unspool.demo import Transcript, text_block, tool_block
from unspool.derive.story.ongoing import OngoingFold, is_ongoing

MINUTE = 60_000
SHUTDOWN = {"type": "shutdown_response", "approve": True}


def fold_of(transcript: Transcript) -> OngoingFold:
    fold = OngoingFold()
    for message in messages_of(transcript):
        fold.feed(message)
    return fold


def ongoing(transcript: Transcript) -> bool:
    return fold_of(transcript).ongoing


def asked() -> Transcript:
    return Transcript().user("go")


# devtools 104
def test_a_call_at_the_end_is_work() -> None:
    assert ongoing(asked().calls("Bash", command="ls"))


# devtools 104
def test_a_result_or_a_thought_at_the_end_is_work() -> None:
    assert ongoing(asked().calls("Bash", command="ls").returns("a"))
    assert ongoing(asked().answers([{"type": "thinking", "thinking": "hm"}], stop=None))


# devtools 104
def test_text_at_the_end_is_not_work() -> None:
    assert not ongoing(asked().calls("Bash", command="ls").returns("a").says("done", stop=None))


# devtools 104
def test_a_plan_shown_is_not_work_and_its_result_is() -> None:
    made = asked().calls("ExitPlanMode", plan="1.")

    assert not ongoing(made)
    assert ongoing(made.returns("approved"))


# devtools 104
def test_a_member_that_agrees_to_shut_down_is_not_at_work() -> None:
    made = asked().calls("SendMessage", SHUTDOWN)

    assert not ongoing(made)
    assert not ongoing(made.returns("sent"))


# devtools 104
def test_a_refused_call_is_not_work() -> None:
    made = asked().calls("Bash", command="rm").returns("", result="User rejected tool use")

    assert not ongoing(made)


# devtools 104
def test_an_interruption_ends_work() -> None:
    assert not ongoing(asked().calls("Bash", command="ls").interrupted())


# devtools 104
def test_an_interruption_written_as_a_string_ends_work_too() -> None:
    made = asked().calls("Bash", command="ls").user("[Request interrupted by user for tool use]")

    assert not ongoing(made)


def test_an_interrupted_result_is_not_work() -> None:
    made = asked().calls("Bash", command="ls")

    assert not ongoing(made.returns("[Request interrupted by user for tool use]", failed=True))


def test_a_prompt_without_a_reply_is_not_work() -> None:
    assert not ongoing(asked())


def test_a_new_prompt_does_not_end_work() -> None:
    assert ongoing(asked().calls("Bash", command="ls").returns("a").user("also this"))


def test_the_order_inside_one_message_decides() -> None:
    text, call = text_block("so"), tool_block("Bash", {"command": "ls"})

    assert ongoing(asked().answers([text, call], stops=[None, None]))
    assert not ongoing(asked().answers([call, text], stops=[None, None]))


def test_text_whose_stop_reason_announces_a_call_is_work() -> None:
    assert ongoing(asked().says("let me see", stop="tool_use"))


def test_a_thought_whose_response_has_ended_is_not_work() -> None:
    assert not ongoing(asked().thinks("that is all", stop="end_turn"))


def test_a_call_is_work_whatever_the_stop_reason_says() -> None:
    assert ongoing(asked().calls("Bash", {"command": "ls"}, stop="stop"))


def test_the_end_of_a_turn_ends_work() -> None:
    made = asked().calls("Bash", command="ls").returns("a").system("turn_duration", durationMs=9)

    assert not ongoing(made)


# devtools 105
@pytest.mark.parametrize(("minutes", "expected"), [(4, True), (5, False), (6, False)])
def test_a_file_nobody_wrote_to_for_five_minutes_is_not_ongoing(
    minutes: int, expected: bool
) -> None:
    fold = fold_of(asked().calls("Bash", command="ls"))

    assert is_ongoing(fold.ongoing, 0, None, minutes * MINUTE) is expected


def test_a_file_just_written_is_ongoing_only_while_work_is_done() -> None:
    assert not is_ongoing(fold_of(asked().says("done")).ongoing, 0, 0, 1)
    assert not is_ongoing(fold_of(asked().calls("Bash", command="ls")).ongoing, None, 0, 1)


def test_an_old_file_that_was_copied_now_is_not_ongoing() -> None:
    copied, now = fold_of(asked().calls("Bash", command="ls")), 9 * MINUTE

    assert not is_ongoing(copied.ongoing, now, 0, now)
    assert is_ongoing(copied.ongoing, now, now, now)
