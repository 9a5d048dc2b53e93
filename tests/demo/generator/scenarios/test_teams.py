from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.demo.generator.made import Made, readable, responses, texts


def agent_file(made: Made, trap: str, agent: str) -> Path:
    return made.folder(trap) / "subagents" / f"agent-{agent}.jsonl"


def test_team_mates_report_as_name_at_team(made: Made) -> None:
    results = [line.get("toolUseResult") for line in made.lines("team")]
    mates = [each["agent_id"] for each in results if isinstance(each, dict) and "agent_id" in each]
    config = json.loads(next((made.path / "teams").glob("*/config.json")).read_bytes())

    assert mates == [member["agentId"] for member in config["members"]]
    assert all("@" in mate for mate in mates)


def test_a_team_mates_first_line_repeats_its_description(made: Made) -> None:
    agent = made.session("team")["agents"][0]
    first = readable(agent_file(made, "team", agent["agentId"]).read_bytes())[0]

    assert f'summary="{agent["description"]}"' in first["message"]["content"]


def test_team_mates_write_back(made: Made) -> None:
    assert texts(made.lines("team")).count("<teammate-message color=") == 2


# format 11
def test_a_workflows_agents_have_a_journal_and_no_call_in_their_sidecars(made: Made) -> None:
    agents = made.session("workflow")["agents"]
    run = made.folder("workflow") / "subagents" / "workflows" / agents[0]["workflow"]
    journal = readable((run / "journal.jsonl").read_bytes())
    sidecars = [json.loads(path.read_bytes()) for path in run.glob("*.meta.json")]

    assert {agent["toolUseId"] for agent in agents} <= made.session("workflow")["tools"].keys()
    assert [line["type"] for line in journal] == ["launched", *("started", "result") * 2]
    assert not any("toolUseId" in each for each in sidecars)


def test_a_forked_agent_begins_with_its_parents_messages(made: Made) -> None:
    agent = made.session("forked_agent")["agents"][0]
    lines = readable(agent_file(made, "forked_agent", agent["agentId"]).read_bytes())
    shared = responses(lines).keys() & responses(made.lines("forked_agent")).keys()

    assert shared
    assert all(line["isSidechain"] for line in lines)


@pytest.mark.parametrize("trap", ["warmup", "compactor", "empty_agent"])
def test_unseen_agents_are_kept_out_of_the_tree(made: Made, trap: str) -> None:
    held = made.session(trap)

    assert held["agents"] == []
    assert len(held["filteredAgents"]) == 1


def test_what_the_unseen_spent_is_counted_and_told_apart(made: Made) -> None:
    held = made.session("warmup")

    assert held["hidden"] == held["subagents"]
    assert held["hidden"]["messages"] == 1


def test_the_unseen_are_told_by_their_prompt_their_name_or_their_silence(made: Made) -> None:
    warm, compact, empty = (
        made.session(trap)["filteredAgents"][0] for trap in ("warmup", "compactor", "empty_agent")
    )
    warmed = (made.folder("warmup").parent / f"agent-{warm}.jsonl").read_bytes()

    assert readable(warmed)[0]["message"]["content"] == "Warmup"
    assert compact.startswith("acompact")
    assert agent_file(made, "empty_agent", empty).stat().st_size == 0
