from msgspec.structs import replace

from unspool.model.api import (
    Charge,
    Difference,
    DroppedLines,
    Explanation,
    RatedTokens,
    ToolComparison,
)
from unspool.show.text.cost_explanation import explanation_lines

CHARGE = Charge(
    model="claude-opus-4-6",
    responses=2,
    until="2026-03-13",
    above=200_000,
    fast=6.0,
    geo=1.1,
    kinds=(RatedTokens("input", 1_000, 5.0, 0.005),),
    searches=1,
    searches_usd=0.01,
    cost_usd=0.015,
)
MADE = Explanation(
    session_id="s1",
    project_id="-repo",
    files=2,
    lines=30,
    usage_lines=9,
    responses=2,
    dropped=(DroppedLines("streamed", 4), DroppedLines("fork", 3)),
    elsewhere={"s0": 1},
    charges=(CHARGE,),
    total_cost=0.015,
)


def text(made: Explanation = MADE) -> str:
    return "\n".join(explanation_lines(made))


def test_it_goes_from_lines_to_responses() -> None:
    assert "30 lines in 2 files, 9 with usage" in text()
    assert "- 4 are further lines of a response written block by block" in text()
    assert "- 3 were copied from the session they were first written in" in text()
    assert "= 2 responses\n  1 response of s0 counted there" in text()


def test_a_charge_says_by_which_price_it_is() -> None:
    head = "opus-4-6, 2 responses, prices of the beginning to 2026-03-13, prompts above 200,000"

    assert f"{head} tokens, fast mode x 6, served in the US x 1.1" in text()


def test_a_charge_adds_up_line_by_line() -> None:
    lines = text().splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("input"))

    assert lines[at].split() == ["input", "1,000", "5", "$0.0050"]
    assert lines[at + 1].split() == ["web", "searches", "1", "$0.0100"]
    assert lines[at + 3].split() == ["sum", "$0.0150"]


def test_what_has_no_price_is_said() -> None:
    unpriced = replace(
        MADE,
        charges=(Charge(model="lantern", responses=1),),
        unpriced=("lantern",),
        total_cost=None,
    )

    assert "lantern, 1 response: no price" in text(unpriced)
    assert "unpriced in total\n  no price: lantern" in text(unpriced)


def test_a_lower_bound_and_the_client_s_own_count_stand_beside_the_sum() -> None:
    made = replace(MADE, lower_bound=1, cost_state_usd=0.02, cost_state_difference=0.005)

    assert "at least: 1 response without a final" in text(made)
    assert "Claude Code's own count: $0.0200 (+$0.0050)" in text(made)


def test_agents_that_left_nothing_are_counted_apart_from_unfinished_responses() -> None:
    made = text(replace(MADE, lower_bound=3, unknown_agents=2))
    only = text(replace(MADE, lower_bound=1, unknown_agents=1))

    assert "  at least: 1 response without a final output count\n" in made
    assert "  at least: 2 agents left no files, so their usage is unknown" in made
    assert "  at least: 1 agent left no file, so its usage is unknown" in only
    assert "without a final output count" not in only


def test_another_tool_s_figure_is_told_with_its_reasons() -> None:
    because = (Difference(rule="web searches cost nothing", responses=1, cost_usd=-0.01),)
    more = (Difference(rule="twice", responses=1, output_tokens=7, cost_usd=0.002),)
    compared = ToolComparison(
        tool="ccusage 20",
        report="daily",
        total_cost=0.007,
        difference=-0.008,
        because=because + more,
    )

    assert text(replace(MADE, ccusage=compared)).splitlines()[-4:] == [
        "ccusage 20, daily report: $0.0070 for these lines (-$0.0080)",
        "  -$0.0100  1 response: web searches cost nothing",
        "  +$0.0020  1 response: twice",
        "      output +7",
    ]


def test_what_is_not_known_of_another_tool_is_no_figure() -> None:
    known = ToolComparison(tool="ccusage 20", report="daily", total_cost=0.1, difference=0.0)
    partly = replace(known, unknown_models=("glm-4.6", "gpt-5"))

    assert text(replace(MADE, ccusage=partly)).splitlines()[-2:] == [
        "ccusage 20, daily report: $0.1000 for these lines (+$0.0000)",
        "  without glm-4.6, gpt-5: its prices for them are unknown",
    ]
    assert text(replace(MADE, ccusage=replace(partly, total_cost=None))).splitlines()[-2:] == [
        "ccusage 20, daily report: not compared",
        "  without glm-4.6, gpt-5: its prices for them are unknown",
    ]
