from contextlib import closing
from pathlib import Path

import pytest

from tests.store.made import Source
from unspool.model.query import TextQuery
from unspool.store.pack import packed
from unspool.store.sqlite.store import SqliteStore

PAGE = 4096


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A home with an index of some hundred pages."""
    with closing(SqliteStore(tmp_path)) as store:
        source = Source()
        for n in range(40):
            for m in range(50):
                source.line(f"word{n} word{n}x{m} " * 5).calls(id=f"toolu_{n}_{m}")
            store.commit([source.batch()])
            store.archive([packed(1, 0, n * 99, bytes(range(99)))])
    return tmp_path


def pages_of(store: SqliteStore, table: str) -> list[int]:
    """The pages a table lies on, without the uppermost."""
    with store._readers.take() as connection:
        ask = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'"
        return [int(page) for (page,) in connection.execute(ask, (table,)).fetchall()]  # type: ignore[arg-type]


def flip(path: Path, offset: int, count: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset : offset + count] = bytes(byte ^ 0xFF for byte in data[offset : offset + count])
    path.write_bytes(data)


def test_a_whole_store_has_nothing_wrong(closed: Path) -> None:
    with closing(SqliteStore(closed, mode="ro")) as store:
        assert (store.check(), store.check(thorough=True)) == ([], [])


@pytest.mark.parametrize("table", ["line", "tool", "line_place"])
def test_a_damaged_page_is_found(closed: Path, table: str) -> None:
    with closing(SqliteStore(closed, mode="ro")) as store:
        page = pages_of(store, table)[1]
    flip(closed / "index.db", (page - 1) * PAGE, 64)

    with closing(SqliteStore(closed, mode="ro")) as store:
        assert any("index.db" in said for said in store.check())


def test_a_damaged_full_text_index_is_found(closed: Path) -> None:
    with closing(SqliteStore(closed, mode="ro")) as store:
        page = pages_of(store, "said_data")[3]
    flip(closed / "index.db", (page - 1) * PAGE + 3000, 900)

    with closing(SqliteStore(closed, mode="ro")) as store:
        assert any("index.db" in said for said in store.check(thorough=True))


def test_a_header_that_is_no_longer_one_is_told_and_not_raised(closed: Path) -> None:
    flip(closed / "index.db", 0, 100)

    with closing(SqliteStore(closed, mode="ro")) as store:
        assert ["index.db" in said for said in store.check()] == [True]


def test_damage_in_one_file_does_not_touch_the_other(closed: Path) -> None:
    flip(closed / "raw.db", 0, 100)

    with closing(SqliteStore(closed, mode="ro")) as store:
        assert ["raw.db" in said for said in store.check()] == [True]
        assert len(store.search(TextQuery(terms="word3x4"))) == 1
