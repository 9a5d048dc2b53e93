"""The subagents of a document, and the chunks that show them."""

import msgspec
import pytest

from tests.derive.agents.session import agent, facts_of, subagents_of, tree_of
from tests.derive.reads import messages_of
from unspool.demo import Transcript
from unspool.derive.agents.links import link_agents
from unspool.derive.agents.subagents import ChunkFinder, SpawnedAgents
from unspool.derive.story.chunks import ChunkFold
from unspool.derive.story.tools import ToolFold
from unspool.model.document import Metrics
from unspool.model.message import LinkFacts
from unspool.model.sidecars import AgentMeta


def calling(status: str = "completed", **result: str) -> Transcript:
    made = Transcript().user("go").calls("Agent", id="t1").at("2026-01-01T00:05:00.000Z")
    return made.returns("", result={"agentId": "a1", "status": status, **result})


def test_a_subagent_says_when_it_ran_and_for_how_long() -> None:
    (found,) = subagents_of(calling(), agent("a1"))

    assert (found.start_time, found.end_time) == (
        "2026-01-01T00:01:00.000Z",
        "2026-01-01T00:01:01.000Z",
    )
    assert found.duration_ms == 1000


def test_a_subagent_without_times_has_none() -> None:
    made = Transcript(agent="a1").user("go", timestamp="never")
    (found,) = subagents_of(calling(), made)

    assert (found.start_time, found.end_time, found.duration_ms) == (None, None, 0)


def test_a_subagent_carries_the_metrics_of_its_file() -> None:
    counted = Metrics(input_tokens=7)
    tree = tree_of(calling(), agent("a1"), agent("a2"))
    found = tree.subagents({"a1": counted, "a2": Metrics()}.__getitem__)

    assert [one.metrics for one in found] == [counted, Metrics()]


# devtools 78
def test_a_nested_agent_is_at_depth_two() -> None:
    outer = agent("a1").calls("Agent", id="n1").returns("", result={"agentId": "a2"})
    found = subagents_of(calling(), outer, agent("a2", at="00:02:00.000"))

    assert [(one.id, one.depth, one.parent_agent_id) for one in found] == [
        ("a1", 1, None),
        ("a2", 2, "a1"),
    ]


def test_agents_begun_together_are_parallel() -> None:
    made = (agent("a1"), agent("a2", at="00:01:00.090"), agent("a3", at="00:01:00.150"))

    assert [one.is_parallel for one in subagents_of(calling(), *made)] == [True, True, False]


# devtools 67
def test_warm_ups_compactions_and_empty_files_are_no_subagents() -> None:
    made = (agent("a8", "Warmup"), agent("acompact-9"), facts_of(b"", "a7"), agent("a1"))

    assert [one.id for one in subagents_of(calling(), *made)] == ["a1"]


# devtools 79
def test_a_workflows_agents_are_subagents_with_the_type_of_their_sidecar() -> None:
    path = "s1/subagents/workflows/wf_1/agent-a1.jsonl"
    meta = AgentMeta("workflow-subagent")
    run = facts_of(agent("a1"), path=path, kind="workflow_subagent", meta=meta)
    (found,) = subagents_of(Transcript().user("go"), run)

    assert (found.file_path, found.subagent_type) == (path, "workflow-subagent")


def test_an_agent_that_still_runs_is_ongoing() -> None:
    (found,) = subagents_of(calling("async_launched"), facts_of(agent("a1"), is_ongoing=True))

    assert found.is_ongoing


def test_an_agent_whose_end_was_reported_is_not_ongoing() -> None:
    (found,) = subagents_of(calling("completed"), facts_of(agent("a1"), is_ongoing=True))

    assert not found.is_ongoing


def test_an_agent_that_worked_after_its_end_was_reported_is_ongoing_again() -> None:
    resumed = agent("a1").at("2026-01-01T00:09:00.000Z").calls("Bash", command="ls")
    (found,) = subagents_of(calling("completed"), facts_of(resumed, is_ongoing=True))

    assert found.is_ongoing


@pytest.mark.parametrize(("other", "last"), [("00:00:30", "00:04:00"), ("00:06:00", "00:05:30")])
def test_the_latest_report_of_an_end_counts(other: str, last: str) -> None:
    outer = agent("a2", at=f"{other}.000").calls("Agent", id="n1")
    outer.returns("", result={"agentId": "a1", "status": "completed"})
    made = agent("a1").at(f"2026-01-01T{last}.000Z").calls("Bash", command="ls")
    found = subagents_of(calling("completed"), outer, facts_of(made, is_ongoing=True))

    assert not any(one.is_ongoing for one in found)


def test_an_end_in_a_journal_needs_no_time() -> None:
    main = Transcript().user("go").entry("result", key="k", agentId="a1")
    (found,) = subagents_of(main, facts_of(agent("a1"), is_ongoing=True))

    assert not found.is_ongoing


def test_an_agent_stopped_by_the_user_is_not_ongoing() -> None:
    stopped = facts_of(agent("a1"), meta=AgentMeta(stopped_by_user=True), is_ongoing=True)

    assert not subagents_of(Transcript().user("go"), stopped)[0].is_ongoing


def test_the_document_has_the_names_of_the_contract() -> None:
    (found,) = subagents_of(calling(), agent("a1"))
    wanted = """id filePath parentTaskId parentAgentId depth proof description subagentType
        isParallel isOngoing team startTime endTime durationMs metrics"""

    assert set(wanted.split()) <= msgspec.to_builtins(found).keys()


def attached(main: Transcript, *agents: Transcript | LinkFacts) -> dict[str, list[str]]:
    files = [one if isinstance(one, LinkFacts) else facts_of(one) for one in agents]
    return SpawnedAgents(link_agents(facts_of(main), files), files).by_chunk(finder_of(main))


def finder_of(transcript: Transcript) -> ChunkFinder:
    chunks, tools = ChunkFold(), ToolFold()
    for message in messages_of(transcript):
        chunks.feed(message)
        tools.feed(message)
    return ChunkFinder(chunks, tools)


def two_answers() -> Transcript:
    """Two prompts, each answered with a call: lines at 0 to 5 seconds, ai-u2 and ai-u5."""
    made = Transcript().user("one").calls("Agent", id="t1").returns("", result={"agentId": "a1"})
    return made.user("two").calls("Agent", id="t2").returns("", result={"agentId": "a2"})


# devtools 77
def test_an_agent_is_shown_where_it_was_called_whenever_it_began() -> None:
    assert attached(two_answers(), agent("a2"), agent("a1", at="00:00:04.500")) == {
        "ai-u2": ["a1"],
        "ai-u5": ["a2"],
    }


# devtools 77
def test_an_agent_without_a_call_is_shown_where_it_began() -> None:
    assert attached(two_answers(), agent("a9", at="00:00:04.500")) == {"ai-u5": ["a9"]}


# devtools 77
def test_an_agent_called_elsewhere_is_not_attached_by_time() -> None:
    main = two_answers().user(
        "<task-notification><task-id>a9</task-id><tool-use-id>elsewhere</tool-use-id>"
        "</task-notification>"
    )

    assert attached(main, agent("a9", at="00:00:04.500")) == {}


def test_a_boundary_that_two_chunks_share_attaches_once() -> None:
    main = Transcript().user("one").says("a").at("2026-01-01T00:00:01.000Z").user("two")
    main.at("2026-01-01T00:00:01.000Z").says("b")

    assert attached(main, agent("a1", at="00:00:01.000")) == {"ai-u2": ["a1"]}


def test_a_prompt_attracts_nobody() -> None:
    assert attached(two_answers(), agent("a9", at="00:00:03.000")) == {}


def test_an_agent_that_began_after_the_last_answer_is_attached_nowhere() -> None:
    assert attached(two_answers(), agent("a9", at="00:09:00.000")) == {}


def test_an_agent_without_a_call_or_a_time_is_attached_nowhere() -> None:
    timeless = Transcript(agent="a9", uuid_prefix="a9-").user("go", timestamp="never")

    assert attached(two_answers(), timeless) == {}


def test_a_chunk_without_a_time_attracts_nobody() -> None:
    main = Transcript().user("one").says("a", timestamp="never")

    assert attached(main, agent("a1", at="00:00:01.000")) == {}


def test_agents_of_one_chunk_come_in_the_order_they_began() -> None:
    main = Transcript().user("go").calls("Agent", id="t1").calls("Agent", id="t2")
    main.returns("", call="t1", result={"agentId": "a1"})
    main.returns("", call="t2", result={"agentId": "a2"})

    assert attached(main, agent("a1", at="00:03:00.000"), agent("a2")) == {"ai-u2": ["a2", "a1"]}


def test_a_file_that_is_no_agent_is_attached_nowhere() -> None:
    assert attached(two_answers(), agent("a9", "Warmup", at="00:00:04.500")) == {}


def nested() -> tuple[Transcript, list[LinkFacts]]:
    """A main conversation, the agent it called, and the agent that one called."""
    main = Transcript().user("one").calls("Agent", id="t1").returns("", result={"agentId": "a1"})
    outer = agent("a1", at="00:00:01.500").calls("Agent", id="n1")
    outer.returns("", result={"agentId": "a2"})
    return main, [facts_of(outer), facts_of(agent("a2", at="00:00:01.900"))]


def test_a_nested_agent_is_not_shown_in_the_main_conversation() -> None:
    main, files = nested()

    assert attached(main, *files) == {"ai-u2": ["a1"]}


def test_a_nested_agent_is_shown_in_the_transcript_that_called_it() -> None:
    main, files = nested()
    own = agent("a1", at="00:00:01.500").calls("Agent", id="n1")
    links = link_agents(facts_of(main), files)

    assert SpawnedAgents(links, files).by_chunk(finder_of(own), "a1") == {"ai-a1-u2": ["a2"]}


def test_an_agent_of_the_main_conversation_is_not_shown_in_another_by_time() -> None:
    own = agent("a1").says("more")
    files = [facts_of(agent("a9", at="00:01:01.500"))]
    links = link_agents(facts_of(Transcript().user("go")), files)

    assert SpawnedAgents(links, files).by_chunk(finder_of(own), "a1") == {}
