"""The tools page: the most used first, those that often fail marked."""

from datetime import UTC
from typing import Any

import pytest

from tests.show.webs import HOSTILE, seen, shell
from unspool.model.insights import CallFact, Loop, ToolCount
from unspool.show.html.tools_page import ToolsContext, ToolsPage, ToolsQuery, tools_page

LOOP = Loop(
    name="Bash", times=4, project_id="p", session_id="s", start=0, end=60_000, pico=10**12,
    tool_use_id="toolu_7",
)  # fmt: skip


def page(*counts: ToolCount, **beside: Any) -> ToolsPage:
    return tools_page(counts, shell(), ToolsQuery(), ToolsContext(now=0, zone=UTC, **beside))


def test_the_most_used_tool_comes_first() -> None:
    made = page(ToolCount(name="a", calls=1), ToolCount(name="b", calls=2))

    assert [row.name for row in made.rows] == ["b", "a"]


def test_a_tool_that_fails_one_time_in_ten_stands_out() -> None:
    often = ToolCount(name="a", calls=10, errors=1)
    seldom = ToolCount(name="b", calls=100, errors=1)
    made = {row.name: (row.is_bad, row.rate) for row in page(often, seldom).rows}

    assert made == {"a": (True, "10.0%"), "b": (False, "1.0%")}


def test_all_that_was_waited_is_told() -> None:
    count = ToolCount(name="a", calls=1, waited=1, waited_ms=60_000)

    assert page(count, count).summary == "2 calls, 0 failures; 2 approvals with 2 min of waiting"


def test_the_finding_is_the_tool_with_most_failures_not_the_highest_rate_of_a_few() -> None:
    counts = ToolCount(name="Bash", calls=1_170, errors=117), ToolCount(name="b", calls=3, errors=3)

    assert page(*counts).finding == "Bash failed most: 117 of 1,170 calls, 10 %"
    served = ToolCount(name="mcp__atlas__lookup", calls=10, errors=5)
    assert page(served).finding == "lookup of atlas failed most: 5 of 10 calls, 50 %"


@pytest.mark.parametrize("errors", [2, 15])
def test_a_few_failures_are_no_finding(errors: int) -> None:
    assert page(ToolCount(name="a", calls=900, errors=errors)).finding == "Tools rarely fail"


def test_a_tool_of_a_server_is_called_by_its_own_name() -> None:
    (row,) = page(ToolCount(name="mcp__atlas__lookup", calls=1)).rows

    assert (row.name, row.server) == ("lookup", "atlas")


def test_a_tool_leads_to_its_calls_and_its_failures_to_those_that_failed() -> None:
    hrefs = seen(page(ToolCount(name="Bash", calls=9, errors=2))).hrefs

    assert "/tools?range=28&tool=Bash#calls" in hrefs
    assert "/tools?range=28&tool=Bash&show=failed#calls" in hrefs


def calls(show: str = "", tool: str = "Bash", name: str = "Bash") -> ToolsPage:
    call = CallFact(1, "a1", name, 60_000, 900, "error", "p", "s", "toolu_1")
    context = ToolsContext(now=0, zone=UTC, calls=[call], names={("p", "s"): name})
    counts = [ToolCount(name=name, calls=9, errors=1)]
    return tools_page(counts, shell(), ToolsQuery(tool=tool, show=show), context)


def test_a_call_leads_to_its_step() -> None:
    made = calls("failed")
    assert made.calls
    (row,) = made.calls.rows

    assert (made.calls.title, made.calls.summary) == ("Failed calls of Bash", "1 failed call")
    assert (row.when, row.status, row.took) == ("1 Jan 00:01", "failed", "0.9 s")
    assert "/s/p/s?agent=a1&at=toolu_1" in seen(made).hrefs


def test_a_list_that_is_cut_says_so() -> None:
    made = calls().calls

    assert made
    assert made.summary == "the newest 1 of 9 calls"


def test_the_calls_of_a_server_are_those_of_all_its_tools() -> None:
    made = calls(tool="mcp__atlas", name="mcp__atlas__lookup").calls

    assert made
    assert (made.title, made.summary) == ("Calls of atlas", "the newest 1 of 9 calls")


def test_a_loop_leads_to_its_first_call_with_what_it_cost() -> None:
    made = page(ToolCount(name="Bash", calls=4), loops=[LOOP], names={("p", "s"): "Title"})
    (row,) = made.loops

    assert (row.title, row.times, row.took, row.cost) == ("Title", 4, "1 min", "$1.00")
    assert "/s/p/s?at=toolu_7" in seen(made).hrefs


def test_quick_calls_are_told_apart() -> None:
    (row,) = page(ToolCount(name="a", calls=1, median_ms=12, p95_ms=840)).rows

    assert (row.median, row.p95) == ("12 ms", "0.8 s")


def test_no_calls_are_an_empty_page_that_says_so() -> None:
    assert "No tool calls match these filters" in seen(page()).text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_of_a_tool_becomes_an_element(text: str) -> None:
    calm, made = (
        seen(page(ToolCount(name=name, calls=1), loops=[LOOP], names={("p", "s"): name}))
        for name in ("calm", text)
    )

    assert made.shape == calm.shape
    assert seen(calls(tool=text, name=text)).shape == seen(calls(tool="calm", name="calm")).shape
