"""What the stories of the past are: whole, priced right, and every situation a reader may meet."""

from collections import Counter
from pathlib import Path

import pytest

import unspool
from tests.cli.runs import stores_of
from tests.demo.stories.told import NOW, Told, tell
from tests.serve.served import served
from unspool.engine.health import scan_oddities
from unspool.model.transcript import Oversize, Unknown, Unreadable

EVER = 2**62
SYSTEM = 31_000  # tokens of a first request that no line shows


def test_every_line_can_be_read_and_has_only_names_that_are_known(told: Told) -> None:
    files = [*told.root.glob("projects/**/*.jsonl")]
    entries = [entry for path in files for entry in unspool.parse(path)]

    assert len(entries) > 800
    assert [one for one in entries if isinstance(one, Unknown | Unreadable | Oversize)] == []
    assert scan_oddities(stores_of(told.root).roots) == []


def test_one_is_at_its_limit_one_has_failed_and_the_others_have_ended(told: Told) -> None:
    rows = {row.id: row for row in unspool.open(told.root, now=NOW).sessions()}
    states = {name: rows[run.session].status for name, run in told.runs.items()}

    assert states.pop("retention") == "limited"
    assert states.pop("openapi-client") == "failed"
    assert set(states.values()) == {"ended"}


def test_each_has_its_title_and_nothing_bad(told: Told) -> None:
    rows = {row.id: row for row in unspool.open(told.root, now=NOW).sessions()}

    assert len(rows) == len(told.runs) >= 20
    for run in told.runs.values():
        row = rows[run.session]
        assert (row.title, row.bad_lines) == (run.story.title, 0)
        assert len(row.title) <= 45


def test_costs_are_what_the_library_says(told: Told) -> None:
    rows = {row.id: row for row in unspool.open(told.root, now=NOW).sessions()}

    for run in told.runs.values():
        assert abs((rows[run.session].cost_usd or 0) - run.usd) < 1e-9, run.story.name


def test_what_a_session_notes_last_of_its_cost_is_what_it_cost(told: Told) -> None:
    broken_off = ("openapi-client", "retention")  # within a turn
    for name, run in told.runs.items():
        noted = [line for line in told.lines(name) if line["type"] == "cost-state"]
        if name not in broken_off:
            assert noted[-1]["totalCostUSD"] == pytest.approx(run.usd), name


def test_two_weeks_cost_what_a_developer_spends_and_no_day_is_most_of_it(told: Told) -> None:
    days = [row.spend.usd or 0 for row in unspool.open(told.root, now=NOW).cost("day").rows]
    sessions = [run.usd for run in told.runs.values()]

    assert 15 <= sum(days) <= 45
    assert max(days) <= sum(days) / 3
    assert len(days) == 11
    assert 0.05 < min(sessions) < max(sessions) < 12


def test_most_is_spent_on_writing_and_reading_the_cache(told: Told) -> None:
    with served(told.root) as site:
        kinds = site.context.insights.causes(None).kinds

    share = {one.name: one.pico / sum(each.pico for each in kinds) for one in kinds}
    assert 0.4 < share["write"] < 0.7
    assert 0.15 < share["read"] < 0.45
    assert 0.1 < share["output"] < 0.25


def test_what_fills_a_context_beside_the_system_prompt_can_be_read(told: Told) -> None:
    for name in told.runs:
        for turn in told.session(name).context().turns:
            assert turn.untracked - SYSTEM < 0.3 * turn.measured, name


def test_one_was_compacted_when_its_context_was_full(told: Told) -> None:
    [boundary] = [
        line for line in told.lines("new-estimate") if line.get("subtype") == "compact_boundary"
    ]

    assert 150_000 < boundary["compactMetadata"]["preTokens"] < 175_000
    assert told.session("new-estimate").summary().compactions == 1


def test_agents_work_side_by_side_and_one_sends_another(told: Told) -> None:
    agents = told.session("csv-import").agents()

    assert sorted(agent.depth for agent in agents) == [1, 1, 1, 1, 2]
    assert sum(agent.is_parallel for agent in agents) >= 2
    assert {agent.proof for agent in agents} == {"meta"}


def test_one_has_a_team(told: Told) -> None:
    teams = [agent.team for agent in told.session("team-release").agents()]

    assert {team.member_name for team in teams if team} == {"security", "notes", "upgrade"}


def test_a_plan_and_its_implementation_know_each_other(told: Told) -> None:
    plan, built = told.session("carrier-plan"), told.session("carrier-interface")
    link = built.document().session.links

    assert link is not None
    assert link.plan is not None
    assert link.plan.session_id == plan.id


def test_failures_in_a_row_lost_caches_and_mcp_servers_are_found(told: Told) -> None:
    with served(told.root) as site:
        loops = site.context.insights.tools(0, EVER).loops
        causes = site.context.insights.causes(None)

    assert [(loop.session_id, loop.times) for loop in loops if loop.times >= 3]
    assert loops[0].session_id == told.runs["flaky-test"].session
    assert told.runs["new-estimate"].session in {lost.session_id for lost in causes.worst_breaks}
    assert {cause.name for cause in causes.mcp_servers} == {"browser", "postgres"}


def test_tools_of_every_kind_are_used(told: Told) -> None:
    used = Counter(
        block["name"]
        for name in told.runs
        for line in told.lines(name)
        if line["type"] == "assistant"
        for block in line["message"]["content"]
        if block["type"] == "tool_use"
    )

    assert used.keys() >= set(
        "Bash Read Edit Write Grep Glob TodoWrite WebSearch WebFetch ExitPlanMode "
        "AskUserQuestion Agent mcp__browser__navigate mcp__postgres__query".split()
    )


def test_the_same_moment_gives_the_same_bytes(told: Told, tmp_path: Path) -> None:
    again = tell(tmp_path / "claude")

    assert _files(again.root) == _files(told.root)


def test_another_seed_gives_other_ids_and_the_same_words(told: Told, tmp_path: Path) -> None:
    other = tell(tmp_path / "claude", seed=2)

    assert {run.session for run in other.runs.values()}.isdisjoint(
        run.session for run in told.runs.values()
    )
    for name in told.runs:
        assert _prompts(other, name) == _prompts(told, name) != []


def _prompts(told: Told, name: str) -> list[str]:
    lines = [line for line in told.lines(name) if line.get("promptSource") == "typed"]
    return [line["message"]["content"] for line in lines]


def _files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
