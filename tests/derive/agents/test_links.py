"""Which call started an agent, and what proves it."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.derive.agents.session import agent, facts_of, links_of
from unspool.demo import Transcript
from unspool.derive.agents.links import link_agents
from unspool.model.document import Team
from unspool.model.message import AgentClaim, AgentReport, LinkFacts, Spawn, SpawnCall
from unspool.model.sidecars import AgentMeta

LAUNCHED = {"status": "async_launched", "isAsync": True}


def told(agent_id: str, call: str, status: str = "completed") -> str:
    return (
        f"<task-notification>\n<task-id>{agent_id}</task-id>\n<tool-use-id>{call}</tool-use-id>\n"
        f"<status>{status}</status>\n</task-notification>"
    )


def calling(*ids: str, tool: str = "Task") -> Transcript:
    """A main conversation that calls for an agent once per id and hears nothing back."""
    made = Transcript().user("go")
    for id in ids:
        made.calls(tool, description=f"do {id}", subagent_type="Explore", prompt=f"p {id}", id=id)
    return made


# devtools 69
def test_agent_id_in_a_result_links_even_if_the_order_differs() -> None:
    main = calling("t1", "t2").returns("", call="t1", result={"agentId": "late"})
    main.returns("", call="t2", result={"agentId": "early"})
    found = links_of(main, agent("early"), agent("late", at="00:02:00.000"))

    assert {id: one.parent_task_id for id, one in found.items()} == {"late": "t1", "early": "t2"}
    assert found["late"].proof == "agentId"


# devtools 70
def test_agent_id_in_snake_case_links_likewise() -> None:
    main = calling("t1", "t2").returns("", call="t2", result={"agent_id": "a1"})
    found = links_of(main, agent("a1"))["a1"]

    assert (found.parent_task_id, found.proof) == ("t2", "agentId")


# peers 8
def test_agent_is_a_spawning_call_like_task() -> None:
    main = calling("t1", tool="Agent").returns("", result={"agentId": "a1", **LAUNCHED})
    found = links_of(main, agent("a1"))["a1"]

    assert (found.parent_task_id, found.description) == ("t1", "do t1")


# format 10
def test_an_async_agent_with_two_notifications_is_one_subagent() -> None:
    main = calling("t1").returns("", result={"agentId": "a1", **LAUNCHED})
    main.entry("queue-operation", operation="enqueue", content=told("a1", "t1"))
    main.user(told("a1", "t1")).user(told("a1", "t1"))

    assert [(one.parent_task_id, one.proof) for one in links_of(main, agent("a1")).values()] == [
        ("t1", "agentId")
    ]


def test_a_sidecar_is_believed_before_a_result() -> None:
    main = calling("t1", "t2").returns("", call="t1", result={"agentId": "a1"})
    found = links_of(main, facts_of(agent("a1"), meta=AgentMeta(tool_use_id="t2")))["a1"]

    assert (found.parent_task_id, found.proof) == ("t2", "meta")


def test_a_sidecar_is_believed_about_a_call_nobody_kept() -> None:
    found = links_of(calling(), facts_of(agent("a1"), meta=AgentMeta(tool_use_id="gone")))["a1"]

    assert (found.parent_task_id, found.parent_agent_id, found.proof) == ("gone", None, "meta")


# devtools 79
def test_the_type_in_a_sidecar_is_used() -> None:
    found = links_of(calling(), facts_of(agent("a1"), meta=AgentMeta("Plan", "think")))["a1"]

    assert (found.subagent_type, found.description, found.proof) == ("Plan", "think", "none")


def test_a_notification_links_by_its_tool_use_id() -> None:
    found = links_of(calling("t1", "t2").user(told("a1", "t2")), agent("a1"))["a1"]

    assert (found.parent_task_id, found.proof) == ("t2", "notification")


def test_a_queue_entry_links_by_its_tool_use_id() -> None:
    main = calling("t1", "t2")
    main.entry("queue-operation", content='{"task_id":"a1","tool_use_id":"t2"}')
    found = links_of(main, agent("a1"))["a1"]

    assert (found.parent_task_id, found.proof) == ("t2", "queue")


def test_progress_links_by_the_parent_call() -> None:
    main = calling("t1", "t2").progress("agent_progress", call="t2", agentId="a1")
    found = links_of(main, agent("a1"))["a1"]

    assert (found.parent_task_id, found.proof) == ("t2", "progress")


def test_the_best_proof_wins_over_all_others() -> None:
    main = calling("t1", "t2").progress("agent_progress", call="t1", agentId="a1")
    main.user(told("a1", "t2"))

    assert links_of(main, agent("a1", "p t1"))["a1"].proof == "notification"


def test_a_call_belongs_to_the_agent_with_the_better_proof() -> None:
    main = calling("t1").progress("agent_progress", agentId="a1")
    main.returns("", call="t1", result={"agentId": "a2"})
    found = links_of(main, agent("a1"), agent("a2"))

    assert (found["a1"].proof, found["a2"].parent_task_id) == ("none", "t1")


def test_a_resumed_agent_stays_with_the_call_that_began_it() -> None:
    main = calling("t1", "t2").returns("", call="t1", result={"agentId": "a1"})
    main.returns("", call="t2", result={"agentId": "a1"})

    assert links_of(main, agent("a1"))["a1"].parent_task_id == "t1"


def test_an_id_in_the_text_of_another_tool_links_nothing() -> None:
    main = Transcript().user("go").calls("Bash", id="b1", command="cat log")

    assert links_of(main.returns("agentId: a1"), agent("a1"))["a1"].proof == "none"


def test_a_skill_that_ran_as_an_agent_is_its_parent() -> None:
    main = Transcript().user("go").calls("Skill", id="s1", skill="review")
    found = links_of(main.returns("", result={"status": "forked", "agentId": "a1"}), agent("a1"))

    assert (found["a1"].parent_task_id, found["a1"].proof) == ("s1", "agentId")


# devtools 78
def test_a_call_in_another_agents_file_makes_a_nested_agent() -> None:
    outer = agent("a1").calls("Agent", description="dig", prompt="dig", id="n1")
    outer.returns("", result={"agentId": "a2"})
    main = calling("t1").returns("", result={"agentId": "a1"})
    found = links_of(main, outer, agent("a2", at="00:02:00.000"))["a2"]

    assert (found.parent_task_id, found.parent_agent_id, found.description) == ("n1", "a1", "dig")


def test_a_nested_call_is_at_home_where_it_was_made_though_main_heard_the_end() -> None:
    outer = agent("a1").calls("Agent", prompt="dig", id="n1")
    found = links_of(calling().user(told("a2", "n1")), outer, agent("a2", at="00:02:00.000"))

    assert found["a2"].parent_agent_id == "a1"


def test_a_fork_that_copied_its_own_call_is_not_its_own_parent() -> None:
    fork = agent("a1").calls("Agent", prompt="fork", id="t1").returns("", result={"agentId": "a1"})
    found = links_of(calling("t1"), facts_of(fork, meta=AgentMeta(tool_use_id="t1")))["a1"]

    assert (found.parent_task_id, found.parent_agent_id) == ("t1", None)


def test_a_sidecar_may_name_the_parent_alone() -> None:
    child = facts_of(agent("a2"), meta=AgentMeta(parent_agent_id="a1"))
    found = links_of(calling(), agent("a1"), child)["a2"]

    assert (found.parent_agent_id, found.parent_task_id, found.proof) == ("a1", None, "meta")


def test_sidecars_that_name_each_other_still_lead_to_the_root() -> None:
    one = facts_of(agent("a1"), meta=AgentMeta(parent_agent_id="a2"))
    two = facts_of(agent("a2"), meta=AgentMeta(parent_agent_id="a1"))
    found = links_of(calling(), one, two)

    assert [link.parent_agent_id for link in found.values()] == [None, "a1"]


# format 11
def test_a_workflow_agent_without_a_tool_use_id_belongs_to_the_call_of_its_run() -> None:
    main = Transcript().user("go").calls("Workflow", {"name": "sweep"}, id="w1")
    main.returns("", result={"status": "async_launched", "runId": "wf_1a-2b", "taskId": "w9"})
    main.entry("started", agentId="a1", label="count").entry("started", agentId="a2", label="sum")
    path = "s1/subagents/workflows/wf_1a-2b/agent.jsonl"
    runs = [facts_of(agent(id), path=path, kind="workflow_subagent") for id in ("a1", "a2")]
    found = [(one.parent_task_id, one.description) for one in links_of(main, *runs).values()]

    assert found == [("w1", "count"), ("w1", "sum")]


def test_an_agent_that_a_workflows_agent_called_is_described_by_its_call() -> None:
    path, meta = "s1/subagents/workflows/wf_1a-2b/agent.jsonl", AgentMeta(tool_use_id="n1")
    outer = agent("a1").calls("Agent", description="dig", prompt="dig", id="n1")
    nested = facts_of(agent("a2"), path=path, kind="workflow_subagent", meta=meta)
    found = links_of(calling(), facts_of(outer, path=path, kind="workflow_subagent"), nested)

    assert found["a2"].description == "dig"


def test_a_workflows_call_does_not_describe_its_agents() -> None:
    main = Transcript().user("go").calls("Workflow", {"description": "sweep all"}, id="w1")
    path = "s1/subagents/workflows/wf_1a-2b/agent.jsonl"
    run = facts_of(agent("a1"), path=path, kind="workflow_subagent")
    found = links_of(main.returns("", result={"runId": "wf_1a-2b"}), run)["a1"]

    assert (found.parent_task_id, found.description) == ("w1", "")


def test_a_run_is_also_known_by_its_directory() -> None:
    main = Transcript().user("go").calls("Workflow", {}, id="w1")
    main.returns("", result={"runId": "x", "transcriptDir": "/s1/subagents/workflows/wf_1a-2b/"})
    path = "s1/subagents/workflows/wf_1a-2b/agent.jsonl"
    run = facts_of(agent("a1"), path=path, kind="workflow_subagent")

    assert links_of(main, run)["a1"].parent_task_id == "w1"


def test_a_team_known_only_from_sidecars_is_a_team() -> None:
    meta = AgentMeta(name="ann", team_name="crew", color="red")
    found = links_of(calling(), facts_of(agent("a1"), meta=meta))["a1"]

    assert found.team == Team("crew", "ann", "red")


ids = st.sampled_from(["a1", "a2", "a3", "a4"])
tasks = st.sampled_from(["t1", "t2", "t3", "t4"])
proofs = st.sampled_from(["agentId", "notification", "queue", "progress"])
times = st.none() | st.integers(0, 5)
spawns = st.builds(Spawn, description=ids, prompt_digest=ids, team_name=ids, name=ids)
files = st.builds(
    LinkFacts,
    id=ids,
    kind=st.sampled_from(["subagent", "legacy_subagent", "workflow_subagent"]),
    start=times,
    end=times,
    messages=st.just(1),
    prompt_digest=ids,
    teammate_summary=st.just("") | ids,
    first_parent_uuid=st.just("") | ids,
    last_uuid=ids,
    calls=st.lists(st.builds(SpawnCall, tasks, spawns, st.just("Task"), times)).map(tuple),
    claims=st.lists(
        st.builds(AgentClaim, proofs, st.builds(AgentReport, agent_id=ids, tool_use_id=tasks))
    ).map(tuple),
    meta=st.none() | st.builds(AgentMeta, tool_use_id=tasks, parent_agent_id=ids),
)


@given(files, st.lists(files, max_size=6))
def test_whatever_files_say_every_agent_is_linked_once_and_leads_to_the_root(
    main: LinkFacts, agents: list[LinkFacts]
) -> None:
    found = {one.agent_id: one for one in link_agents(structs.replace(main, id=""), agents)}

    assert found.keys() == {facts.id for facts in agents}
    tops = list(found.values())
    for _ in found:
        tops = [found.get(one.parent_agent_id or "", one) for one in tops]
    assert all(one.parent_agent_id is None for one in tops)


@given(files, st.lists(files, max_size=6))
def test_a_call_is_guessed_for_one_agent_at_most(main: LinkFacts, agents: list[LinkFacts]) -> None:
    alone = [structs.replace(facts, first_parent_uuid="") for facts in agents]
    found = link_agents(structs.replace(main, id=""), alone)
    guessed = [one.parent_task_id for one in found if one.proof in ("prompt", "position")]

    assert len(guessed) == len(set(guessed))
