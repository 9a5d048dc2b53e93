from tests.show.html.sample_sessions import READER, shown, waiting
from tests.show.made import agent, call, chunk, document, step
from unspool.model.document import Step
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.step_items import step_items
from unspool.show.html.step_types import (
    AgentItem,
    ApprovalItem,
    CallGroup,
    CallItem,
    NoticeItem,
    TextItem,
    ThinkingItem,
)


def test_words_are_shown_in_full() -> None:
    assert shown(step("output", "Done.")) == (TextItem(id="output", text="Done."),)


def test_a_call_without_its_execution_is_still_a_row() -> None:
    (made,) = shown(step("tool_call", id="t", name="Bash"))

    assert isinstance(made, CallItem)
    assert made.tool == "Bash"


def test_a_run_of_reads_is_one_group() -> None:
    reads = tuple(call("Read", "x", id=f"r{n}", file_path="a") for n in range(3))
    (made,) = shown(*(step("tool_call", id=one.tool_use_id) for one in reads), calls=reads)

    assert isinstance(made, CallGroup)


def test_a_failed_read_stands_alone() -> None:
    reads = (
        call("Read", "x", id="r0"),
        call("Read", "gone", id="r1", state="error"),
        call("Read", "x", id="r2"),
    )
    made = shown(*(step("tool_call", id=one.tool_use_id) for one in reads), calls=reads)

    assert [type(one) for one in made] == [CallItem, CallItem, CallItem]


def test_a_result_is_seen_with_its_call() -> None:
    made = shown(step("tool_call", id="t"), step("tool_result", id="t"), calls=(call(id="t"),))

    assert len(made) == 1


def test_thinking_is_folded_to_its_first_line() -> None:
    (made,) = shown(step("thinking", "First.\nThen.", effective_duration_ms=12_000))

    assert isinstance(made, ThinkingItem)
    assert (made.first, made.took) == ("First. Then.", "12 s")


def test_a_short_empty_thought_is_left_away() -> None:
    assert shown(step("thinking", "", effective_duration_ms=50)) == ()


def test_a_hook_that_said_nothing_is_not_a_step() -> None:
    assert shown(step("hook", "")) == ()


def test_a_hook_that_failed_is_never_folded() -> None:
    (made,) = shown(step("hook", "no", name="guard", is_error=True))

    assert made == NoticeItem(id="hook", title="Hook guard", text="no", is_error=True, mark="fail")


def test_an_error_of_the_api_is_a_notice() -> None:
    (made,) = shown(step("notice", "Overloaded", name="api_error", is_error=True))

    assert isinstance(made, NoticeItem)
    assert (made.title, made.is_error) == ("API error", True)


def test_two_marks_of_one_interruption_are_one() -> None:
    assert len(shown(step("interruption"), step("interruption"))) == 1


def test_what_waits_for_the_reader_is_asked() -> None:
    made = render_context(waiting(), READER)

    assert isinstance(step_items((step("tool_call", id="now"),), made)[0], ApprovalItem)


def test_an_agent_without_its_document_can_be_asked_for() -> None:
    (made,) = step_items(
        (Step(id="x", type="subagent", agent_id="x"),), render_context(waiting(), READER)
    )

    assert isinstance(made, AgentItem)
    assert made.has_more
    assert [one.id for one in made.below] == ["y"]


def test_an_agent_s_own_steps_are_shown_in_place() -> None:
    own = document(chunk("ai", "", step("output", "Found it.")))
    outer = document(subagents=(agent("x"),))
    made = render_context(outer, ReaderOptions(now=0, documents={"x": own}))
    (found,) = step_items((Step(id="x", type="subagent", agent_id="x"),), made)

    assert isinstance(found, AgentItem)
    assert found.items == (TextItem(id="output", text="Found it."),)


def test_an_agent_nobody_knows_is_left_away() -> None:
    assert shown(Step(id="x", type="subagent", agent_id="x")) == ()


def test_the_call_that_started_an_agent_is_not_told_twice() -> None:
    started = call("Agent", "Found", id="t", prompt="Look")
    outer = document(tool_executions=(started,), subagents=(agent("x", parent_task_id="t"),))
    steps = (step("tool_call", id="t"), Step(id="x", type="subagent", agent_id="x"))
    (made,) = step_items(steps, render_context(outer, READER))

    assert isinstance(made, AgentItem)
    assert made.call is not None


def test_what_a_teammate_says_is_prose_under_its_name() -> None:
    (made,) = shown(step("notice", "Looks **fine**", name="teammate"))

    assert isinstance(made, NoticeItem)
    assert (made.title, made.is_words) == ("Teammate", True)


def test_an_error_of_the_api_is_called_one() -> None:
    (made,) = shown(step("notice", "API Error: 529 Overloaded", is_error=True))

    assert isinstance(made, NoticeItem)
    assert made.title == "API error"


def test_words_that_lost_a_secret_name_the_line_they_are_on() -> None:
    reader = ReaderOptions(now=0, events=lambda agent, line: f"7.0.{line}{agent}")
    said = step("output", "It is [redacted: token].", line=4)
    (made,) = step_items((said,), render_context(document(), reader))

    assert isinstance(made, TextItem)
    assert made.secrets == ("7.0.4",)


def test_an_interruption_is_no_error() -> None:
    (made,) = shown(step("interruption"))

    assert made == NoticeItem(
        id="interruption", title="Interrupted by you", mark="stop", is_error=False
    )
