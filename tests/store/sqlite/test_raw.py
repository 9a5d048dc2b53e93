import random
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from unspool.errors import StoreBusy
from unspool.model.files import OutputFile
from unspool.store.pack import packed
from unspool.store.sqlite.connection import open_writer
from unspool.store.sqlite.migrations import first_archive
from unspool.store.sqlite.store import SqliteStore


def damage(home: Path, begins: int) -> None:
    """Change bytes inside one segment, as a failing disk would."""
    with closing(open_writer(home / "raw.db")) as connection:
        change = "UPDATE segment SET packed = zeroblob(length(packed)) WHERE begins = ?"
        connection.execute(change, (begins,))


def fill(store: SqliteStore) -> None:
    store.archive(
        packed(7, 2, n * 50, b"a line of text, %02d" % n * 2 + b"x" * 14) for n in range(3)
    )


def test_a_damaged_segment_is_named_and_the_others_stay_readable(sqlite: SqliteStore) -> None:
    fill(sqlite)
    damage(sqlite.home, 50)

    assert [segment.offset for segment in sqlite.segments(7, 2)] == [0, 100]
    assert (sqlite.raw(7, 2, 50, 6), sqlite.raw(7, 2, 100, 6)) == (None, b"a line")
    assert sqlite.status().trouble == ("archived segment 7.2.50 is damaged",)


def test_every_damaged_segment_is_found_by_a_thorough_look(sqlite: SqliteStore) -> None:
    fill(sqlite)
    damage(sqlite.home, 0)
    damage(sqlite.home, 100)

    assert sqlite.check() == []
    assert [said.split()[2] for said in sqlite.check(thorough=True)] == ["7.2.0", "7.2.100"]


def test_a_damaged_segment_is_mended_by_the_same_bytes(sqlite: SqliteStore) -> None:
    fill(sqlite)
    damage(sqlite.home, 50)
    fill(sqlite)

    assert len(list(sqlite.segments(7, 2))) == 3
    assert sqlite.check(thorough=True) == []


def test_a_line_is_read_again_without_unpacking_all_again(sqlite: SqliteStore) -> None:
    fill(sqlite)
    first = sqlite.raw(7, 2, 0, 6)
    kept = sqlite._archive._last

    assert sqlite.raw(7, 2, 7, 2) == b"of"
    assert (first, kept is sqlite._archive._last) == (b"a line", True)


def test_the_longest_of_overlapping_segments_is_read(sqlite: SqliteStore) -> None:
    sqlite.archive([packed(1, 0, 0, b"abc"), packed(1, 0, 3, b"def")])
    sqlite.archive([packed(1, 0, 2, b"cdefgh")])

    assert (sqlite.raw(1, 0, 0, 8), sqlite.archived(1, 0)) == (b"abcdefgh", 8)


def test_an_archive_of_before_there_were_outputs_has_none(tmp_path: Path) -> None:
    with closing(apsw.Connection(str(tmp_path / "raw.db"))) as connection:
        first_archive(connection)
        connection.execute("PRAGMA user_version = 1")
    with closing(SqliteStore(tmp_path, mode="ro")) as store:
        assert (store.outputs(), store.output("/r", "a")) == ([], None)
        assert store.status().outputs == 0


def test_a_damaged_output_is_named_and_not_given(sqlite: SqliteStore) -> None:
    sqlite.archive_outputs([(OutputFile("/r", "a.txt", "-p", "s1", 3, 7), b"one")])
    with closing(open_writer(sqlite.home / "raw.db")) as connection:
        connection.execute("UPDATE output SET packed = zeroblob(length(packed))")

    assert sqlite.check(thorough=True) == ["archived output a.txt is damaged"]
    assert sqlite.output("/r", "a.txt") is None


def test_of_what_is_erased_no_byte_is_left(sqlite: SqliteStore) -> None:
    """Not in free pages either, which earlier versions of a segment leave behind."""
    noise = random.Random(7)
    words = [bytes(noise.randrange(65, 91) for _ in range(40)) for _ in range(40)]
    for n, word in enumerate(words):
        sqlite.archive([packed(7, 0, n * 40, word), packed(8, 0, n * 40, word.lower())])
    before = held(sqlite.home)
    assert sum(word in before for word in words) > 20

    sqlite.erase([7])
    after = held(sqlite.home)
    assert [word for word in words if word in after] == []
    assert [sqlite.raw(8, 0, n * 40, 40) for n in range(40)] == [word.lower() for word in words]


def held(home: Path) -> bytes:
    """Every byte of the archive's files."""
    return b"".join(path.read_bytes() for path in sorted(home.glob("raw.db*")))


def test_somebody_who_reads_on_is_waited_for(sqlite: SqliteStore) -> None:
    fill(sqlite)
    reader = apsw.Connection(str(sqlite.home / "raw.db"), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM segment").fetchall()
    writes = sqlite._writes._raw
    writes.set_busy_timeout(1)

    with pytest.raises(StoreBusy):
        sqlite.erase([7])
    reader.close()
    sqlite.erase([7])
    assert (sqlite.home / "raw.db-wal").stat().st_size == 0
