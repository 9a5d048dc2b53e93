"""What one transcript says about subagents."""

import pytest

from tests.derive.agents.session import agent, facts_of
from tests.derive.reads import entries_of, messages_of
from unspool.decode.lines import decode
from unspool.demo import Transcript
from unspool.derive.agents.facts import FactsFold
from unspool.derive.reading.messages import read
from unspool.derive.reading.tags import digest
from unspool.json_depth import DEEPEST
from unspool.model.sidecars import AgentMeta

MATE = '<teammate-message teammate_id="lead" color="blue" summary="Find it">go</teammate-message>'
TASK = (
    "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n"
    "<status>completed</status>\n</task-notification>"
)


def ties(made: Transcript) -> list[tuple[str, str, str]]:
    claims = facts_of(made).claims
    return [(one.proof, one.report.agent_id, one.report.tool_use_id) for one in claims]


def test_an_agent_begins_and_ends_with_its_earliest_and_latest_line() -> None:
    made = Transcript(agent="a1", start="2026-01-01T00:00:05.000Z").user("go").says("on")
    late = facts_of(made.at("2026-01-01T00:00:02.000Z").says("an old line"))

    assert (late.start, late.end) == (1767225602000, 1767225606000)


def test_a_line_without_a_time_moves_neither_end() -> None:
    timed, made = facts_of(agent("a1")), facts_of(agent("a1").says("x", timestamp="never"))

    assert (made.start, made.end, made.messages) == (timed.start, timed.end, timed.messages + 1)


def test_a_spawning_call_keeps_its_place_and_its_words() -> None:
    made = Transcript().user("go").calls("Task", description="look", prompt=" find ", id="t1")
    (call,) = facts_of(made).calls

    assert (call.tool_use_id, call.tool, call.line) == ("t1", "Task", 2)
    assert (call.spawn.description, call.spawn.prompt_digest) == ("look", digest("find"))


def test_a_repeated_call_line_is_one_call() -> None:
    made = Transcript().user("go").calls("Task", prompt="x", id="t1").calls("Task", id="t1")

    assert [call.line for call in facts_of(made).calls] == [2]


def test_a_result_names_its_agent_by_the_id_of_the_result_block() -> None:
    made = Transcript().user("go").calls("Agent", id="t1").returns("", result={"agentId": "a1"})

    assert ties(made) == [("agentId", "a1", "t1")]


def test_agent_progress_ties_the_agent_to_the_parent_call_once() -> None:
    made = Transcript().user("go").calls("Task", id="t1")
    made.progress("agent_progress", agentId="a1").progress("agent_progress", agentId="a1")

    assert ties(made) == [("progress", "a1", "t1")]


def test_other_progress_ties_nothing() -> None:
    made = Transcript().user("go").calls("Bash", id="t1").progress("bash_progress", agentId="a1")

    assert ties(made) == []


def test_progress_of_the_oldest_versions_is_read_too() -> None:
    line = b'{"type":"progress","uuid":"p","parentToolUseID":"t1","progressData":'
    made = Transcript().raw(line + b'{"type":"agent_progress","agentId":"a1"}}')

    assert ties(made) == [("progress", "a1", "t1")]


def test_a_queued_task_ties_its_agent_to_its_call() -> None:
    queued = '{"task_id":"a1","tool_use_id":"t1","task_type":"local_agent"}'
    made = Transcript().entry("queue-operation", operation="enqueue", content=queued)

    assert ties(made) == [("queue", "a1", "t1")]


@pytest.mark.parametrize(("levels", "found"), [(DEEPEST - 1, 1), (DEEPEST, 0), (100_000, 0)])
def test_a_queued_task_is_nested_no_deeper_than_a_line(levels: int, found: int) -> None:
    """A string of a line may hold JSON as deep as it likes, on any interpreter."""
    queued = f'{{"task_id":"a1","tool_use_id":"t1","x":{"[" * levels}{"]" * levels}}}'
    made = Transcript().entry("queue-operation", operation="enqueue", content=queued)

    assert ties(made) == [("queue", "a1", "t1")] * found


def test_a_queued_notification_is_a_notification() -> None:
    made = Transcript().entry("queue-operation", operation="enqueue", content=TASK)

    assert ties(made) == [("notification", "a1", "t1")]


def test_a_notification_heard_twice_is_one_claim() -> None:
    made = Transcript().entry("queue-operation", operation="enqueue", content=TASK)
    made.user(TASK, origin={"kind": "task-notification"}).user(TASK)

    assert ties(made) == [("notification", "a1", "t1")]


@pytest.mark.parametrize("content", ["{", "{}", '{"task_id":7}', "fix it", None, [], 1, "{[" * 999])
def test_other_things_in_the_queue_tie_no_agent(content: object) -> None:
    made = Transcript().entry("queue-operation", operation="enqueue", content=content)

    assert ties(made) == []


def test_a_journal_names_the_agents_of_a_workflow() -> None:
    made = Transcript().entry("started", key="k", agentId="a1", label="count words")
    made.entry("started", key="k", agentId="a2")

    assert facts_of(made).labels == {"a1": "count words"}


def test_an_end_is_known_from_a_journal_a_result_or_a_notification() -> None:
    made = Transcript().entry("result", key="k", agentId="a0").entry("result").user(TASK)
    made.calls("Task", id="t2").returns("", result={"agentId": "a2", "status": "completed"})

    assert facts_of(made).finished == {"a0": None, "a1": 1767225600000, "a2": 1767225602000}


def test_a_launch_is_no_end() -> None:
    made = Transcript().user("go").calls("Agent", id="t1")
    made.returns("", result={"agentId": "a1", "status": "async_launched", "isAsync": True})

    assert facts_of(made).finished == {}


def test_a_prompt_in_a_block_is_the_same_prompt() -> None:
    plain, block = agent("a1", "find"), agent("a2", [{"type": "text", "text": "find"}])

    assert facts_of(plain).prompt_digest == facts_of(block).prompt_digest == digest("find")


def test_only_the_first_user_line_is_the_prompt() -> None:
    made = agent("a1", "find").user("and now this")

    assert facts_of(made).prompt_digest == digest("find")


def test_a_prompt_longer_than_a_head_is_compared_whole() -> None:
    long = "x" * 600

    assert facts_of(agent("a1", long)).prompt_digest == digest(long)


def test_a_team_member_opens_with_who_sent_it_and_why() -> None:
    facts = facts_of(agent("a1", MATE))

    assert (facts.teammate_id, facts.teammate_summary) == ("lead", "Find it")


def test_the_chain_runs_from_the_first_parent_to_the_last_uuid() -> None:
    made = agent("a2", parentUuid="a1-u9").progress("bash_progress")
    facts = facts_of(made)

    assert (facts.first_parent_uuid, facts.last_uuid) == ("a1-u9", "a2-u3")


def test_a_workflow_is_known_by_the_directory_of_its_agents() -> None:
    path = "s1/subagents/workflows/wf_1a2b3c4d-5e6/agent-a1.jsonl"
    facts = facts_of(agent("a1"), path=path, kind="workflow_subagent")

    assert facts.workflow == "wf_1a2b3c4d-5e6"


def test_a_sidecar_in_the_stream_serves_where_no_file_is() -> None:
    made = agent("a1").entry("agent_metadata", agentType="Explore", toolUseId="t1")

    assert facts_of(made).meta == AgentMeta(agent_type="Explore", tool_use_id="t1")


def test_a_sidecar_on_disk_beats_the_one_in_the_stream() -> None:
    made = agent("a1").entry("agent_metadata", agentType="Explore")

    assert facts_of(made, meta=AgentMeta("Plan")).meta == AgentMeta("Plan")


def test_without_its_entry_a_message_opens_by_its_head() -> None:
    fold = FactsFold("a1", kind="subagent")
    for message in messages_of(agent("a1", "find")):
        fold.feed(message)

    assert fold.facts().prompt_digest == digest("find")


def test_asking_midway_changes_nothing() -> None:
    fold, whole = FactsFold("a1", kind="subagent"), agent("a1").calls("Task", prompt="x", id="t9")
    for number, entries in enumerate(entries_of(whole), 1):
        fold.facts()
        message = read(entries[0], number)
        assert message is not None
        fold.feed(message, entries[0])

    assert fold.facts() == facts_of(whole)


def test_lines_that_are_no_records_say_nothing() -> None:
    fold = FactsFold()
    for line in (b"\x00\xff", b"[]", b'{"type":"progress"}', b'{"type":"queue-operation"}'):
        for entry in decode(line):
            fold.feed_beside(entry)

    assert fold.facts() == FactsFold().facts()
