import pytest

from tests.derive.reads import messages_of
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.derive.context.categories import (
    COORDINATION,
    CategoryCounter,
    TurnTokens,
    recorded_context,
)

SKILL = "Base directory for this skill: /skills/pdf\n\n".ljust(400, "x")


def weights(transcript: Transcript) -> dict[str, int]:
    """The categories a transcript put any weight on."""
    turn, counter = TurnTokens(), CategoryCounter()
    for message in messages_of(transcript):
        counter.add(turn, message)
    return {name: count for name, count in turn.tokens.items() if count}


def test_a_prompt_weighs_what_is_left_without_its_reminders() -> None:
    hidden = "<system-reminder>" + "x" * 400 + "</system-reminder>"

    assert weights(Transcript().user("12345678" + hidden)) == {"user_messages": 2}


def test_a_slash_command_weighs_as_it_was_typed() -> None:
    said = "<command-message>foo</command-message>\n<command-name>/foo</command-name>\n"

    assert weights(Transcript().user(said + "<command-args>bar</command-args>")) == {
        "user_messages": 2
    }


def test_an_image_in_a_prompt_weighs_nothing() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}

    assert weights(Transcript().user([text_block("look"), image])) == {"user_messages": 1}


def test_a_call_weighs_its_name_and_its_input_as_json() -> None:
    assert weights(Transcript().calls("Bash", command="ls")) == {"tool_outputs": 5}


def test_a_result_is_tool_output() -> None:
    made = Transcript().calls("Bash", command="ls").returns("x" * 40)

    assert weights(made) == {"tool_outputs": 15}


# devtools 86
@pytest.mark.parametrize("tool", sorted(COORDINATION))
def test_the_seven_coordination_tools_and_their_results_are_coordination(tool: str) -> None:
    assert list(weights(Transcript().calls(tool).returns("x" * 40))) == ["task_coordination"]


# devtools 86
@pytest.mark.parametrize("tool", ["Task", "Agent", "TodoWrite", "TaskStop", "TaskOutput"])
def test_tools_that_only_sound_alike_are_tool_output(tool: str) -> None:
    assert list(weights(Transcript().calls(tool).returns("x" * 40))) == ["tool_outputs"]


# devtools 86
def test_the_inside_of_a_teammates_message_is_coordination() -> None:
    said = f'<teammate-message teammate_id="bo" color="red">{"x" * 40}</teammate-message>'

    assert weights(Transcript().user(said)) == {"task_coordination": 10}


# devtools 87
def test_the_final_answer_is_thinking_text() -> None:
    assert weights(Transcript().says("x" * 400)) == {"thinking_text": 100}


def test_thinking_is_thinking_text() -> None:
    assert weights(Transcript().thinks("x" * 40)) == {"thinking_text": 10}


# devtools 88
def test_the_instructions_of_a_skill_the_model_called_are_skills() -> None:
    made = Transcript().calls("Skill", skill="pdf").returns("Launching skill: pdf")
    made.user([text_block(SKILL)], isMeta=True, sourceToolUseID="toolu_1")

    assert weights(made) == {"tool_outputs": 10, "skills": 100}


# devtools 88
def test_the_instructions_of_a_skill_the_user_called_are_skills() -> None:
    made = Transcript().user("<command-name>/pdf</command-name>")
    made.user([text_block(SKILL)], isMeta=True)

    assert weights(made) == {"user_messages": 1, "skills": 100}


def test_an_interruption_is_thinking_text() -> None:
    assert weights(Transcript().interrupted()) == {"thinking_text": 8}


def test_what_the_client_says_in_the_models_name_weighs_nothing() -> None:
    assert weights(Transcript().synthetic("API Error: overloaded", error="overloaded")) == {}


def test_text_typed_beside_a_result_is_the_users() -> None:
    made = Transcript().calls("Bash", command="ls")
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": ""}
    made.user([result, text_block("12345678")])

    assert weights(made) == {"tool_outputs": 5, "user_messages": 2}


@pytest.mark.parametrize(
    ("kind", "category"),
    [
        ("nested_memory", "claude_md"),
        ("instructions", "claude_md"),
        ("file", "mentioned_files"),
        ("directory", "mentioned_files"),
        ("skill_listing", "skills"),
        ("invoked_skills", "skills"),
        ("dynamic_skill", "skills"),
    ],
)
def test_an_attachment_weighs_where_it_came_from(kind: str, category: str) -> None:
    made = Transcript().attachment(kind, content="x" * 400)

    assert list(weights(made)) == [category]


def test_an_attachment_of_another_kind_weighs_nothing() -> None:
    made = Transcript().attachment("date", content="x" * 400)

    assert (weights(made), recorded_context(messages_of(made))) == ({}, (set(), set()))


@pytest.mark.parametrize(
    ("kind", "category"), [("instructions", "claude_md"), ("file", "mentioned_files")]
)
def test_what_is_recorded_of_a_kind_is_recorded(kind: str, category: str) -> None:
    made = Transcript().attachment(kind, content="x", path="/repo/a")

    assert recorded_context(messages_of(made)) == ({category}, set())


def test_memory_of_one_directory_is_one_file_and_no_more() -> None:
    made = Transcript().attachment("nested_memory", content="x", path="/repo/a/CLAUDE.md")

    assert recorded_context(messages_of(made)) == (set(), {"/repo/a/CLAUDE.md"})


def test_blocks_that_a_response_repeats_weigh_once() -> None:
    blocks = [thinking_block("x" * 40), text_block("x" * 80), tool_block("Bash", {"command": "ls"})]
    made = Transcript().answers(blocks, id="m1").answers(blocks[:2], id="m1")
    made.answers([tool_block("Bash", {"command": "ls"}, "toolu_1")], id="m1")

    assert weights(made) == {"thinking_text": 30, "tool_outputs": 5}


def test_equal_answers_of_two_responses_weigh_twice() -> None:
    assert weights(Transcript().says("x" * 40).says("x" * 40)) == {"thinking_text": 20}


def test_of_two_results_for_one_call_the_first_weighs() -> None:
    made = Transcript().calls("Bash", command="ls").returns("x" * 40)

    assert weights(made.returns("x" * 4000, call=1)) == {"tool_outputs": 15}


def test_a_result_without_its_call_is_tool_output() -> None:
    assert weights(Transcript().returns("x" * 40, call="toolu_9")) == {"tool_outputs": 10}


def test_reads_and_mentions_are_noted_in_order() -> None:
    made = Transcript().user("see @src/a.ts").calls("Read", file_path="/repo/b.ts")
    turn, counter = TurnTokens(), CategoryCounter()
    for message in messages_of(made.calls("Edit", file_path="/repo/c.ts")):
        counter.add(turn, message)

    assert (turn.reads, turn.mentions) == (["/repo/b.ts"], ["src/a.ts"])
