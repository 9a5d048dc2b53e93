"""The status a transcript alone gives: the daemon parser's table, and what it leaves open."""

from tests.derive.hooked import at
from tests.derive.status_reads import state_of
from tests.derive.wholes import fold_of
from unspool.demo import Transcript, text_block, thinking_block, tool_block
from unspool.derive.reading.clock import iso
from unspool.model.document import PendingTool


def state(transcript: Transcript) -> str:
    return state_of(transcript).state


def asked() -> Transcript:
    return Transcript().user("go")


def test_an_answer_that_calls_a_tool_waits_for_approval() -> None:
    assert state(asked().calls("Bash", command="ls")) == "waiting_for_approval"


def test_an_answer_with_text_is_work() -> None:
    assert state(Transcript().says("let me see", stop=None)) == "working"


def test_an_answer_with_a_stop_reason_waits_for_input() -> None:
    assert state(asked().says("done", stop="end_turn")) == "waiting_for_input"


def test_a_stop_reason_does_not_end_the_wait_for_approval() -> None:
    made = asked().calls("Bash", command="ls").says("meanwhile", stop="end_turn")

    assert state(made) == "waiting_for_approval"


def test_a_call_wins_over_the_text_of_the_same_answer() -> None:
    both = [text_block("let me see"), tool_block("Bash", {"command": "ls"})]

    assert state(asked().answers(both)) == "waiting_for_approval"
    assert state(asked().answers(both[::-1], stops=[None, None])) == "waiting_for_approval"


def test_a_summary_is_idle() -> None:
    made = asked().says("done").entry("summary", summary="Title", leafUuid="u2")

    assert state(made) == "idle"


def test_thinking_changes_nothing() -> None:
    assert state(asked().says("a").answers([thinking_block("hm")], stop=None)) == (
        "waiting_for_input"
    )


def test_progress_and_snapshots_change_nothing() -> None:
    made = asked().progress("hook_progress").system("informational")

    assert state(made.entry("file-history-snapshot", messageId="m")) == "working"


def test_text_before_a_call_of_the_same_response_is_still_work() -> None:
    assert state(Transcript().says("let me see", stop="tool_use")) == "working"


def test_a_prompt_is_work_to_do() -> None:
    assert state(asked()) == "working"


def test_a_result_sets_the_model_to_work_again() -> None:
    assert state(asked().calls("Bash", command="ls").returns("a b")) == "working"


def test_of_two_calls_the_one_without_a_result_still_waits() -> None:
    made = asked().calls("Bash", command="ls").calls("Read", file_path="/a").returns("", call=1)

    assert state(made) == "waiting_for_approval"
    assert state_of(made).since == at(1)


def test_a_refused_call_waits_for_input() -> None:
    made = asked().calls("Bash", command="rm").returns("", result="User rejected tool use")

    assert state(made) == "waiting_for_input"


def test_an_interruption_waits_for_input_and_drops_the_call() -> None:
    made = asked().calls("Bash", command="ls").interrupted(for_tool=True)

    assert (state(made), state_of(made).pending) == ("waiting_for_input", None)


def test_a_local_commands_output_waits_for_input() -> None:
    made = Transcript().user("<command-name>/cost</command-name>")

    assert state(made) == "working"
    assert state(made.user("<local-command-stdout>$1</local-command-stdout>")) == (
        "waiting_for_input"
    )


def test_the_end_of_a_turn_waits_for_input_even_without_a_stop_reason() -> None:
    made = asked().says("done", stop=None).system("turn_duration", durationMs=1000)

    assert state(made) == "waiting_for_input"


def test_the_end_of_a_turn_does_not_end_the_wait_for_approval() -> None:
    made = asked().calls("Bash", command="ls").system("turn_duration", durationMs=1000)

    assert state(made) == "waiting_for_approval"


def test_a_background_task_that_reports_is_work() -> None:
    made = asked().says("started").user("<task-notification>done</task-notification>")

    assert state(made) == "working"


def test_injected_text_changes_nothing() -> None:
    assert state(asked().says("done").user("Caveat: x", isMeta=True)) == "waiting_for_input"


def test_the_pending_tool_is_the_last_call_without_a_result() -> None:
    made = asked().calls("Bash", command="ls").calls("Edit", file_path="/a.py")
    made.calls("Read", file_path="/b").returns("", call=3)

    assert state_of(made).pending == PendingTool("toolu_2", "Edit", "/a.py", iso(at(2)))


def test_a_pending_agent_is_known_by_its_description() -> None:
    pending = state_of(asked().calls("Agent", description="look around", prompt="x")).pending

    assert pending is not None
    assert pending.summary == "look around"


def test_a_server_tool_that_answers_in_the_same_response_is_not_pending() -> None:
    call = {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": []}

    assert state(asked().answers([call, found, text_block("so")])) == "waiting_for_input"


def test_a_line_without_a_time_enters_its_state_with_the_last_known_time() -> None:
    made = asked().calls("Bash", {"command": "ls"}, timestamp=None)

    assert state_of(made).since == at(0)


def test_calls_without_a_result_run_oldest_first() -> None:
    blocks = [tool_block("Bash", {"command": c}, c) for c in ("a", "b", "c")]
    status = fold_of(asked().answers([blocks]).returns("ok", call="b")).status

    assert status.running() == ["Bash a", "Bash c"]
    assert status.waits_for() == "Bash c"


def test_the_calls_of_agents_can_be_left_out() -> None:
    blocks = [tool_block("Task", {"description": "d", "prompt": "p"}, "t1"), "x"]
    made = asked().answers([*blocks, tool_block("Bash", {"command": "a"}, "t2")])

    assert fold_of(made).status.running(agents=False) == ["Bash a"]


def test_a_new_prompt_gives_up_what_was_open() -> None:
    status = fold_of(asked().calls("Bash", command="a").user("never mind")).status

    assert (status.running(), status.waits_for(), status.state.pending) == ([], "", None)


def test_the_pending_call_says_what_it_was_given_and_since_when() -> None:
    pending = state_of(asked().calls("Bash", command="make", id="t1")).pending

    assert pending is not None
    assert (pending.tool_use_id, pending.name, pending.summary) == ("t1", "Bash", "make")
    assert pending.since == "2026-01-01T00:00:01.000Z"
