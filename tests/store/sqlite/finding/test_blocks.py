import apsw
from hypothesis import given
from hypothesis import strategies as st

from unspool.store.sqlite.finding.blocks import between, of_spans
from unspool.store.sqlite.finding.ranges import Range, joined
from unspool.store.sqlite.migrations import create

LENGTHS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9)), max_size=8)
SPANS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 9)), max_size=6)


def index(blocks: list[tuple[int, int]]) -> apsw.Connection:
    """Blocks one after the other, each of so many lines and written at a time."""
    made = apsw.Connection(":memory:")
    create(made, "index.db")
    first = 1
    for length, at in blocks:
        made.execute("INSERT INTO block VALUES (?, ?, ?, ?)", (first, first + length - 1, at, at))
        first += length
    return made


def test_the_newest_come_first() -> None:
    found = between(index([(2, 5), (3, 9), (1, 7)]), (6, 10), Range(1, 6))

    assert list(found) == [(Range(3, 5), 9), (Range(6, 6), 7)]


def test_only_those_between_two_numbers_are_given() -> None:
    found = between(index([(2, 5), (3, 9), (1, 7)]), (0, 10), Range(1, 4))

    assert list(found) == [(Range(3, 5), 9), (Range(1, 2), 5)]


@given(LENGTHS, SPANS, st.integers(0, 9))
def test_spans_have_the_blocks_that_overlap_them(
    blocks: list[tuple[int, int]], given: list[tuple[int, int]], since: int
) -> None:
    spans = joined(sorted(Range(first, first + more) for first, more in given), 1)
    connection = index(blocks)
    every = between(connection, (since, 9), Range(0, 1000))
    wanted = [
        (block, end)
        for block, end in every
        if any(block.first <= last and first <= block.last for first, last in spans)
    ]

    assert list(of_spans(connection, (since, 9), spans)) == wanted
