"""Logical turns: one prompt and all that answered it."""

from tests.derive.reads import messages_of
from unspool.demo import Transcript, text_block, tool_block
from unspool.derive.story.turns import TurnFold, turns
from unspool.model.document import Metrics, Turn


def lines_counted(lines: range) -> Metrics:
    """Stands for the ledger: each line is one message."""
    return Metrics(message_count=len(lines))


def turns_of(transcript: Transcript) -> tuple[Turn, ...]:
    return turns(messages_of(transcript), lines_counted)


def prompts(transcript: Transcript) -> list[str]:
    return [turn.prompt for turn in turns_of(transcript)]


def asked() -> Transcript:
    return Transcript().user("go")


def test_a_prompt_and_all_answers_to_it_are_one_turn() -> None:
    made = asked().thinks("hm").calls("Bash", command="ls").returns("a").says("done")

    assert [(turn.index, turn.prompt) for turn in turns_of(made)] == [(1, "go")]


def test_each_prompt_begins_a_turn() -> None:
    assert prompts(asked().says("ok").user("more").user("and more")) == ["go", "more", "and more"]


# peers 1
def test_hidden_reminders_and_notifications_between_answers_do_not_split() -> None:
    made = asked().says("a").reminder("x").user("<system-reminder>y</system-reminder>")
    made.user("<task-notification><task-id>t</task-id></task-notification>").says("b")

    assert prompts(made) == ["go"]


# peers 2
def test_an_injected_line_that_holds_a_result_does_not_split() -> None:
    made = asked().calls("Bash", command="ls").returns("a", isMeta=True).says("done")

    assert [(turn.prompt, turn.tool_calls) for turn in turns_of(made)] == [("go", 1)]


def test_a_result_with_text_beside_it_does_not_split() -> None:
    made = asked().calls("Bash", command="ls")
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}

    assert prompts(made.user([result, text_block("and this")]).says("done")) == ["go"]


# peers 4
def test_a_model_switch_inside_a_turn_lists_both() -> None:
    made = asked().says("a", model="m1").says("b", model="m2").synthetic("oops", error="x")

    assert turns_of(made)[0].models == ("m1", "m2")


# peers 5
def test_a_call_repeated_by_a_later_snapshot_counts_once() -> None:
    call = tool_block("Bash", {"command": "ls"}, "t1")
    made = asked().answers([call], stop=None).answers([call]).returns("a").user("more")

    assert [turn.tool_calls for turn in turns_of(made.answers([call]))] == [1, 0]


def test_an_agents_own_file_has_turns() -> None:
    made = Transcript(agent="a1").user("look").says("found")

    assert [turn.prompt for turn in turns_of(made)] == ["look"]


# peers 7
def test_a_rewound_prompt_is_a_turn_of_its_own() -> None:
    made = asked().says("a").user("wrong way").user("right way", parentUuid="u2")

    assert prompts(made) == ["go", "wrong way", "right way"]


# peers 8
def test_a_call_of_an_agent_is_a_tool_call_under_either_name() -> None:
    made = asked().calls("Agent", prompt="x").returns("").calls("Task", prompt="y").returns("")

    assert turns_of(made)[0].tool_calls == 2


def test_a_line_for_the_shell_and_its_output_are_one_turn() -> None:
    made = Transcript().user("<bash-input>ls</bash-input>")
    made.user("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>").user("go")

    assert prompts(made) == ["ls", "go"]


def test_a_command_and_its_output_are_one_turn() -> None:
    made = Transcript().user("<command-name>/cost</command-name>")

    assert prompts(made.user("<local-command-stdout>$1</local-command-stdout>")) == ["/cost"]


def test_a_compaction_does_not_split() -> None:
    assert prompts(asked().says("a").compacts().says("b")) == ["go"]


def test_an_interruption_does_not_split() -> None:
    assert prompts(asked().calls("Bash", command="ls").interrupted()) == ["go"]


def test_an_answer_without_a_prompt_is_a_turn_without_one() -> None:
    made = Transcript().user("Caveat: x", isMeta=True).says("hello").user("go")

    assert [(turn.prompt, turn.metrics.message_count) for turn in turns_of(made)] == [
        ("", 1),
        ("go", 1),
    ]


def test_metrics_are_of_the_lines_from_a_prompt_to_the_next() -> None:
    made = Transcript().entry("mode", mode="normal").user("go").says("a").says("b").user("more")
    made.says("c").system("turn_duration", durationMs=5)

    assert [turn.metrics.message_count for turn in turns_of(made)] == [3, 3]


def test_a_turn_lasts_from_its_first_to_its_last_time() -> None:
    made = asked().says("a").wait(60).says("b").says("c", timestamp=None).wait(600).user("more")

    first = turns_of(made)[0]

    assert (first.start_time, first.end_time, first.duration_ms) == (
        "2026-01-01T00:00:00.000Z",
        "2026-01-01T00:01:02.000Z",
        62_000,
    )


def test_a_line_from_before_its_prompt_begins_the_turn() -> None:
    made = Transcript().wait(60).user("go").at("2026-01-01T00:00:50.000Z").says("a", model=None)

    assert (turns_of(made)[0].duration_ms, turns_of(made)[0].models) == (10_000, ())


def test_a_turn_without_times_lasts_no_time() -> None:
    turn = turns_of(Transcript().user("go", timestamp=None))[0]

    assert (turn.start_time, turn.end_time, turn.duration_ms) == (None, None, 0)


def test_the_reported_duration_is_the_clients_own_over_all_runs_of_a_turn() -> None:
    made = asked().says("a").system("turn_duration", durationMs=700)
    made.user("<task-notification>x</task-notification>").says("b")
    made.system("turn_duration", durationMs=300).user("more")

    assert [turn.reported_duration_ms for turn in turns_of(made)] == [1000, None]


def test_a_duration_before_any_turn_belongs_to_none() -> None:
    made = Transcript().system("turn_duration", durationMs=700).user("go")

    assert turns_of(made)[0].reported_duration_ms is None


def test_the_stop_reason_is_the_last_one_given_by_the_model() -> None:
    made = asked().calls("Bash", command="ls").returns("a").says("b", stop="max_tokens")
    made.says("c", stop=None).synthetic("oops", error="x")

    assert turns_of(made)[0].stop_reason == "max_tokens"


def test_a_line_falls_into_the_turn_whose_prompt_is_above_it() -> None:
    fold = TurnFold()
    for message in messages_of(Transcript().entry("mode").user("go").says("a").user("more")):
        fold.feed(message)

    assert [fold.turn_of(line) for line in (1, 2, 3, 4, 99)] == [None, 1, 1, 2, 2]


def test_asking_midway_changes_nothing() -> None:
    made = messages_of(asked().calls("Bash", command="ls").returns("a").user("more").says("b"))
    fold = TurnFold()
    for message in made:
        fold.feed(message)
        fold.turns(lines_counted)

    assert fold.turns(lines_counted) == turns(made, lines_counted)


def test_no_messages_make_no_turns() -> None:
    assert turns_of(Transcript()) == ()
