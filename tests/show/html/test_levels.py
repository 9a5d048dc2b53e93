import pytest
from msgspec import structs

from tests.show.html.sample_sessions import READER, shown
from tests.show.made import agent, call, chunk, document, step
from unspool.model.document import PendingTool, Status, Step, ToolExecution
from unspool.show.html.levels import call_summary, group_key, level_of, story_only
from unspool.show.html.passages import passages
from unspool.show.html.render_context import ReaderOptions, render_context
from unspool.show.html.step_items import noise_item
from unspool.show.html.step_types import (
    AgentItem,
    AnswerBlock,
    ApprovalItem,
    CallGroup,
    CallItem,
    NoiseItem,
    NoticeItem,
    StepItem,
    TextItem,
    ThinkingItem,
)


def kinds(*steps: Step, calls: tuple[ToolExecution, ...] = ()) -> list[type[StepItem]]:
    return [type(one) for one in shown(*steps, calls=calls)]


def reads(*ids: str) -> tuple[ToolExecution, ...]:
    return tuple(call("Read", "x", id=id, file_path=f"{id}.py") for id in ids)


def test_the_calls_of_an_answer_are_one_line() -> None:
    names = ("Read",) * 6 + ("Edit",) * 3 + ("Bash",) * 2 + ("Skill",)
    calls = [call(name, id=str(n)) for n, name in enumerate(names)]
    calls[9] = structs.replace(calls[9], state="error")

    line = "12 calls: 6 Read, 3 Edit, 2 Bash, 1 other · 1 failed · 2 min"
    assert call_summary(calls, 120_000) == line


def test_an_answer_without_calls_says_how_long_it_took() -> None:
    assert call_summary([], 5_000) == "5.0 s"
    assert call_summary([]) == ""


def test_a_call_of_mcp_is_counted_by_its_tool() -> None:
    assert call_summary([call("mcp__web__navigate")]) == "1 call: 1 navigate"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Read", "read"),
        ("Grep", "read"),
        ("mcp__web__navigate", "mcp__web__navigate"),
        ("Bash", ""),
    ],
)
def test_reading_calls_and_calls_of_one_mcp_tool_may_be_one_line(name: str, key: str) -> None:
    assert group_key(call(name, "x")) == key
    assert group_key(call(name, "x", state="error")) == ""


def test_calls_of_one_mcp_tool_are_a_group_and_of_two_are_not() -> None:
    names = ("mcp__web__click", "mcp__web__click", "mcp__web__type")
    calls = tuple(call(name, "x", id=f"m{n}") for n, name in enumerate(names))
    group, other = shown(*(step("tool_call", id=one.tool_use_id) for one in calls), calls=calls)

    assert isinstance(group, CallGroup)
    assert (group.tool, group.server, group.what) == ("click", "web", "2 calls")
    assert isinstance(other, CallItem)


@pytest.mark.parametrize(
    "between", [step("thinking", "Hm."), step("notice", "boom", name="api_error", is_error=True)]
)
def test_thinking_or_an_error_ends_a_group(between: Step) -> None:
    first, last = step("tool_call", id="r1"), step("tool_call", id="r2")

    assert CallGroup not in kinds(first, between, last, calls=reads("r1", "r2"))


def test_machine_notes_between_two_calls_of_a_group_follow_it() -> None:
    hook = step("hook", "noted", name="PostToolUse:Read")
    found = kinds(
        step("tool_call", id="r1"), hook, step("tool_call", id="r2"), calls=reads("r1", "r2")
    )

    assert found == [CallGroup, NoiseItem]


def test_all_machine_notes_between_two_steps_are_one_line() -> None:
    hook = step("hook", "be brief", name="SessionStart")
    told = step("notice", "Agent finished", name="notification")
    items = shown(hook, step("hook", "and kind", id="h2"), told, step("output", "Done."))

    assert [type(one) for one in items] == [NoiseItem, TextItem]
    assert isinstance(items[0], NoiseItem)
    assert items[0].what == "2 hooks, 1 notification"
    assert [note.text for note in items[0].notes] == ["be brief", "and kind", "Agent finished"]


def test_what_went_wrong_and_what_a_teammate_says_is_no_noise() -> None:
    bad = step("hook", "denied", id="h", is_error=True)
    said = step("notice", "Looks fine", name="teammate")

    assert kinds(bad, said) == [NoticeItem, NoticeItem]


def test_a_long_machine_note_is_cut_on_a_page_and_whole_in_an_export() -> None:
    long = document(chunk("ai", "", step("hook", "x" * 5_000)))
    lengths = []
    for reader in (READER, ReaderOptions(now=0, is_whole=True)):
        (one,) = passages(long, render_context(long, reader))
        assert isinstance(one.block, AnswerBlock)
        (noise,) = one.block.items
        assert isinstance(noise, NoiseItem)
        lengths.append(len(noise.notes[0].text))

    assert lengths == [2_000, 5_000]


def test_the_story_is_prompts_answers_failures_agents_and_questions() -> None:
    calls = (
        call("Bash", "Exit code 1", id="bad", state="error", command="make"),
        call("Bash", "ok", id="fine", command="ls"),
        call("AskUserQuestion", "", id="asked", questions=[{"question": "Which?"}]),
        *reads("r1", "r2"),
    )
    steps = [step("tool_call", id=one.tool_use_id) for one in calls]
    spawned = Step(id="x", type="subagent", agent_id="x")
    answer = chunk(
        "ai",
        "",
        step("thinking", "Hm."),
        step("hook", "!"),
        *steps,
        spawned,
        step("output", "Done."),
    )
    made = document(
        chunk("user", "Go"),
        chunk("system", "printed", id="o", voice="stdout"),
        answer,
        tool_executions=calls,
        subagents=(agent("x"),),
    )
    prompt, block = (one.block for one in story_only(passages(made, render_context(made, READER))))

    assert prompt.kind == "speech"
    assert isinstance(block, AnswerBlock)
    assert [one.id for one in block.items] == ["bad", "asked", "x", "output"]
    assert block.summary.startswith("5 calls: 2 Bash, 2 Read, 1 AskUserQuestion · 1 failed")


def test_a_call_that_waits_for_approval_is_in_the_story() -> None:
    waiting = call("Bash", id="now", state="running", command="rm -rf build")
    made = document(
        chunk("ai", "", step("tool_call", id="now")),
        tool_executions=(waiting,),
        session={
            "status": Status("waiting_for_approval", None, "hook"),
            "pending_tool": PendingTool("now", "Bash", "rm -rf build", None),
        },
    )
    (one,) = story_only(passages(made, render_context(made, READER)))

    assert isinstance(one.block, AnswerBlock)
    assert [type(item) for item in one.block.items] == [ApprovalItem]


def test_the_steps_of_an_agent_in_the_story_are_its_story() -> None:
    own = document(chunk("ai", "", step("thinking", "Hm."), step("output", "Found it.")))
    outer = document(
        chunk("ai", "", Step(id="x", type="subagent", agent_id="x")), subagents=(agent("x"),)
    )
    context = render_context(outer, ReaderOptions(now=0, documents={"x": own}))
    (passage,) = passages(outer, context)
    (story,) = story_only([passage])

    assert isinstance(passage.block, AnswerBlock)
    assert isinstance(story.block, AnswerBlock)
    (whole,), (short,) = passage.block.items, story.block.items
    assert isinstance(whole, AgentItem)
    assert isinstance(short, AgentItem)
    assert [type(one) for one in whole.items] == [ThinkingItem, TextItem]
    assert [type(one) for one in short.items] == [TextItem]


def test_any_other_word_is_the_normal_level() -> None:
    assert [level_of(name) for name in ("story", "all", "")] == ["story", "normal", "normal"]


def test_notes_in_one_row_have_the_time_of_the_first() -> None:
    notes = [NoticeItem(id=f"n{n}", title="Hook", at=f"10:00:0{n}", noise="hook") for n in range(2)]

    assert (noise_item(notes).id, noise_item(notes).at) == ("notes-n0", "10:00:00")
