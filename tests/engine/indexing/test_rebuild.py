from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, saved
from tests.engine.indexing.views import shown, tables
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.rebuild import rebuild
from unspool.model.files import Root
from unspool.model.query import SessionQuery, TextQuery
from unspool.store.sqlite.rebuild import set_aside
from unspool.store.sqlite.store import SqliteStore

MAIN = Transcript().user("lantern").calls("Task", prompt="look").returns("seen").says("done")
AGENT = Transcript(agent="a1").user("look").says("seen").meta(toolUseId="toolu_1")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path / "root", MAIN, AGENT, Transcript("s2").user("other"))


@pytest.fixture
def store(tmp_path: Path, root: Root) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "home")
    Indexer(made, [root], TABLE).sweep(NOW)
    yield made
    made.close()


def path_of(root: Root, name: str) -> Path:
    return Path(root.projects, "-repo", f"{name}.jsonl")


def test_an_index_made_anew_shows_what_the_old_one_showed(store: SqliteStore, root: Root) -> None:
    before = shown(store), tables(store)
    report = rebuild(store, [root], TABLE, NOW)

    assert (shown(store), tables(store)) == before
    assert report.lines == 0


def test_files_that_are_gone_come_back_from_the_archive(store: SqliteStore, root: Root) -> None:
    for path in Path(root.projects).rglob("*.json*"):
        path.unlink()
    Indexer(store, [root], TABLE).sweep(NOW + 5)
    before = shown(store), tables(store)
    rebuild(store, [root], TABLE, NOW + 9)

    assert (shown(store), tables(store)) == before
    assert all(source.gone_at == NOW + 5 for source in store.sources())


def test_older_generations_stay_superseded(store: SqliteStore, root: Root) -> None:
    age(path_of(root, "s2")).write_bytes(Transcript("s2").user("rewritten").bytes())
    Indexer(store, [root], TABLE).sweep(NOW)
    before = tables(store)
    rebuild(store, [root], TABLE, NOW)

    assert tables(store) == before
    assert [len(store.search(TextQuery(terms=word))) for word in ("other", "rewritten")] == [0, 1]


def test_what_was_written_meanwhile_is_in_it(store: SqliteStore, root: Root) -> None:
    with open(path_of(root, "s2"), "ab") as file:
        file.write(Transcript("s2", uuid_prefix="n").user("newest").bytes())
    rebuild(store, [root], TABLE, NOW)

    assert len(store.search(TextQuery(terms="newest"))) == 1


def test_an_index_that_is_lost_is_made_from_the_archive_alone(
    store: SqliteStore, root: Root, tmp_path: Path
) -> None:
    before = {(hit.source_id, hit.offset) for hit in store.search(TextQuery(limit=99))}
    store.close()
    set_aside(tmp_path / "home")
    for path in Path(root.projects).rglob("*.jsonl"):
        path.unlink()
    fresh = SqliteStore(tmp_path / "home")
    rebuild(fresh, [root], TABLE, NOW)
    found = {(hit.source_id, hit.offset) for hit in fresh.search(TextQuery(limit=99))}
    sessions = fresh.sessions(SessionQuery())
    fresh.close()

    assert found == before
    assert {row.session_id: row.source_gone for row in sessions} == {"s1": True, "s2": True}


def test_a_reader_beside_it_is_never_without_an_index(store: SqliteStore, root: Root) -> None:
    seen: list[int] = []
    beside = SqliteStore(store.home, mode="ro")

    def look(_: int, __: int) -> None:
        seen.append(len(beside.search(TextQuery(terms="lantern"))))

    rebuild(store, [root], TABLE, NOW, look)
    look(0, 0)
    beside.close()

    assert set(seen) == {1}
    assert len(seen) > 1
