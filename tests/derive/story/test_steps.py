"""An answer's steps: what happened in it, in order, and how long each took."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from tests.derive.reads import entries_of, messages_of
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.derive.reading.clock import iso
from unspool.derive.reading.estimate import tokens
from unspool.derive.reading.texts import block_text
from unspool.derive.story.chunks import Span, spans
from unspool.derive.story.steps import AgentRun, count_steps, is_interruption, steps
from unspool.model.document import Metrics, Step, StepTokens
from unspool.model.message import Message, Piece

NEW_YEAR = 1_767_225_600_000
REJECTED = "The user doesn't want to proceed with this tool use."
STOPPED = text_block("[Request interrupted by user for tool use]")
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "four"}
MATE = '<teammate-message teammate_id="ann">hello</teammate-message>'
TASK = "<task-notification><task-id>a1</task-id><summary>Done</summary></task-notification>"


def answer(transcript: Transcript) -> Span:
    return next(span for span in spans(messages_of(transcript)) if span.type == "ai")


def steps_of(transcript: Transcript, *agents: AgentRun) -> tuple[Step, ...]:
    return steps(answer(transcript), agents)


def told(transcript: Transcript) -> list[Any]:
    entries = entries_of(transcript)

    def read_back(message: Message, piece: Piece) -> str:
        return block_text(entries[message.line - 1][0], message, piece)

    return [(step.type, step.text) for step in steps(answer(transcript), (), read_back)]


def types(transcript: Transcript) -> list[str]:
    return [step.type for step in steps_of(transcript)]


def at(second: float) -> str:
    return iso(NEW_YEAR + int(second * 1000)) or ""


def agent_step(transcript: Transcript, run: AgentRun) -> Step:
    return next(step for step in steps_of(transcript, run) if step.type == "subagent")


def whole() -> Transcript:
    return (
        Transcript()
        .at(at(1))
        .answers(
            [[thinking_block("a" * 9), text_block("b" * 5), tool_block("Bash", {"command": "ls"})]]
        )
    )


# devtools 51
def test_steps_come_in_the_order_they_happened() -> None:
    assert types(whole().returns("four").says("done")) == [
        "thinking",
        "output",
        "tool_call",
        "tool_result",
        "output",
    ]


# devtools 51
def test_steps_are_named_after_their_line_or_their_call() -> None:
    found = steps_of(whole().returns("four"))

    assert [step.id for step in found] == ["u1-thinking-0", "u1-output-1", "toolu_1", "toolu_1"]
    assert [step.tool_use_id for step in found] == [UNSET, UNSET, "toolu_1", "toolu_1"]
    assert [(step.line, step.name) for step in found[2:]] == [(1, "Bash"), (2, "")]


# devtools 51
def test_steps_weigh_what_they_say_or_were_given() -> None:
    assert [step.tokens for step in steps_of(whole().returns("four"))] == [
        StepTokens(output=3),
        StepTokens(output=2),
        StepTokens(input=tokens('Bash{"command":"ls"}')),
        StepTokens(input=1),
    ]


# devtools 52
def test_a_step_lasts_until_the_next_that_is_not_its_sibling() -> None:
    found = steps_of(whole().at(at(3)).returns("a").at(at(5)).says("done"))

    assert [step.effective_duration_ms for step in found] == [2000, 2000, 2000, 2000, 0]
    assert {step.is_gap_filled for step in found} == {True}
    assert {step.duration_ms for step in found} == {0}


# devtools 52
def test_steps_less_than_a_tenth_of_a_second_apart_end_together() -> None:
    made = Transcript().at(at(1)).says("a").at(at(1.099)).says("b").at(at(1.1)).says("c")

    assert [step.effective_duration_ms for step in steps_of(made.at(at(3)).says("d"))] == [
        100,
        1901,
        1900,
        0,
    ]


# devtools 52
@pytest.mark.parametrize(
    ("end", "lasts", "filled"), [(1500, 500, False), (1101, 101, False), (1100, 4000, True)]
)
def test_an_agent_keeps_its_own_end_unless_it_has_none_to_speak_of(
    end: int, lasts: int, filled: bool
) -> None:
    run = AgentRun("a1", NEW_YEAR + 1000, NEW_YEAR + end)
    agent = agent_step(Transcript().at(at(0)).says("a").at(at(5)).says("b"), run)

    assert (agent.effective_duration_ms, agent.is_gap_filled) == (lasts, filled)
    assert agent.duration_ms == (0 if filled else lasts)


def test_an_agent_that_still_runs_lasts_to_the_end_of_its_chunk() -> None:
    agent = agent_step(Transcript().at(at(0)).says("a"), AgentRun("a1", NEW_YEAR + 1000, None))

    assert (agent.is_gap_filled, agent.effective_duration_ms) == (True, 0)


def test_an_agent_without_a_start_begins_with_its_chunk() -> None:
    agent = agent_step(Transcript().at(at(2)).says("a"), AgentRun("a1", None, None))

    assert agent.start_time == at(2)


def test_an_agent_step_carries_what_the_agent_used() -> None:
    used = Metrics(input_tokens=1, output_tokens=2, cache_read_tokens=3)
    run = AgentRun("a1", NEW_YEAR, None, "look around", "t1", used)
    agent = agent_step(Transcript().says("a"), run)

    assert (agent.id, agent.agent_id, agent.tool_use_id) == ("a1", "a1", "t1")
    assert (agent.text, agent.tokens, agent.accumulated_context) == (
        "look around",
        StepTokens(1, 2, 3),
        4,
    )


# devtools 53
def test_a_rejected_call_is_an_error_and_an_interruption() -> None:
    made = Transcript().calls("Bash", command="rm")
    found = steps_of(made.returns(REJECTED, failed=True, result="User rejected tool use"))

    assert [(step.type, step.is_error) for step in found[1:]] == [
        ("tool_result", True),
        ("interruption", True),
    ]
    assert (found[2].text, found[2].id) == ("Request interrupted by user", "u2-interruption-0")


# devtools 54
def test_the_context_of_a_step_is_what_its_message_read() -> None:
    usage = {"input_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 300}
    made = Transcript().calls("Bash", {"command": "ls"}, usage=usage).returns("four and")

    assert [step.accumulated_context for step in steps_of(made)] == [321, 2]


# devtools 30
def test_a_result_with_an_interruption_beside_it_gives_both() -> None:
    made = Transcript().calls("Bash", command="ls").user([RESULT, STOPPED])

    assert types(made) == ["tool_call", "tool_result", "interruption"]
    assert any(map(is_interruption, answer(made).messages))


# devtools 31
@pytest.mark.parametrize("content", [[STOPPED], STOPPED["text"]])
def test_an_interruption_alone_is_a_step_of_the_answer(content: Any) -> None:
    made = Transcript().user("go").says("so").user(content)

    assert told(made)[1] == ("interruption", "Request interrupted by user")
    assert any(map(is_interruption, answer(made).messages))


@pytest.mark.parametrize(
    ("content", "interrupted"),
    [
        (REJECTED, True),
        (STOPPED["text"], True),
        ("Permission to use Bash has been denied.", False),
        ("Exit code 1", False),
    ],
)
def test_only_a_person_interrupts(content: str, interrupted: bool) -> None:
    made = Transcript().calls("Bash", command="ls").returns(content, failed=True)

    assert any(map(is_interruption, answer(made).messages)) is interrupted


# devtools 27
def test_an_error_of_the_api_is_a_notice() -> None:
    made = Transcript().user("go").synthetic("API Error: 529", "overloaded")

    assert told(made) == [("notice", "API Error: 529")]


def test_a_retry_is_a_notice_inside_the_answer() -> None:
    made = Transcript().says("a").system("api_error", error={"message": "Overloaded"}).says("b")

    assert told(made)[1] == ("notice", "Overloaded")


# devtools 37
def test_a_teammates_words_are_a_notice_inside_the_answer() -> None:
    assert told(Transcript().says("a").user(MATE)) == [("output", "a"), ("notice", "hello")]


# devtools 39
@pytest.mark.parametrize("content", [TASK, [text_block(TASK)]])
def test_a_tasks_report_is_a_notice_inside_the_answer(content: Any) -> None:
    assert told(Transcript().says("a").user(content))[1] == ("notice", "Done")


# devtools 29
def test_words_beside_a_result_are_a_notice_inside_the_answer() -> None:
    made = Transcript().calls("Bash", command="ls").user([RESULT, text_block("and then")])

    assert told(made)[1:] == [("tool_result", UNSET), ("notice", "and then")]


# devtools 40
@pytest.mark.parametrize("text", ["Continue from here.", "Base directory for this skill: /x"])
def test_injected_text_stays_unsaid(text: str) -> None:
    assert types(Transcript().says("a").user(text, isMeta=True)) == ["output"]


def test_an_image_in_an_injected_line_is_no_step() -> None:
    made = Transcript().says("a").user([text_block("see"), {"type": "image"}], isMeta=True)

    assert types(made) == ["output"]


# format 13
def test_a_block_of_a_new_kind_is_a_notice() -> None:
    made = Transcript().answers([{"type": "novelty"}])

    assert told(made) == [("notice", '{"type":"novelty"}')]


def test_a_hooks_run_is_a_step_with_its_own_duration() -> None:
    made = Transcript().says("a").attachment("hook_success", stdout="ok", durationMs=40)
    hook = steps_of(made)[1]

    assert (hook.id, hook.type, hook.duration_ms, hook.is_error) == ("u2-hook-0", "hook", 40, False)
    assert told(made)[1] == ("hook", "ok")


def test_texts_are_left_out_unless_somebody_reads_them() -> None:
    assert [step.text for step in steps_of(whole())] == [UNSET] * 3
    assert [text for _, text in told(whole())] == ["a" * 9, "b" * 5, UNSET]


def test_a_step_names_the_model_that_made_it() -> None:
    assert [step.model for step in steps_of(Transcript().says("a", model="opus"))] == ["opus"]


# devtools 17
def test_a_line_without_a_time_happened_with_the_one_before() -> None:
    made = Transcript().at(at(1)).says("a").says("b", timestamp=None).at(at(3)).says("c")

    assert [step.start_time for step in steps_of(made)] == [at(1), at(1), at(3)]


# devtools 17
def test_steps_without_any_time_have_none_and_take_none() -> None:
    (step,) = steps_of(Transcript().says("a", timestamp="never"))

    assert (step.start_time, step.effective_duration_ms) == (None, 0)


@given(st.lists(st.integers(0, 600), min_size=1, max_size=12))
def test_no_step_lasts_longer_than_its_chunk(gaps: list[int]) -> None:
    made, now = Transcript(), NEW_YEAR
    for gap in gaps:
        now += gap
        made.says("so", timestamp=iso(now))
    found = steps_of(made)

    assert len(found) == len(gaps)
    assert all(0 <= s.effective_duration_ms <= now - NEW_YEAR - gaps[0] for s in found)


def test_steps_are_counted_without_results() -> None:
    made = Transcript().user("go").thinks("hm").calls("Bash").returns("ok").says("done")

    assert sum(map(count_steps, answer(made).messages)) == 3


def test_the_last_step_of_a_part_gives_way_to_what_comes_after_it() -> None:
    (last,) = steps(answer(Transcript().user("go").says("a")), end=NEW_YEAR + 9_000)

    assert last.effective_duration_ms == 8_000


@pytest.mark.parametrize(("said", "name"), [(MATE, "teammate"), (TASK, "notification")])
def test_what_somebody_else_said_has_their_name(said: str, name: str) -> None:
    made = Transcript().user("go").says("a").user(said)

    assert steps(answer(made))[-1].name == name
