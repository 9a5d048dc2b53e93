from __future__ import annotations

import json
from typing import Any

import pytest

from tests.demo.generator.made import Begin, Made, finished, readable, responses
from unspool.demo.generator.scenarios.agents import (
    agent_result,
    agent_task,
    echo_lines,
    notification,
    run_agent,
    start_agent,
    wait_for,
)


def test_an_errand_is_asked_for_in_its_call(begin: Begin) -> None:
    builder = begin("2.1")
    sent = agent_task(builder, builder.main, name="builder")

    assert sent.call.name == "Task"
    assert sent.call.input["prompt"] == sent.prompt
    assert sent.call.input["name"] == "builder"


def test_an_agent_of_an_agent_names_its_parent(begin: Begin) -> None:
    builder = begin()
    first = start_agent(builder, agent_task(builder, builder.main))
    second = agent_task(builder, first)
    builder.leave(first)

    assert (second.truth()["parentAgentId"], second.depth) == (first.writer.agent, 2)


def test_an_agents_work_is_counted_apart(begin: Begin) -> None:
    builder = begin()
    sent = agent_task(builder, builder.main)
    agent = start_agent(builder, sent)
    words = run_agent(builder, agent, sent)

    assert (builder.truth.main.messages, builder.truth.subagents.messages > 1) == (0, True)
    assert agent_result(builder, sent, agent, words)["usage"]["output_tokens"] == agent.last.output


def test_an_echo_embeds_the_agents_own_lines(begin: Begin) -> None:
    builder = begin("2.1")
    sent = agent_task(builder, builder.main)
    agent = start_agent(builder, sent)
    agent.writer.history = []
    run_agent(builder, agent, sent)
    echo_lines(sent, agent)
    embedded = [line["data"]["message"]["uuid"] for line in finished(builder)]

    assert embedded == [line["uuid"] for line in agent.writer.history[:6]]


def test_a_parent_waits_for_its_agent_and_never_goes_back(begin: Begin) -> None:
    builder = begin()
    agent = start_agent(builder, agent_task(builder, builder.main))
    agent.writer.wait(500)
    wait_for(builder.main, agent)
    waited = builder.main.writer.clock.next
    builder.main.writer.wait(500)
    wait_for(builder.main, agent)
    builder.leave(agent)

    assert waited == agent.writer.clock.next < builder.main.writer.clock.next


def test_a_notification_names_the_task_and_its_call(begin: Begin) -> None:
    builder = begin()
    sent = agent_task(builder, builder.main)
    note = notification(sent, "done")

    assert f"<task-id>{sent.agent}</task-id>" in note
    assert f"<tool-use-id>{sent.call.id}</tool-use-id>" in note


def sidecar(made: Made, trap: str, agent: str) -> Any:
    path = made.folder(trap) / "subagents" / f"agent-{agent}.meta.json"
    return json.loads(path.read_bytes())


def test_old_agents_lie_beside_the_sessions_and_name_theirs(made: Made) -> None:
    agent = made.session("legacy_agent")["agents"][0]
    lines = readable(
        (made.folder("legacy_agent").parent / f"agent-{agent['agentId']}.jsonl").read_bytes()
    )

    assert {line["sessionId"] for line in lines} == {made.truth.traps["legacy_agent"]}


def test_early_2026_repeated_an_agents_usage_in_its_parent(made: Made) -> None:
    lines = [line for line in made.lines("echoed_agent") if line["type"] == "progress"]
    echoes = [line["data"]["message"] for line in lines if line["data"]["type"] == "agent_progress"]

    assert any("usage" in echo["message"] for echo in echoes)
    assert responses(echoes).keys().isdisjoint(responses(made.lines("echoed_agent")))


def test_a_sidecar_links_an_agent_to_its_call(made: Made) -> None:
    agent = made.session("agent_with_sidecar")["agents"][0]

    assert sidecar(made, "agent_with_sidecar", agent["agentId"])["toolUseId"] == agent["toolUseId"]


def test_a_finished_agent_reports_the_usage_of_its_last_request(made: Made) -> None:
    results = [line.get("toolUseResult") for line in made.lines("agent_with_sidecar")]

    assert any("usage" in result for result in results if isinstance(result, dict))


# format 5
def test_the_newest_agents_never_finish_their_usage(made: Made) -> None:
    share = made.session("unfinished_agent")["subagents"]

    assert share["lowerBound"] == share["messages"] > 0


# format 10
def test_a_background_agent_is_told_of_twice_and_is_one_agent(made: Made) -> None:
    lines = made.lines("background_agent")
    told = [line for line in lines if line.get("origin") == {"kind": "task-notification"}]
    queued = [line for line in lines if "<task-notification>" in line.get("content", "")]

    assert (len(told), len(queued)) == (2, 2)
    assert len(made.session("background_agent")["agents"]) == 1


def test_a_queued_agent_is_named_in_the_queue(made: Made) -> None:
    lines = made.lines("queued_agent")
    task = next(json.loads(line["content"]) for line in lines if line["type"] == "queue-operation")
    agent = made.session("queued_agent")["agents"][0]

    assert (task["task_id"], task["tool_use_id"]) == (agent["agentId"], agent["toolUseId"])


def test_a_call_inside_an_agent_names_the_agent(made: Made) -> None:
    held = made.session("agent_with_sidecar")
    agent = held["agents"][0]

    assert set(held["toolAgents"].values()) == {agent["agentId"]}
    assert agent["toolUseId"] not in held["toolAgents"]


def test_nested_agents_form_a_line_of_three(made: Made) -> None:
    top, middle, deep = made.session("nested_agents")["agents"]

    assert [agent["depth"] for agent in (top, middle, deep)] == [1, 2, 3]
    assert (middle["parentAgentId"], deep["parentAgentId"]) == (top["agentId"], middle["agentId"])


@pytest.mark.parametrize("trap", ["inline_sidechain"])
def test_the_oldest_agents_speak_in_the_main_file(made: Made, trap: str) -> None:
    lines = [line for line in made.lines(trap) if "uuid" in line]
    first = next(line["uuid"] for line in lines if line["isSidechain"])
    agents = [agent["agentId"] for agent in made.session(trap)["agents"]]

    assert {line["isSidechain"] for line in lines} == {True, False}
    assert f"inline-{first}" in agents
