import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import here
from tests.engine.usage.spending import MILLION, MODEL, PRICE, talk
from unspool.demo import Transcript, text_block

Capsys = pytest.CaptureFixture[str]


def explained(capsys: Capsys, session: str = "s1", *options: str) -> dict[str, Any]:
    said = here(capsys, "cost", "explain", session, "--json", *options)
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_it_goes_from_lines_to_a_sum(root: Path, capsys: Capsys) -> None:
    made = Transcript(session="s1", model=MODEL).user("hi")
    made.answers([text_block("a"), text_block("b")], outputs=[0, 0], usage=MILLION).save(root)
    found = explained(capsys)

    assert (found["lines"], found["usageLines"], found["responses"]) == (3, 2, 1)
    assert found["dropped"] == [{"why": "streamed", "lines": 1}]
    assert found["totalCost"] == PRICE
    assert found["charges"][0]["kinds"] == [
        {"kind": "input", "tokens": 1_000_000, "usdPerMillion": 5.0, "costUsd": PRICE}
    ]


def test_agents_are_part_of_their_session(root: Path, capsys: Capsys) -> None:
    agent = Transcript(session="s1", model=MODEL, agent="a1").says("x", usage=MILLION, id="msg_a")
    path = root / "projects" / "-repo" / "s1" / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(agent.bytes())
    found = explained(capsys)

    assert (found["files"], found["responses"], found["totalCost"]) == (2, 2, 2 * PRICE)


def test_what_counts_for_another_session_is_named(root: Path, capsys: Capsys) -> None:
    copy = root / "projects" / "-repo" / "s2.jsonl"
    copy.write_bytes(talk().bytes() + talk("s2").bytes())
    found = explained(capsys, "s2")

    assert found["elsewhere"] == {"s1": 1}
    assert (found["responses"], found["totalCost"]) == (1, PRICE)
    assert found["ccusage"]["difference"] == 0


def test_the_client_s_own_figure_stands_beside_ours(root: Path, capsys: Capsys) -> None:
    talk().entry("cost-state", sessionId="s1", totalCostUSD=5.5).save(root)
    found = explained(capsys)

    assert (found["costStateUsd"], found["costStateDifference"]) == (5.5, 0.5)


def test_a_difference_to_ccusage_is_named_and_adds_up(root: Path, capsys: Capsys) -> None:
    usage = {**MILLION, "server_tool_use": {"web_search_requests": 3}}
    Transcript(session="s1", model=MODEL).says("x", usage=usage).save(root)
    found = explained(capsys)

    assert [one["rule"] for one in found["ccusage"]["because"]] == ["web searches cost nothing"]
    assert found["totalCost"] + found["ccusage"]["difference"] == found["ccusage"]["totalCost"]


def test_what_has_no_price_is_not_free(root: Path, capsys: Capsys) -> None:
    Transcript(session="s1", model="lantern").says("x", usage=MILLION).save(root)
    found = explained(capsys)

    assert (found["totalCost"], found["unpriced"]) == (None, ["lantern"])


def test_no_figure_of_ccusage_is_made_up(root: Path, capsys: Capsys) -> None:
    made = Transcript(session="s1", model="glm-4.6").says("x", usage=MILLION, id="msg_1")
    made.save(root)
    found = explained(capsys)["ccusage"]

    assert (found["report"], found["totalCost"]) == ("daily", None)
    assert found["unknownModels"] == ["glm-4.6"]
    assert "ccusage" in here(capsys, "cost", "explain", "s1").out
    assert "$0.0000" not in here(capsys, "cost", "explain", "s1").out


def test_it_reads_as_text(root: Path, capsys: Capsys) -> None:
    said = here(capsys, "cost", "explain", "latest")

    assert said.code == 0
    assert "= 1 response" in said.out
    assert "$5.00 in total" in said.out


def test_options_may_stand_before_the_word(root: Path, capsys: Capsys) -> None:
    talk("s1").save(root)
    found = here(capsys, "cost", "--json", "explain", "s1")

    assert (found.code, json.loads(found.out)["sessionId"]) == (0, "s1")
    assert here(capsys, "cost", "--project", "explain").out == "No usage matches these filters.\n"


def test_a_session_that_is_not_there_is_not_found(root: Path, capsys: Capsys) -> None:
    assert here(capsys, "cost", "explain", "nobody").code == 3


def test_without_a_session_it_is_wrong_usage(capsys: Capsys) -> None:
    assert here(capsys, "cost", "explain").code == 2
