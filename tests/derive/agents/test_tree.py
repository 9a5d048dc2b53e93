"""Which files are agents, how deep they sit, which ran side by side."""

import pytest

from tests.derive.agents.session import agent, facts_of
from unspool.demo import Transcript
from unspool.derive.agents.links import by_start, depths, is_process, processes
from unspool.derive.agents.subagents import parallel_agents
from unspool.model.message import AgentLink, LinkFacts


def started(*starts: int | None) -> list[LinkFacts]:
    return [LinkFacts(id=f"a{n}", start=start) for n, start in enumerate(starts)]


# devtools 67
def test_a_warm_up_is_no_agent() -> None:
    assert not is_process(facts_of(agent("a1", "Warmup")))


# devtools 68
def test_a_warm_up_in_a_block_is_no_agent() -> None:
    assert not is_process(facts_of(agent("a1", [{"type": "text", "text": "Warmup"}])))


def test_a_prompt_that_only_begins_like_a_warm_up_is_work() -> None:
    assert is_process(facts_of(agent("a1", "Warmup the cache")))


# devtools 67
def test_a_compaction_is_no_agent() -> None:
    assert not is_process(facts_of(agent("acompact-1a2b")))


def test_a_guess_at_the_next_prompt_is_no_agent() -> None:
    assert not is_process(facts_of(agent("aprompt_suggestion-1a2b3c")))


# devtools 67
@pytest.mark.parametrize("data", [b"", b"\n  \n", b"{", b"no json at all\n", b'{"type":"mode"}'])
def test_a_file_without_a_message_is_no_agent(data: bytes) -> None:
    assert not is_process(facts_of(data, "a1"))


def test_the_main_conversation_is_no_agent() -> None:
    assert not is_process(facts_of(Transcript().user("go").says("done")))


# devtools 80
@pytest.mark.parametrize("order", [1, -1])
def test_an_agent_in_both_layouts_is_one_and_the_new_layout_is_kept(order: int) -> None:
    old = facts_of(agent("a1"), path="old", kind="legacy_subagent")
    new = facts_of(agent("a1"), path="new")

    assert [facts.path for facts in processes([old, new][::order])] == ["new"]


def test_a_legacy_copy_stands_in_for_an_empty_new_file() -> None:
    old = facts_of(agent("a1"), path="old", kind="legacy_subagent")

    assert processes([facts_of(b"", "a1", path="new"), old]) == [old]


def test_agents_come_in_the_order_they_began_and_without_a_time_last() -> None:
    assert [f.id for f in sorted(started(None, 20, 10), key=by_start)] == ["a2", "a1", "a0"]


# devtools 76
def test_starts_at_0_90_and_150_ms_make_the_first_two_parallel() -> None:
    assert parallel_agents(started(150, 0, 90)) == {"a1", "a2"}


# devtools 76
@pytest.mark.parametrize(("gap", "together"), [(100, 2), (101, 0)])
def test_exactly_100_ms_apart_is_still_parallel(gap: int, together: int) -> None:
    assert len(parallel_agents(started(0, gap))) == together


# devtools 76
def test_a_single_agent_is_not_parallel() -> None:
    assert parallel_agents(started(0)) == frozenset()


def test_a_second_group_has_its_own_first() -> None:
    assert parallel_agents(started(0, 500, 600)) == {"a1", "a2"}


def test_agents_without_a_time_are_not_parallel() -> None:
    assert parallel_agents(started(None, None)) == frozenset()


def test_depth_counts_the_way_to_the_main_conversation() -> None:
    parents = {"a3": "a2", "a2": "a1", "a1": None, "b1": None}
    links = [AgentLink(agent_id=id, parent_agent_id=above) for id, above in parents.items()]

    assert depths(links) == {"a1": 1, "a2": 2, "a3": 3, "b1": 1}


def test_depth_ends_in_a_circle() -> None:
    links = [
        AgentLink(agent_id="a1", parent_agent_id="a2"),
        AgentLink(agent_id="a2", parent_agent_id="a1"),
    ]

    assert depths(links) == {"a1": 2, "a2": 1}


def test_a_parent_nobody_knows_counts_as_the_main_conversation() -> None:
    assert depths([AgentLink(agent_id="a1", parent_agent_id="swept")]) == {"a1": 1}


def test_a_thousand_levels_are_counted() -> None:
    links = [
        AgentLink(agent_id=f"{n}", parent_agent_id=f"{n - 1}" if n else None) for n in range(1000)
    ]

    assert depths(reversed(links))["999"] == 1000
