import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.costs.spending import MILLION, MODEL, PRICE, talk
from tests.cli.runs import here
from tests.engine.scan.scans import files_of, root_with
from unspool.cli.costs.explain import UsageLines, gather
from unspool.demo import Transcript, text_block
from unspool.derive.usage.ccusage import Entry

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


def test_it_reads_as_text(root: Path, capsys: Capsys) -> None:
    said = here(capsys, "cost", "explain", "latest")

    assert said.code == 0
    assert "= 1 response" in said.out
    assert "$5.00 in all" in said.out


def test_a_session_that_is_not_there_is_not_found(root: Path, capsys: Capsys) -> None:
    assert here(capsys, "cost", "explain", "nobody").code == 3


def test_without_a_session_it_is_wrong_usage(capsys: Capsys) -> None:
    assert here(capsys, "cost", "explain").code == 2


def lines(path: Path, *files: bytes | Transcript) -> UsageLines:
    found = files_of(root_with(path, *files))
    return gather((file, Path(file.path).read_bytes().splitlines()) for file in found)


def test_every_line_is_counted_and_those_with_usage_are_gathered(tmp_path: Path) -> None:
    made = lines(tmp_path, Transcript().user("hi").says("a"), Transcript().says("b", id="msg_9"))

    assert (made.lines, len(made.told), len(made.reads)) == (3, 2, 2)
    assert [one.file for one in made.told] == [0, 1]


def test_both_readings_of_a_line_go_by_one_name(tmp_path: Path) -> None:
    made = lines(tmp_path, Transcript().says("a"))

    assert [read.key for read in made.reads] == [one.key for one in made.told] == ["m:msg_1"]
    assert isinstance(made.reads[0].entry, Entry)


def test_records_glued_together_are_gathered_and_not_read_there(tmp_path: Path) -> None:
    one, two = Transcript().says("a").says("b").bytes().splitlines()
    made = lines(tmp_path, one + two + b"\n")

    assert [read.key for read in made.reads] == ["m:msg_1", "m:msg_2"]
    assert all(isinstance(read.entry, str) for read in made.reads)


def test_a_line_only_the_other_reads_is_nobody_s(tmp_path: Path) -> None:
    line = Transcript().says("a").bytes().replace(b'"type":"assistant"', b'"type":"user"')

    assert [read.key for read in lines(tmp_path, line).reads] == [None]
