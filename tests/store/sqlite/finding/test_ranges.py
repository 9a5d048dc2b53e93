from hypothesis import given
from hypothesis import strategies as st

from unspool.store.sqlite.finding.ranges import Range, groups, joined, stretches, within, without

SOME = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=8)


def numbers(ranges: list[Range]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def test_ranges_no_further_apart_than_a_gap_are_joined() -> None:
    ranges = [Range(1, 5), Range(6, 9), Range(12, 20), Range(14, 15)]

    assert joined(ranges, 1) == [Range(1, 9), Range(12, 20)]
    assert joined(ranges, 3) == [Range(1, 20)]


@given(SOME, SOME)
def test_what_is_within_is_what_both_have(
    some: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    spans = joined(sorted(Range(first, first + more) for first, more in some), 1)
    blocks = [Range(first, first + more) for first, more in others]
    found = within([(block, 0) for block in blocks], spans)

    assert numbers(found) == numbers(blocks) & numbers(spans)
    assert found == sorted(found)


@given(SOME, SOME)
def test_what_is_left_is_outside_of_the_hole(
    some: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    ranges = [Range(first, first + more) for first, more in some]
    for first, more in others:
        hole = Range(first, first + more)

        assert numbers(without(ranges, hole)) == numbers(ranges) - numbers([hole])


def test_stretches_have_enough_lines_and_then_a_quarter_of_what_was_seen() -> None:
    blocks = [(Range(10 * n, 10 * n + 9), n) for n in range(16)]
    found = list(stretches(iter(blocks), 20))

    assert [len(some) for some in found] == [2, 2, 2, 2, 2, 3, 3]
    assert [block for some in found for block in some] == blocks


def test_groups_grow_and_hold_every_block_once() -> None:
    blocks = [(Range(n, n), n) for n in range(12)]
    found = list(groups(iter(blocks), 1, 2))

    assert [len(some) for some in found] == [1, 1, 2, 3, 4, 1]
    assert [block for some in found for block in some] == blocks
