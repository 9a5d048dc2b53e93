"""Raw bytes: pieces that are small enough, and are given back as whole lines."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier

import pytest

from tests.store.made import Source
from tests.store.postgres.cluster import SearchableStore
from unspool.model.files import OutputFile
from unspool.store.pack import packed, unpacked
from unspool.store.postgres.pieces import LARGEST, pieces, whole_lines

NOISE = Random(7).randbytes(3 * LARGEST).replace(b"\n", b" ")


def sizes(store: SearchableStore, table: str = "segment") -> list[int]:
    with store.connected() as connection:
        ask = f"SELECT length(packed) FROM {table} ORDER BY begins"  # noqa: S608
        return [size for (size,) in connection.execute(ask.encode())]


@pytest.mark.parametrize("line", [1, 100, LARGEST - 1, LARGEST, 2 * LARGEST])
def test_no_piece_is_larger_than_the_limit(postgres: SearchableStore, line: int) -> None:
    data = b"".join(NOISE[at : at + line] + b"\n" for at in range(0, len(NOISE), line))
    postgres.archive([packed(1, 0, 0, data)])

    assert max(sizes(postgres)) <= LARGEST
    assert len(sizes(postgres)) >= len(data) // LARGEST
    assert b"".join(unpacked(one) or b"" for one in postgres.segments(1, 0)) == data
    assert postgres.raw(1, 0, LARGEST - 5, 10) == data[LARGEST - 5 : LARGEST + 5]


def test_a_segment_is_given_back_in_whole_lines(postgres: SearchableStore) -> None:
    data = NOISE[: 2 * LARGEST] + b"\nshort\n" + NOISE[:LARGEST] + b"\n"
    postgres.archive([packed(1, 0, 0, data)])
    found = [unpacked(one) or b"" for one in postgres.segments(1, 0)]

    assert b"".join(found) == data
    assert all(one.endswith(b"\n") for one in found)
    assert len(found) < len(sizes(postgres))
    (rest,) = list(postgres.segments(1, 0, 2 * LARGEST + 8))[-1:]
    assert (unpacked(rest) or b"").endswith(NOISE[:LARGEST] + b"\n")


def test_what_a_place_lies_in_begins_with_a_line(postgres: SearchableStore) -> None:
    postgres.archive([packed(1, 0, 0, b"first\n" + NOISE[: 2 * LARGEST] + b"\n")])

    first = next(postgres.segments(1, 0, LARGEST + 9))
    assert (unpacked(first) or b"").startswith((b"first\n", NOISE[:9]))
    assert (unpacked(first) or b"").endswith(b"\n")


def test_a_line_whose_end_is_lost_is_left_out() -> None:
    head, *_ = pieces(packed(1, 0, 0, b"whole\n" + NOISE[: 2 * LARGEST] + b"\n"))
    cut = next(one for one in pieces(packed(1, 0, 6, NOISE[: 2 * LARGEST] + b"\n")) if one.is_cut)

    assert [unpacked(one) for one in whole_lines([head])] == [b"whole\n"]
    assert list(whole_lines([cut])) == []


def test_an_output_is_kept_in_pieces(postgres: SearchableStore) -> None:
    file = OutputFile("/r", "a.txt", "-p", "s1", len(NOISE), 7)
    postgres.archive_outputs([(file, NOISE)])

    assert max(sizes(postgres, "output_piece")) <= LARGEST
    assert postgres.output("/r", "a.txt") == NOISE
    postgres.archive_outputs([(file, b"")])
    assert postgres.output("/r", "a.txt") == b""


def test_many_small_pieces_become_one(postgres: SearchableStore) -> None:
    lines = [f"line {number}\n".encode() for number in range(40)]
    offset = 0
    for line in lines:
        postgres.archive([packed(1, 0, offset, line)])
        offset += len(line)

    assert len(sizes(postgres)) < 20
    assert b"".join(unpacked(one) or b"" for one in postgres.segments(1, 0)) == b"".join(lines)
    again = b"".join(lines[:3])
    postgres.archive([packed(1, 0, 0, again)])
    assert postgres.archived(1, 0) == offset  # it was there


def test_the_same_bytes_from_two_at_once_are_kept_once(postgres: SearchableStore) -> None:
    start = Barrier(4)

    def bring(_: int) -> None:
        start.wait()
        postgres.archive([packed(1, 0, 0, b"one\n"), packed(1, 0, 4, b"two\n")])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(bring, range(4)))

    assert [unpacked(one) for one in postgres.segments(1, 0)] == [b"one\n", b"two\n"]
    assert postgres.status().archived_bytes == 8


def test_other_bytes_within_a_piece_cut_it(postgres: SearchableStore) -> None:
    postgres.archive([packed(1, 0, 0, b"one\ntwo\nthree\n")])
    postgres.archive([packed(1, 0, 4, b"new\n")])

    assert [unpacked(one) for one in postgres.segments(1, 0)] == [b"one\n", b"new\n"]


def test_a_damaged_piece_is_named_and_all_others_are_read(postgres: SearchableStore) -> None:
    postgres.archive([packed(1, 0, 0, b"one\n"), packed(1, 0, 4, b"two\n")])
    with postgres.connected() as connection:
        connection.execute("UPDATE segment SET packed = 'x' WHERE begins = 0")

    assert [unpacked(one) for one in postgres.segments(1, 0)] == [b"two\n"]
    assert postgres.raw(1, 0, 0, 3) is None
    assert postgres.check() == []
    assert postgres.check(thorough=True) == ["archived piece 1.0.0 is damaged"]
    assert postgres.status().trouble == ("archived piece 1.0.0 is damaged",)
    postgres.archive([packed(1, 0, 0, b"one\n")])
    assert postgres.raw(1, 0, 0, 3) == b"one"


def test_pieces_take_the_place_of_others_however_they_are_cut(postgres: SearchableStore) -> None:
    data = b"".join(NOISE[at : at + 99] + b"\n" for at in range(0, len(NOISE), 99))
    postgres.archive([packed(1, 0, 0, data)])
    postgres.erase([], instead=[packed(1, 0, 50, b"*" * LARGEST)])

    found = b"".join(unpacked(one) or b"" for one in postgres.segments(1, 0))
    assert found == data[:50] + b"*" * LARGEST + data[50 + LARGEST :]
    assert max(sizes(postgres)) <= LARGEST


def test_names_that_no_database_takes_are_cleaned(postgres: SearchableStore) -> None:
    source = Source(session="s\0\ud800").row
    postgres.archive([packed(1, 0, 0, b"one\n")], [source])

    assert [one.session_id for one in postgres.generations()] == ["s\ufffd?"]


def test_bytes_are_not_packed_a_second_time(postgres: SearchableStore) -> None:
    ask = """
        SELECT DISTINCT a.attstorage FROM pg_attribute AS a
        WHERE a.attname = 'packed' AND a.attrelid IN (
            SELECT oid FROM pg_class WHERE relname LIKE 'segment%' OR relname = 'output_piece')
    """
    postgres.archive([packed(1, 0, 0, b"one\n")])
    with postgres.connected() as connection:
        found = connection.execute(ask).fetchall()

    assert [bytes(one[0]) if isinstance(one[0], bytes) else one[0] for one in found] in (
        ["e"], [b"e"],
    )  # fmt: skip


def test_what_takes_the_place_of_an_output_leaves_nothing_of_its_size(
    postgres: SearchableStore,
) -> None:
    file = OutputFile("/r", "a.txt", "-p", "s1", 3, 7)
    for data in (NOISE, b"short"):
        postgres.archive_outputs([(file, data)])

    assert postgres.status().raw_bytes == sum(sizes(postgres, "output_piece"))
