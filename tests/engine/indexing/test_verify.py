import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, saved
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.indexing.verify import REBUILD, VerifyReport, verify
from unspool.model.files import Root
from unspool.model.query import TextQuery
from unspool.store.sqlite.store import SqliteStore

MADE = Transcript().user("lantern").entry("mode").raw(b"").raw(b"torn").says("x" * 200_000)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path / "root", MADE, Transcript("s2").user("other"))


@pytest.fixture
def home(tmp_path: Path, root: Root) -> Path:
    store = SqliteStore(tmp_path / "home")
    Indexer(store, [root], TABLE).sweep(NOW)
    store.close()
    return store.home


@pytest.fixture
def store(home: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(home)
    yield made
    made.close()


def path_of(root: Root) -> Path:
    return Path(root.projects, "-repo", "s1.jsonl")


def verified(store: SqliteStore, root: Root) -> VerifyReport:
    return verify(store, Indexer(store, [root], TABLE), NOW)


def spoil(home: Path, file: str, change: str) -> None:
    connection = apsw.Connection(str(home / file))
    connection.execute(change)
    connection.close()


def test_where_all_agrees_there_is_nothing_to_find(store: SqliteStore, root: Root) -> None:
    report = verified(store, root)

    assert (report.files, report.findings, report.sweep.changed) == (2, (), 0)
    assert report.bytes == sum(len(made.read_bytes()) for made in path_of(root).parent.iterdir())


def edit(path: Path) -> None:
    """Change a byte in the middle, with nothing else to show for it."""
    data, before = path.read_bytes(), path.stat()
    path.write_bytes(data[:70_000] + b"#" + data[70_001:])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_an_edit_that_no_size_and_no_time_shows_is_found(store: SqliteStore, root: Root) -> None:
    edit(path_of(root))
    quiet = Indexer(store, [root], TABLE).sweep(NOW)
    report = verified(store, root)

    assert (quiet.changed, [one.about for one in report.findings]) == (0, ["file"])
    assert {source.generation for source in store.sources()} == {0, 1}


def test_an_edited_file_is_found_by_what_it_says_now(store: SqliteStore, root: Root) -> None:
    edit(path_of(root))
    verified(store, root)

    assert verified(store, root).findings == ()
    assert len(store.search(TextQuery(terms="lantern"))) == 1


def test_an_edit_of_a_line_that_is_not_finished_is_found(store: SqliteStore, root: Root) -> None:
    path = path_of(root)
    with open(path, "ab") as file:
        file.write(Transcript(uuid_prefix="n").user("before").bytes()[:-1])
    age(path)
    Indexer(store, [root], TABLE).sweep(NOW)
    path.write_bytes(path.read_bytes().replace(b"before", b"afters"))
    age(path)
    verified(store, root)

    assert [len(store.search(TextQuery(terms=term))) for term in ("before", "afters")] == [0, 1]


def test_a_file_that_is_gone_is_no_fault(store: SqliteStore, root: Root) -> None:
    path_of(root).unlink()
    report = verified(store, root)

    assert (report.findings, report.sweep.gone) == ((), 1)


def test_a_row_that_is_missing_is_found_with_its_remedy(home: Path, root: Root) -> None:
    spoil(home, "index.db", "DELETE FROM line WHERE number = 2")
    store = SqliteStore(home)
    (finding, *_) = verified(store, root).findings
    store.close()

    assert (finding.grade, finding.fix) == ("wrong", REBUILD)
    assert "has 4 lines with content, but the index has 3" in finding.said


def test_a_damaged_segment_is_mended_from_the_file(home: Path, root: Root) -> None:
    spoil(home, "raw.db", "UPDATE segment SET packed = zeroblob(length(packed))")
    store = SqliteStore(home)
    first = [finding.about for finding in verified(store, root).findings]
    again = verified(store, root).findings
    store.close()

    assert ("archive" in first, again) == (True, ())


def test_what_nobody_has_any_more_is_said(home: Path, root: Root) -> None:
    spoil(home, "raw.db", "UPDATE segment SET packed = zeroblob(length(packed))")
    path_of(root).unlink()
    store = SqliteStore(home)
    said = [finding.said for finding in verified(store, root).findings]
    store.close()

    assert any("s1.jsonl: bytes 0 to" in one for one in said)
