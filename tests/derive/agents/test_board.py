"""Calls, and the agents they have been tied to."""

import pytest

from unspool.derive.agents.board import Board, Tie, run_key
from unspool.model.document import Proof, Team
from unspool.model.message import AgentClaim, AgentReport, LinkFacts, Spawn, SpawnCall


def called(id: str, *tasks: str, tool: str = "Task") -> LinkFacts:
    spawn = Spawn(team_name="crew", name="ann")
    return LinkFacts(id=id, calls=tuple(SpawnCall(task, spawn, tool) for task in tasks))


def said(id: str, proof: Proof, agent_id: str, tool_use_id: str = "") -> LinkFacts:
    return LinkFacts(id=id, claims=(AgentClaim(proof, AgentReport(agent_id, tool_use_id)),))


def test_a_copied_call_is_at_home_in_the_first_file_that_has_it() -> None:
    board = Board([called(""), called("a1", "t1"), called("fork", "t1")])

    assert board.owner("t1", "a9") == "a1"


def test_an_agents_own_copy_of_its_call_does_not_count() -> None:
    board = Board([called("fork", "t1"), called("a1", "t1")])

    assert board.owner("t1", "fork") == "a1"


def test_a_call_nobody_made_has_no_home() -> None:
    assert Board([called("")]).owner("t1", "a1") is None


def test_a_tied_call_is_open_no_more() -> None:
    board = Board([called("", "t1", "t2")])
    board.tie("a1", Tie("t1", "", "prompt"))

    assert [owned.call.tool_use_id for owned in board.open_calls()] == ["t2"]


def test_a_call_that_names_its_agent_is_not_open() -> None:
    board = Board([called("", "t1"), said("", "queue", "a1", "t1")])

    assert board.open_calls() == []


def test_a_workflow_is_not_open_for_single_agents() -> None:
    assert Board([called("", "w1", tool="Workflow")]).open_calls() == []


def test_a_claim_on_a_call_we_know_comes_before_one_on_a_stranger() -> None:
    stranger = said("", "queue", "a1", "gone")
    board = Board([stranger, said("", "queue", "a1", "t1"), called("", "t1")])

    assert [tie.task_id for tie in board.claims("queue", "a1")] == ["t1", "gone"]


def test_what_an_agent_says_of_itself_is_no_claim() -> None:
    board = Board([said("a1", "queue", "a1", "t1"), called("", "t1")])

    assert list(board.claims("queue", "a1")) == []


def test_a_claim_without_a_call_is_none() -> None:
    assert list(Board([said("", "notification", "a1")]).claims("notification", "a1")) == []


def test_a_transcript_is_below_the_agents_that_led_to_it() -> None:
    board = Board([called("a1", "t1"), called("a2", "t2")])
    board.tie("a2", Tie("t1", "a1", "meta"))

    assert board.is_below("a2", "a1")
    assert not board.is_below("a1", "a2")


def test_ties_in_a_circle_end() -> None:
    board = Board([called("a1", "t1"), called("a2", "t2")])
    board.tie("a2", Tie("t1", "a1", "meta"))
    board.tie("a1", Tie("t2", "a2", "meta"))

    assert not board.is_below("a1", "a3")


def test_the_colour_of_a_team_member_comes_with_the_result() -> None:
    report = AgentReport("ann@crew", "t1", "teammate_spawned", color="red")
    board = Board([called("", "t1"), LinkFacts(claims=(AgentClaim("agentId", report),))])

    assert board.teams == {"t1": Team("crew", "ann", "red")}


@pytest.mark.parametrize("run", ["1a-2b", "wf_1a-2b", "/s/workflows/wf_1a-2b/", "C:\\s\\wf_1a-2b"])
def test_a_run_has_one_key_however_it_is_named(run: str) -> None:
    assert run_key(run) == "1a-2b"
