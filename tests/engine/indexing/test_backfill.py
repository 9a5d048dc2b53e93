from pathlib import Path

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, saved
from tests.engine.indexing.views import tables
from unspool.demo import Transcript
from unspool.engine.indexing import backfill, indexer
from unspool.engine.indexing.backfill import build, forked
from unspool.engine.indexing.workers import Workers
from unspool.model.files import Root
from unspool.store.sqlite.store import SqliteStore

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path / "root", *(Transcript(f"s{n}").user(f"prompt {n}") for n in range(9)))


def built(root: Root, home: Path) -> dict[str, list[tuple[object, ...]]]:
    build(lambda: SqliteStore(home), [root], TABLE, NOW)
    store = SqliteStore(home, mode="ro")
    try:
        return tables(store)
    finally:
        store.close()


def test_an_index_built_together_is_the_one_built_alone(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = built(root, tmp_path / "alone")
    monkeypatch.setattr(backfill, "WORTH_WORKERS", 0)
    monkeypatch.setattr(indexer, "WORTH_WORKERS", 0)

    assert built(root, tmp_path / "together") == alone


def test_a_second_build_has_nothing_to_do(root: Root, tmp_path: Path) -> None:
    built(root, tmp_path / "home")
    report = build(lambda: SqliteStore(tmp_path / "home"), [root], TABLE, NOW)

    assert (report.files, report.changed, report.lines) == (9, 0, 0)


def test_the_store_is_let_go_of_in_the_end(root: Root, tmp_path: Path) -> None:
    built(root, tmp_path / "home")
    SqliteStore(tmp_path / "home").close()


def test_a_small_root_is_read_alone(root: Root) -> None:
    with forked([root]) as workers:
        assert workers is None


def test_a_large_root_has_workers_before_a_store_is_opened(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "WORTH_WORKERS", 0)
    with forked([root]) as workers:
        assert isinstance(workers, Workers)
