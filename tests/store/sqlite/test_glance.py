from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from tests.cli.statuslines import answered, index, talk, transcript
from unspool.errors import StoreError
from unspool.store.sqlite.glance import Glance

PICO = 10**12


@pytest.fixture
def database(tmp_path: Path, home: Path) -> str:
    """An index of two sessions, one of them old."""
    answered(talk().user("hi"), 1).save(tmp_path)
    answered(talk("s2", minutes=60 * 24 * 30), 2).save(tmp_path)
    index(tmp_path)
    return str(home / "unspool" / "index.db")


@pytest.fixture
def glance(database: str) -> Iterator[Glance]:
    found = Glance(database)
    yield found
    found.close()


def test_sums_of_a_session_come_whole_others_from_a_moment_on(glance: Glance) -> None:
    ever, never = 0, 1 << 60

    assert sorted(row[2] for row in glance.totals("", ever)) == ["s1", "s2"]
    assert [(row[2], row[10]) for row in glance.totals("s2", never)] == [("s2", 2 * PICO)]


def test_files_are_known_by_their_place_offset_size_and_time(
    glance: Glance, tmp_path: Path
) -> None:
    path = transcript(tmp_path)
    info = path.stat()

    found = glance.sources([str(path), "/nowhere", "\udcff"])

    assert found == {str(path): (info.st_size, info.st_size, info.st_mtime_ns)}


def test_responses_are_found_by_their_key(glance: Glance) -> None:
    (found,) = glance.responses(["m:msg_s11", "m:none", "\ud800"]).values()

    assert (found.session_id, found.row.message_key) == ("s1", "m:msg_s11")
    assert (found.row.tokens.output, found.row.usd_pico) == (40_000, PICO)


def test_a_name_no_database_takes_is_not_found(glance: Glance) -> None:
    assert glance.totals("\ud800", 1 << 60) == []


def test_all_answers_are_of_one_moment(glance: Glance, database: str) -> None:
    glance.sources([])
    writer = apsw.Connection(database)
    writer.execute("DELETE FROM total")
    writer.close()

    assert glance.totals("s1", 0)


def test_where_there_is_no_index_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        Glance(str(tmp_path / "index.db"))

    assert not (tmp_path / "index.db").exists()


def test_a_file_that_is_no_index_is_told(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"x" * 4_096)
    glance = Glance(str(tmp_path / "index.db"))

    with pytest.raises(StoreError):
        glance.sources([])
    glance.close()


def test_a_directory_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        Glance(str(tmp_path))
