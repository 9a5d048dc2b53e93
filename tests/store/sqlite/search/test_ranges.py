from collections.abc import Sequence

import apsw
from hypothesis import given
from hypothesis import strategies as st

from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.search.ranges import (
    Range,
    blocks_between,
    blocks_of_spans,
    group_by_count,
    group_by_lines,
    intersect,
    join,
    subtract,
)

SOME = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=8)
LENGTHS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9)), max_size=8)
SPANS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 9)), max_size=6)


def numbers(ranges: Sequence[tuple[int, int]]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def test_ranges_no_further_apart_than_a_gap_are_join() -> None:
    ranges = [Range(1, 5), Range(6, 9), Range(12, 20), Range(14, 15)]

    assert join(ranges, 1) == [Range(1, 9), Range(12, 20)]
    assert join(ranges, 3) == [Range(1, 20)]


@given(SOME, SOME)
def test_what_is_within_is_what_both_have(
    some: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    spans = join(sorted(Range(first, first + more) for first, more in some), 1)
    blocks = [Range(first, first + more) for first, more in others]
    found = intersect([(*block, 0) for block in blocks], spans)

    assert numbers(found) == numbers(blocks) & numbers(spans)
    assert found == sorted(found)


@given(SOME, SOME)
def test_what_is_left_is_outside_of_the_hole(
    some: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    ranges = [Range(first, first + more) for first, more in some]
    for first, more in others:
        hole = Range(first, first + more)

        assert numbers(subtract(ranges, hole)) == numbers(ranges) - numbers([hole])


def test_groups_by_lines_have_enough_lines_and_then_a_quarter_of_what_was_seen() -> None:
    blocks = [(10 * n, 10 * n + 9, n) for n in range(16)]
    found = list(group_by_lines(iter(blocks), 20))

    assert [len(some) for some in found] == [2, 2, 2, 2, 2, 3, 3]
    assert [block for some in found for block in some] == blocks


def test_groups_by_count_grow_and_hold_every_block_once() -> None:
    blocks = [(n, n, n) for n in range(12)]
    found = list(group_by_count(iter(blocks), 1, 2))

    assert [len(some) for some in found] == [1, 1, 2, 3, 4, 1]
    assert [block for some in found for block in some] == blocks


def index(blocks: list[tuple[int, int]]) -> apsw.Connection:
    """Blocks one after the other, each of so many lines and written at a time."""
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    first = 1
    for length, at in blocks:
        made.execute("INSERT INTO block VALUES (?, ?, ?, ?)", (first, first + length - 1, at, at))
        first += length
    return made


def test_the_newest_blocks_come_first() -> None:
    found = blocks_between(index([(2, 5), (3, 9), (1, 7)]), (6, 10), Range(1, 6))

    assert list(found) == [(3, 5, 9), (6, 6, 7)]


def test_only_blocks_between_two_numbers_are_given() -> None:
    found = blocks_between(index([(2, 5), (3, 9), (1, 7)]), (0, 10), Range(1, 4))

    assert list(found) == [(3, 5, 9), (1, 2, 5)]


@given(LENGTHS, SPANS, st.integers(0, 9))
def test_spans_have_the_blocks_that_overlap_them(
    blocks: list[tuple[int, int]], given: list[tuple[int, int]], since: int
) -> None:
    spans = join(sorted(Range(first, first + more) for first, more in given), 1)
    connection = index(blocks)
    every = blocks_between(connection, (since, 9), Range(0, 1000))
    wanted = [
        block
        for block in every
        if any(block[0] <= last and first <= block[1] for first, last in spans)
    ]

    assert list(blocks_of_spans(connection, (since, 9), spans)) == wanted
