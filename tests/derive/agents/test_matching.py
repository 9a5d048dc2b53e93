"""Which call started an agent: claims of other lines, teams, prompts and positions."""

import pytest

from tests.derive.agents.session import agent, facts_of, links_of
from unspool.demo import Transcript
from unspool.derive.agents.matching import CallMatch, CallMatcher, run_key
from unspool.model.document import Proof, Team
from unspool.model.message import AgentClaim, AgentReport, LinkFacts, Spawn, SpawnCall
from unspool.model.sidecars import AgentMeta


def with_calls(id: str, *tasks: str, tool: str = "Task") -> LinkFacts:
    spawn = Spawn(team_name="crew", name="ann")
    return LinkFacts(id=id, calls=tuple(SpawnCall(task, spawn, tool) for task in tasks))


def with_claim(id: str, proof: Proof, agent_id: str, tool_use_id: str = "") -> LinkFacts:
    return LinkFacts(id=id, claims=(AgentClaim(proof, AgentReport(agent_id, tool_use_id)),))


def test_a_copied_call_is_at_home_in_the_first_file_that_has_it() -> None:
    matcher = CallMatcher([with_calls(""), with_calls("a1", "t1"), with_calls("fork", "t1")])

    assert matcher.owner("t1", "a9") == "a1"


def test_an_agents_own_copy_of_its_call_does_not_count() -> None:
    matcher = CallMatcher([with_calls("fork", "t1"), with_calls("a1", "t1")])

    assert matcher.owner("t1", "fork") == "a1"


def test_a_call_nobody_made_has_no_home() -> None:
    assert CallMatcher([with_calls("")]).owner("t1", "a1") is None


def test_a_tied_call_is_open_no_more() -> None:
    matcher = CallMatcher([with_calls("", "t1", "t2")])
    matcher.match("a1", CallMatch("t1", "", "prompt"))

    assert [owned.call.tool_use_id for owned in matcher.open_calls()] == ["t2"]


def test_a_call_that_names_its_agent_is_not_open() -> None:
    matcher = CallMatcher([with_calls("", "t1"), with_claim("", "queue", "a1", "t1")])

    assert matcher.open_calls() == []


def test_a_workflow_is_not_open_for_single_agents() -> None:
    assert CallMatcher([with_calls("", "w1", tool="Workflow")]).open_calls() == []


def test_a_claim_on_a_call_we_know_comes_before_one_on_a_stranger() -> None:
    stranger = with_claim("", "queue", "a1", "gone")
    matcher = CallMatcher([stranger, with_claim("", "queue", "a1", "t1"), with_calls("", "t1")])

    assert [match.task_id for match in matcher.claims("queue", "a1")] == ["t1", "gone"]


def test_what_an_agent_says_of_itself_is_no_claim() -> None:
    matcher = CallMatcher([with_claim("a1", "queue", "a1", "t1"), with_calls("", "t1")])

    assert list(matcher.claims("queue", "a1")) == []


def test_a_claim_without_a_call_is_none() -> None:
    assert (
        list(CallMatcher([with_claim("", "notification", "a1")]).claims("notification", "a1")) == []
    )


def test_a_transcript_is_below_the_agents_that_led_to_it() -> None:
    matcher = CallMatcher([with_calls("a1", "t1"), with_calls("a2", "t2")])
    matcher.match("a2", CallMatch("t1", "a1", "meta"))

    assert matcher.is_below("a2", "a1")
    assert not matcher.is_below("a1", "a2")


def test_ties_in_a_circle_end() -> None:
    matcher = CallMatcher([with_calls("a1", "t1"), with_calls("a2", "t2")])
    matcher.match("a2", CallMatch("t1", "a1", "meta"))
    matcher.match("a1", CallMatch("t2", "a2", "meta"))

    assert not matcher.is_below("a1", "a3")


def test_the_colour_of_a_team_member_comes_with_the_result() -> None:
    report = AgentReport("ann@crew", "t1", "teammate_spawned", color="red")
    matcher = CallMatcher(
        [with_calls("", "t1"), LinkFacts(claims=(AgentClaim("agentId", report),))]
    )

    assert matcher.teams == {"t1": Team("crew", "ann", "red")}


@pytest.mark.parametrize("run", ["1a-2b", "wf_1a-2b", "/s/workflows/wf_1a-2b/", "C:\\s\\wf_1a-2b"])
def test_a_run_has_one_key_however_it_is_named(run: str) -> None:
    assert run_key(run) == "1a-2b"


def calling(*ids: str) -> Transcript:
    made = Transcript().user("go")
    for id in ids:
        made.calls("Task", description=f"do {id}", prompt=f"p {id}", id=id)
    return made


def leading(*names: str, team: str = "crew") -> Transcript:
    """A main conversation that calls one team member per name, `t-<name>`."""
    made = Transcript().user("go")
    for name in names:
        made.calls(
            "Task", {"team_name": team, "name": name, "description": f"do {name}"}, id=f"t-{name}"
        )
    return made


def mate(id: str, summary: str, *, at: str = "00:01:00.000", **fields: str) -> Transcript:
    tag = f'<teammate-message teammate_id="lead" summary="{summary}">go</teammate-message>'
    return agent(id, tag, at=at, **fields)


# devtools 71
def test_a_team_call_finds_the_file_whose_summary_is_its_description() -> None:
    found = links_of(leading("ann", "bob"), mate("a1", "do bob"))["a1"]

    assert (found.parent_task_id, found.proof) == ("t-bob", "team")
    assert found.team == Team("crew", "bob")


# devtools 71
def test_of_two_files_with_one_summary_the_earliest_is_the_members() -> None:
    late, early = mate("a1", "do ann", at="00:02:00.000"), mate("a2", "do ann")
    found = links_of(leading("ann"), late, early)

    assert (found["a2"].parent_task_id, found["a1"].parent_task_id) == ("t-ann", None)


def test_a_long_summary_is_compared_as_far_as_a_description_is_kept() -> None:
    name = "x" * 600

    assert links_of(leading(name), mate("a1", f"do {name}"))["a1"].proof == "team"


def test_a_summary_that_only_begins_like_the_description_is_another() -> None:
    assert links_of(leading("ann"), mate("a1", "do ann again"))["a1"].proof == "none"


def test_a_call_with_a_name_but_no_team_is_an_ordinary_call() -> None:
    main = Transcript().user("go").calls("Agent", {"name": "ann", "description": "d"}, id="t1")

    assert links_of(main, mate("a1", "d"))["a1"].proof == "none"


def test_a_file_named_after_the_member_and_the_team_is_the_members() -> None:
    found = links_of(leading("ann"), agent("ann@crew"))["ann@crew"]

    assert (found.parent_task_id, found.proof) == ("t-ann", "team")


def test_a_result_that_names_member_and_team_finds_the_file_of_that_name() -> None:
    main = leading("ann")
    main.returns("", result={"status": "teammate_spawned", "agent_id": "ann@crew"})

    assert links_of(main, agent("ann@crew"))["ann@crew"].proof == "agentId"


def test_a_sidecar_with_member_and_team_finds_the_call() -> None:
    file = facts_of(agent("a1"), meta=AgentMeta(name="bob", team_name="crew"))
    found = links_of(leading("ann", "bob"), file)["a1"]

    assert (found.parent_task_id, found.proof) == ("t-bob", "team")


def test_an_implicit_team_is_told_by_the_result_alone() -> None:
    main = Transcript().user("go").calls("Agent", {"name": "ann", "description": "d"}, id="t1")
    result = {"status": "teammate_spawned", "agent_id": "ann@session-1a2b3c4d", "color": "red"}
    found = links_of(main.returns("", result=result), mate("a1", "d"))["a1"]

    assert (found.parent_task_id, found.team) == ("t1", Team("session-1a2b3c4d", "ann", "red"))


def test_the_same_prompt_links_before_position_does() -> None:
    found = links_of(calling("t1", "t2"), agent("a1", "p t2"))["a1"]

    assert (found.parent_task_id, found.proof) == ("t2", "prompt")


def test_agents_with_one_prompt_take_the_calls_with_it_in_turn() -> None:
    main = Transcript().user("go")
    main.calls("Task", prompt="same", id="t1").calls("Task", prompt="same", id="t2")
    found = links_of(main, agent("a2", "same", at="00:02:00.000"), agent("a1", "same"))

    assert (found["a1"].parent_task_id, found["a2"].parent_task_id) == ("t1", "t2")


def test_an_agent_that_calls_with_its_own_prompt_did_not_start_itself() -> None:
    made = agent("a1", "again").calls("Task", prompt="again", id="n1")

    assert links_of(Transcript().user("go"), made)["a1"].proof == "none"


# devtools 74
def test_leftovers_are_paired_in_the_order_they_began() -> None:
    found = links_of(calling("t1", "t2"), agent("a2", at="00:02:00.000"), agent("a1"))

    assert (found["a1"].parent_task_id, found["a2"].parent_task_id) == ("t1", "t2")
    assert found["a1"].proof == "position"


# devtools 74
def test_more_files_than_calls_stay_unlinked_and_nothing_wraps_around() -> None:
    found = links_of(calling("t1"), agent("a1"), agent("a2", at="00:02:00.000"))

    assert (found["a2"].parent_task_id, found["a2"].proof) == (None, "none")


def test_a_call_that_names_its_agent_is_not_given_to_another() -> None:
    main = calling("t1").returns("", result={"agentId": "swept"})

    assert links_of(main, agent("a1", "p t1"))["a1"].proof == "none"


def test_an_agent_that_began_before_the_call_was_not_started_by_it() -> None:
    main = calling("t1")
    found = links_of(main, agent("a1", at="00:00:00.500"), agent("a2"))

    assert (found["a1"].parent_task_id, found["a2"].parent_task_id) == (None, "t1")


def test_a_call_without_a_time_may_have_started_anyone() -> None:
    made = Transcript().user("go").calls("Task", {"prompt": "p"}, id="t1", timestamp="never")

    assert links_of(made, agent("a1"))["a1"].proof == "position"


def test_an_agent_is_not_paired_with_its_own_call() -> None:
    made = agent("a1").calls("Task", {"prompt": "p"}, id="n1", timestamp="never")

    assert links_of(Transcript().user("go"), made)["a1"].proof == "none"


def test_an_agent_without_a_time_comes_last() -> None:
    timeless = Transcript(agent="a1", uuid_prefix="a1-").user("go", timestamp="never")
    found = links_of(calling("t1", "t2"), timeless, agent("a2"))

    assert (found["a2"].parent_task_id, found["a1"].parent_task_id) == ("t1", "t2")


def test_position_pairs_within_one_transcript() -> None:
    outer = agent("a1").calls("Task", prompt="dig", id="n1").says("later")
    found = links_of(calling("t1"), outer, agent("a2", at="00:01:02.500"))["a2"]

    assert (found.parent_task_id, found.parent_agent_id) == ("n1", "a1")


def test_an_agent_that_began_after_another_had_ended_is_not_its_child() -> None:
    outer = agent("a1").calls("Task", prompt="dig", id="n1")

    assert links_of(calling("t1"), outer, agent("a2", at="00:09:00.000"))["a2"].proof == "none"


def test_position_respects_the_parent_a_sidecar_names() -> None:
    child = facts_of(agent("a2"), meta=AgentMeta(parent_agent_id="a1"))
    found = links_of(calling("t1", "t2"), agent("a1", "p t1"), child)["a2"]

    assert (found.parent_task_id, found.parent_agent_id) == (None, "a1")


def test_a_workflows_agent_takes_no_call_for_one_agent() -> None:
    path = "s1/subagents/workflows/wf_1/agent-a1.jsonl"
    run = facts_of(agent("a1"), path=path, kind="workflow_subagent")

    assert links_of(calling("t1"), run)["a1"].proof == "none"


def test_a_workflows_call_is_given_to_no_single_agent() -> None:
    main = Transcript().user("go").calls("Workflow", {"name": "sweep"}, id="w1")

    assert links_of(main, agent("a1"))["a1"].proof == "none"


# devtools 75
def test_a_team_continuation_never_takes_a_task_outside_the_team() -> None:
    main = leading("ann").calls("Task", prompt="other", id="t1")
    first = mate("a1", "do ann")
    more = agent("a2", "go on", at="00:02:00.000", parentUuid="a1-u2")
    found = links_of(main, first, more)["a2"]

    assert (found.parent_task_id, found.team) == ("t-ann", Team("crew", "ann"))


def test_a_members_file_without_a_call_takes_no_task_outside_the_team() -> None:
    assert links_of(calling("t1"), mate("a1", "do ann"))["a1"].proof == "none"


def test_a_members_name_is_believed_before_its_summary() -> None:
    file = facts_of(mate("a1", "do ann"), meta=AgentMeta(name="bob", team_name="crew"))

    assert links_of(leading("ann", "bob"), file)["a1"].parent_task_id == "t-bob"


def test_a_message_from_the_team_without_a_summary_is_still_from_the_team() -> None:
    tag = '<teammate-message teammate_id="lead">go</teammate-message>'

    assert links_of(calling("t1"), agent("a1", tag))["a1"].proof == "none"


def test_a_task_outside_the_team_never_takes_a_members_call() -> None:
    assert links_of(leading("ann"), agent("a1"))["a1"].proof == "none"
