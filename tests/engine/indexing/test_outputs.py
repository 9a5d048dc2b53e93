import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, saved
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.outputs import Outputs
from unspool.engine.indexing.rebuild import rebuild
from unspool.engine.indexing.verify import verify
from unspool.model.files import Root
from unspool.source.sidecars import LONGEST_OUTPUT
from unspool.store.sqlite.store import SqliteStore

LONG = b"all of it\n" * 9_000
PLACE = "projects/-repo/s1/tool-results"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path / "root", Transcript().user("go"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "home")
    yield made
    made.close()


def put(root: Root, data: bytes = LONG, name: str = "out.txt") -> Path:
    path = Path(root.path, PLACE, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def swept(store: SqliteStore, root: Root) -> tuple[str, ...]:
    return Indexer(store, [root], TABLE).sweep(NOW).trouble


def archived(store: SqliteStore, root: Root, name: str = "out.txt") -> bytes | None:
    return store.output(root.path, f"{PLACE}/{name}")


def rows(store: SqliteStore) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(store.home / "raw.db"), flags=apsw.SQLITE_OPEN_READONLY)
    return connection.execute("SELECT id, length(packed) FROM output ORDER BY path").fetchall()


def spoil(store: SqliteStore) -> None:
    connection = apsw.Connection(str(store.home / "raw.db"))
    connection.execute("UPDATE output SET packed = zeroblob(length(packed))")
    connection.close()


def test_an_output_outlives_its_file(store: SqliteStore, root: Root) -> None:
    path = put(root)
    swept(store, root)
    path.unlink()
    swept(store, root)

    assert archived(store, root) == LONG
    assert [(file.project_id, file.session_id) for file in store.outputs()] == [("-repo", "s1")]


def test_it_is_packed_and_counted(store: SqliteStore, root: Root) -> None:
    before = store.status().raw_bytes
    put(root)
    swept(store, root)
    ((_, packed),) = rows(store)
    status = store.status()

    assert packed < len(LONG) // 10
    assert (status.outputs, status.output_bytes) == (1, len(LONG))
    assert status.raw_bytes >= before + packed


def test_it_is_archived_once_and_again_when_it_has_changed(store: SqliteStore, root: Root) -> None:
    put(root)
    swept(store, root)
    first = rows(store)
    swept(store, root)
    again = rows(store)
    put(root, b"another")
    swept(store, root)

    assert first == again != rows(store)
    assert archived(store, root) == b"another"


def test_the_next_look_at_a_session_takes_in_what_came_since(
    store: SqliteStore, root: Root
) -> None:
    indexer = Indexer(store, [root], TABLE)
    indexer.sweep(NOW)
    put(root)
    path = Transcript().user("go").user("on").save(Path(root.path))
    indexer.look([str(path)], NOW)

    assert archived(store, root) == LONG


def test_one_that_is_too_long_is_left_alone_and_named(store: SqliteStore, root: Root) -> None:
    path = put(root, b"")
    os.truncate(path, LONGEST_OUTPUT + 1)

    assert swept(store, root) == (f"{PLACE}/out.txt is longer than 64 MiB: it is not archived.",)
    assert store.outputs() == []


def test_links_and_directories_are_left_alone(store: SqliteStore, root: Root) -> None:
    path = put(root)
    (path.parent / "link.txt").symlink_to("/etc/passwd")
    (path.parent / "deeper").mkdir()
    swept(store, root)

    assert [Path(file.path).name for file in store.outputs()] == ["out.txt"]


def test_a_directory_that_is_a_link_is_not_entered(store: SqliteStore, root: Root) -> None:
    elsewhere = put(root).parent.rename(Path(root.path, "elsewhere"))
    Path(root.path, PLACE).symlink_to(elsewhere)
    swept(store, root)

    assert store.outputs() == []


def test_many_are_written_in_several_groups(store: SqliteStore, root: Root) -> None:
    for number in range(3):
        put(root, os.urandom(9 * 1024 * 1024), f"{number}.txt")

    assert Outputs(store).sweep([root]) == []
    assert [file.size for file in store.outputs()] == [9 * 1024 * 1024] * 3


def test_a_rebuild_keeps_them(store: SqliteStore, root: Root) -> None:
    put(root)
    swept(store, root)
    shutil.rmtree(Path(root.projects))
    rebuild(store, [root], TABLE, NOW)

    assert archived(store, root) == LONG


def test_verify_mends_a_damaged_one_from_its_file(store: SqliteStore, root: Root) -> None:
    put(root)
    swept(store, root)
    spoil(store)
    (found,) = verify(store, Indexer(store, [root], TABLE), NOW).findings

    assert (found.about, found.grade) == ("archive", "note")
    assert archived(store, root) == LONG
    assert verify(store, Indexer(store, [root], TABLE), NOW).findings == ()


def test_verify_names_a_damaged_one_whose_file_is_gone(store: SqliteStore, root: Root) -> None:
    path = put(root)
    swept(store, root)
    spoil(store)
    path.unlink()
    findings = verify(store, Indexer(store, [root], TABLE), NOW).findings

    assert f"{PLACE}/out.txt: the archived tool output is damaged, and its file is gone." in [
        found.said for found in findings
    ]
    assert archived(store, root) is None
