import random
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.store.sqlite.test_raw import damage
from tests.store.stores import statements
from unspool.model.rows import Segment
from unspool.store.pack import packed, unpacked
from unspool.store.sqlite.migrations import create
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing import segments as module
from unspool.store.sqlite.writing.segments import _REMEMBERED, LARGEST, MANY, Segments


def line(number: int) -> bytes:
    return b"line %06d of a session\n" % number


LENGTH = len(line(0))


def append(store: SqliteStore, first: int, last: int) -> bytes:
    """Archive lines one by one, as they come when a file is followed."""
    for number in range(first, last):
        store.archive([packed(1, 0, number * LENGTH, line(number))])
    return b"".join(map(line, range(last)))


def archived_bytes(store: SqliteStore) -> bytes:
    return b"".join(unpacked(segment) or b"" for segment in store.segments(1, 0))


def test_many_small_segments_become_few(sqlite: SqliteStore) -> None:
    data = append(sqlite, 0, 5 * MANY * MANY)

    assert archived_bytes(sqlite) == data
    assert len(list(sqlite.segments(1, 0))) <= 3 * MANY
    assert sqlite.archived(1, 0) == sqlite.status().archived_bytes == len(data)


def test_every_line_is_found_where_it_was(sqlite: SqliteStore) -> None:
    append(sqlite, 0, 3 * MANY)
    places = random.Random(1).sample(range(3 * MANY), 10)

    assert all(sqlite.raw(1, 0, n * LENGTH, LENGTH) == line(n) for n in places)


def test_the_newest_segment_is_left_alone_for_it_may_give_way(sqlite: SqliteStore) -> None:
    append(sqlite, 0, MANY + 1)
    sqlite.archive([packed(1, 0, MANY * LENGTH, b"another\n")])

    assert archived_bytes(sqlite).endswith(line(MANY - 1) + b"another\n")


def test_bytes_that_come_again_from_within_replace_what_was_gathered(sqlite: SqliteStore) -> None:
    data = append(sqlite, 0, 2 * MANY + 1)
    at = 5 * LENGTH
    sqlite.archive([packed(1, 0, at, b"after a power cut the file was another\n")])

    assert archived_bytes(sqlite) == data[:at] + b"after a power cut the file was another\n"


def test_segments_with_a_gap_between_them_stay_apart(sqlite: SqliteStore) -> None:
    for number in range(2 * MANY):
        sqlite.archive([packed(1, 0, number * 100, line(number))])

    assert len(list(sqlite.segments(1, 0))) == 2 * MANY


def test_a_large_segment_is_not_packed_again_for_a_small_one(sqlite: SqliteStore) -> None:
    sqlite.archive([packed(1, 0, 0, b"x" * 1000 * LENGTH)])
    append(sqlite, 1000, 1000 + MANY)

    assert len(list(sqlite.segments(1, 0))) == MANY + 1


def test_nothing_grows_beyond_what_can_be_held(sqlite: SqliteStore) -> None:
    size = LARGEST // 4
    sqlite.archive(packed(1, 0, n * size, b"y" * size) for n in range(MANY + 1))

    assert len(list(sqlite.segments(1, 0))) == MANY + 1


def test_what_is_damaged_stays_where_it_is(sqlite: SqliteStore) -> None:
    append(sqlite, 0, MANY)
    damage(sqlite.home, 3 * LENGTH)
    append(sqlite, MANY, MANY + 2)

    assert sqlite.raw(1, 0, 3 * LENGTH, 4) is None
    assert sqlite.raw(1, 0, 4 * LENGTH, LENGTH) == line(4)


def test_a_reader_goes_on_while_segments_are_gathered(sqlite: SqliteStore) -> None:
    append(sqlite, 0, MANY)
    reading = sqlite.segments(1, 0)
    first = unpacked(next(reading)) or b""
    data = append(sqlite, MANY, MANY + 1)
    rest = list(reading)

    assert first + (unpacked(rest[0]) or b"")[LENGTH:] + (unpacked(rest[1]) or b"") == data


def test_a_gathering_that_fails_leaves_every_segment(
    sqlite: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = append(sqlite, 0, MANY)
    monkeypatch.setattr(module, "packed", _fails)
    with pytest.raises(MemoryError):
        append(sqlite, MANY, MANY + 1)
    before = archived_bytes(sqlite)
    monkeypatch.undo()

    assert (before, append(sqlite, MANY, MANY + 1)) == (data, archived_bytes(sqlite))


def _fails(*_: object) -> Segment:
    raise MemoryError


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
