from datetime import UTC

import pytest

from tests.show.made import NOON, PIPE, SCREEN, agent, call, step, texts
from unspool.model.document import Step, StepType, Subagent, ToolExecution
from unspool.show.text.calls import TextContext
from unspool.show.text.layout import Frame
from unspool.show.text.steps import AgentTrace, SessionAgents, StepLines


def shown(
    *steps: Step,
    calls: tuple[ToolExecution, ...] = (),
    agents: tuple[Subagent, ...] = (),
    frame: Frame = PIPE,
) -> list[str]:
    by_id = {one.tool_use_id: one for one in calls}
    known = SessionAgents(agents, lambda id: AgentTrace(), frame)
    return texts(StepLines(by_id, known, TextContext(frame)).show(steps))


def test_words_and_work_are_set_apart() -> None:
    calls = (call(command="ls"),)

    assert shown(
        step("output", "Hm."), step("tool_call", id="t1"), step("output", "So."), calls=calls
    ) == [
        "  Hm.",
        "",
        "  • Bash       ls  4.2 s",
        "",
        "  So.",
    ]


def test_an_endless_answer_says_how_much_is_left_out() -> None:
    lines = shown(step("output", "a\n" * 50_000))

    assert lines[-2:] == ["  a", "  … 40,000 more lines"]
    assert len(lines) == 10_001


def test_a_limit_is_told_with_a_time_and_not_in_seconds() -> None:
    told = f"Claude AI usage limit reached|{NOON // 1_000 + 3_600}"
    (line,) = shown(step("notice", told, is_error=True), frame=Frame(None, NOON, UTC))

    assert line == "  ! Claude AI usage limit reached, resets 13:00"


def test_a_result_is_shown_with_its_call_only() -> None:
    calls = (call("Bash", "done", command="ls"),)
    lines = shown(step("tool_call", id="t1"), step("tool_result", "done", id="t1"), calls=calls)

    assert [line.strip() for line in lines].count("done") == 1


def test_a_result_without_its_call_is_still_shown() -> None:
    assert shown(step("tool_result", "lost", id="t9")) == ["  ! lost"]


def test_a_call_that_is_not_in_the_document_keeps_its_name() -> None:
    assert shown(step("tool_call", id="t9", name="Bash")) == ["  ? Bash"]


def test_looks_in_a_row_are_gathered_even_across_their_results() -> None:
    calls = (call("Read", "x", file_path="a"), call("Read", "x", id="t2", file_path="b"))
    steps = [step("tool_call", id="t1"), step("tool_result", id="t1"), step("tool_call", id="t2")]

    assert shown(*steps, calls=calls) == ["  ≡ Read       2 files  a, b  8.4 s"]


def test_words_end_a_run() -> None:
    calls = (call("Read", file_path="a"), call("Read", id="t2", file_path="b"))
    steps = [step("tool_call", id="t1"), step("output", "Hm."), step("tool_call", id="t2")]

    assert [line.strip() for line in shown(*steps, calls=calls) if line][1] == "Hm."


def test_an_error_is_never_folded_into_a_run() -> None:
    calls = (
        call("Read", file_path="a"),
        call("Read", "gone", id="t2", state="error", file_path="b"),
    )
    lines = shown(step("tool_call", id="t1"), step("tool_call", id="t2"), calls=calls)

    assert lines[1].startswith("  ✗ Read       b")


def test_a_thought_is_folded() -> None:
    lines = shown(step("thinking", "\n".join("abcdefgh"), effective_duration_ms=12_000))

    assert lines[0] == "  ◆ Thinking     12 s"
    assert lines[-1] == "    … 4 more lines"


def test_a_thought_without_words_counts_only_when_it_took_long() -> None:
    assert shown(step("thinking", effective_duration_ms=900)) == []
    assert shown(step("thinking", effective_duration_ms=20_000)) == ["  ◆ Thinking     20 s"]


def test_an_agent_stands_in_for_the_call_that_started_it() -> None:
    calls = (call("Task", "done", description="Look"),)
    steps = [step("tool_call", id="t1"), step("subagent", agent_id="a1")]
    lines = shown(*steps, calls=calls, agents=(agent("a1", parent_task_id="t1"),))

    assert [line.split()[1] for line in lines] == ["Agent"]


def test_a_call_that_failed_to_start_its_agent_is_shown() -> None:
    calls = (call("Task", "no", state="error", description="Look"),)
    lines = shown(
        step("tool_call", id="t1"), calls=calls, agents=(agent("a1", parent_task_id="t1"),)
    )

    assert lines[0].startswith("  ✗ Task")


def test_a_hook_is_shown_when_it_failed_or_spoke() -> None:
    assert shown(step("hook", name="Stop")) == []
    assert shown(step("hook", "formatted", name="Stop")) == [
        "  ⚑ Hook       Stop",
        "      formatted",
    ]
    assert shown(step("hook", name="Stop", is_error=True)) == ["  ✗ Hook       Stop"]


def test_interruptions_and_notices_are_shown() -> None:
    stop = step("interruption", "x")

    assert shown(stop, stop) == ["  ■ Interrupted by you"]
    assert shown(step("notice", "Overloaded\nagain", is_error=True)) == [
        "  ! Overloaded",
        "    again",
    ]
    assert shown(step("notice", "a\nb\nc\nd"))[-1] == "    … 2 more lines"
    assert shown(step("notice", name="model_fallback")) == ["  ! model fallback"]


@pytest.mark.parametrize("type", ["output", "thinking", "notice", "hook", "tool_call"])
def test_nothing_is_wider_than_the_screen(type: StepType) -> None:
    calls = (call("Bash", "word " * 90, command="word " * 90),)
    lines = shown(step(type, "word " * 90, id="t1", name="x" * 90), calls=calls, frame=SCREEN)

    assert lines
    assert max(map(len, lines)) <= 80
