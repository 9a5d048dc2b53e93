from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.store.made import START, usage
from unspool.store.rules import Owned, merged, settled


def owned(session: str = "s1", **fields: object) -> Owned:
    return Owned("-repo", session, replace(usage("m:1", 5, 7), **fields))


def test_counts_are_of_one_line_and_never_a_mixture() -> None:
    low = owned(rank=b"1", input_tokens=99, model="low")
    high = owned(rank=b"2", input_tokens=1, model="high")

    assert merged(low, high).row.input_tokens == 1
    assert merged(high, low).row.model == "high"


def test_ranks_are_compared_as_bytes() -> None:
    assert merged(owned(rank=b"\x09"), owned(rank=b"\x10", model="x")).row.model == "x"


def test_a_line_that_is_not_there_yet_gives_way_to_the_one_that_is() -> None:
    ahead, there = owned(line_id=0), owned(line_id=7)

    assert merged(ahead, there).row.line_id == merged(there, ahead).row.line_id == 7


def test_the_owner_brings_its_line_and_agent() -> None:
    main = owned("main", claim=b"1", agent_id="", line_id=3)
    fork = owned("fork", claim=b"2", agent_id="a", line_id=9, rank=b"\xff")
    both = merged(fork, main)

    assert (both.session_id, both.row.agent_id, both.row.line_id) == ("main", "", 3)


def test_an_unknown_time_does_not_count() -> None:
    assert merged(owned(timestamp=None), owned(timestamp=START)).row.timestamp == START
    assert merged(owned(timestamp=None), owned(timestamp=None)).row.timestamp is None


ROWS = st.builds(
    owned,
    session=st.sampled_from(["s1", "s2"]),
    rank=st.sampled_from([b"1", b"2"]),
    claim=st.sampled_from([b"1", b"2"]),
    timestamp=st.sampled_from([None, 1, 2]),
    is_finished=st.booleans(),
    output_tokens=st.integers(0, 2),
    model=st.sampled_from(["a", "b"]),
    agent_id=st.sampled_from(["", "a"]),
    line_id=st.integers(0, 2),
)


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_the_order_of_lines_does_not_matter(rows: list[Owned]) -> None:
    ways = [settled(way)["m:1"] for way in permutations(rows)]

    assert all(way == ways[0] for way in ways)
