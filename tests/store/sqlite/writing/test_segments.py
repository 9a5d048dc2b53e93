from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.store.stores import statements
from unspool.model.rows import Segment
from unspool.store.pack import packed, unpacked
from unspool.store.sqlite.gather import MANY
from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.writing.segments import _REMEMBERED, Segments

# How far after the end of the last segment the next begins, and how many bytes it has.
STEPS = st.lists(
    st.tuples(st.sampled_from([0] * 12 + [-40, -7, -1, 5]), st.sampled_from([0, 1, 7, 7, 7, 90])),
    max_size=60,
)


def archive() -> Segments:
    connection = apsw.Connection(":memory:")
    create(connection, "raw.db")
    return Segments(connection)


def kept(segments: Segments) -> list[tuple[int, int, bytes | None]]:
    ask = "SELECT source_id, generation, begins, ends, checksum, packed FROM segment ORDER BY 3, 4"
    rows: list[Any] = segments._connection.execute(ask).fetchall()
    found = [Segment(*row) for row in rows]
    return [(segment.offset, segment.end, unpacked(segment)) for segment in found]


def made(steps: list[tuple[int, int]]) -> list[Segment]:
    at, found = 0, []
    for number, (distance, size) in enumerate(steps):
        at = max(0, at + distance)
        found.append(packed(1, 0, at, bytes([number]) * size))
        at += size
    return found


@settings(max_examples=examples(150))
@given(STEPS, st.integers(1, 4))
def test_what_is_remembered_changes_nothing(steps: list[tuple[int, int]], size: int) -> None:
    new = made(steps)
    groups = [new[at : at + size] for at in range(0, len(new), size)]
    remembers, other = archive(), archive()
    for group in groups:
        remembers.keep(group, [])
        Segments(other._connection).keep(group, [])

    assert kept(remembers) == kept(other)


@pytest.fixture
def segments() -> Segments:
    return archive()


def test_more_of_a_file_is_only_added(segments: Segments) -> None:
    segments.keep([packed(1, 0, 0, b"one\n")], [])
    said = statements(segments._connection)
    segments.keep([packed(1, 0, 4, b"two\n"), packed(1, 0, 8, b"three\n")], [])

    assert [text.split()[0] for text in said] == ["BEGIN", "INSERT", "INSERT", "COMMIT"]


def test_what_was_taken_back_is_forgotten(segments: Segments) -> None:
    segments.keep([packed(1, 0, 0, b"one\n")], [])
    with pytest.raises(AttributeError):
        segments.keep([packed(1, 0, 4, b"two\n"), None], [])  # type: ignore[list-item]
    segments.keep([packed(1, 0, 8, b"three\n")], [])

    assert kept(segments) == [(0, 4, b"one\n"), (8, 14, b"three\n")]


def test_an_empty_end_gives_way_to_what_comes(segments: Segments) -> None:
    segments.keep([packed(1, 0, 0, b"one\n"), packed(1, 0, 4, b"")], [])
    segments.keep([packed(1, 0, 4, b"two\n")], [])

    assert kept(segments) == [(0, 4, b"one\n"), (4, 8, b"two\n")]


def test_of_a_crowd_of_files_not_all_are_remembered(segments: Segments) -> None:
    for round in range(2):
        segments.keep((packed(n, 0, round, b"x") for n in range(_REMEMBERED + 1)), [])

    assert len(segments._last) <= _REMEMBERED + 1
    assert len(kept(segments)) == 2 * (_REMEMBERED + 1)


def test_a_file_that_grows_for_long_is_not_remembered_in_full(segments: Segments) -> None:
    for number in range(3 * MANY):
        segments.keep([packed(1, 0, number * number * 50, b"x" * (2 * number + 1) * 50)], [])

    assert len(segments._last[1, 0]) <= MANY + 1
