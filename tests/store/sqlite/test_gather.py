import random

import pytest

from tests.store.sqlite.test_raw import damage
from unspool.model.rows import Segment
from unspool.store.pack import packed, unpacked
from unspool.store.sqlite import gather
from unspool.store.sqlite.gather import LARGEST, MANY
from unspool.store.sqlite.store import SqliteStore


def line(number: int) -> bytes:
    return b"line %06d of a session\n" % number


LENGTH = len(line(0))


def append(store: SqliteStore, first: int, last: int) -> bytes:
    """Archive lines one by one, as they come when a file is followed."""
    for number in range(first, last):
        store.archive([packed(1, 0, number * LENGTH, line(number))])
    return b"".join(map(line, range(last)))


def kept(store: SqliteStore) -> bytes:
    return b"".join(unpacked(segment) or b"" for segment in store.segments(1, 0))


def test_many_small_segments_become_few(sqlite: SqliteStore) -> None:
    data = append(sqlite, 0, 5 * MANY * MANY)

    assert kept(sqlite) == data
    assert len(list(sqlite.segments(1, 0))) <= 3 * MANY
    assert sqlite.archived(1, 0) == sqlite.status().archived_bytes == len(data)


def test_every_line_is_found_where_it_was(sqlite: SqliteStore) -> None:
    append(sqlite, 0, 3 * MANY)
    places = random.Random(1).sample(range(3 * MANY), 10)

    assert all(sqlite.raw(1, 0, n * LENGTH, LENGTH) == line(n) for n in places)


def test_the_newest_segment_is_left_alone_for_it_may_give_way(sqlite: SqliteStore) -> None:
    append(sqlite, 0, MANY + 1)
    sqlite.archive([packed(1, 0, MANY * LENGTH, b"another\n")])

    assert kept(sqlite).endswith(line(MANY - 1) + b"another\n")


def test_bytes_that_come_again_from_within_replace_what_was_gathered(sqlite: SqliteStore) -> None:
    data = append(sqlite, 0, 2 * MANY + 1)
    at = 5 * LENGTH
    sqlite.archive([packed(1, 0, at, b"after a power cut the file was another\n")])

    assert kept(sqlite) == data[:at] + b"after a power cut the file was another\n"


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
    monkeypatch.setattr(gather, "packed", _fails)
    with pytest.raises(MemoryError):
        append(sqlite, MANY, MANY + 1)
    before = kept(sqlite)
    monkeypatch.undo()

    assert (before, append(sqlite, MANY, MANY + 1)) == (data, kept(sqlite))


def _fails(*_: object) -> Segment:
    raise MemoryError
