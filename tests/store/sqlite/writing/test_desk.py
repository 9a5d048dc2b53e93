import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.made import Source
from tests.store.stores import shown
from unspool.errors import StoreBusy, StoreCorrupt, StoreFull
from unspool.model.query import TextQuery
from unspool.model.rows import Batch, Segment
from unspool.store.pack import packed
from unspool.store.sqlite import lock
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing.desk import Desk


def test_a_second_desk_is_refused(sqlite: SqliteStore) -> None:
    with pytest.raises(StoreBusy, match=f"process {os.getpid()}"):
        Desk(sqlite.home)


def test_a_desk_that_could_not_be_set_up_leaves_no_lock(tmp_path: Path) -> None:
    (tmp_path / "raw.db").write_bytes(b"damaged" * 1000)
    with pytest.raises(StoreCorrupt):
        Desk(tmp_path)
    (tmp_path / "raw.db").unlink()

    Desk(tmp_path).close()


def test_what_is_doubtful_about_a_place_is_in_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_text(f"1 1 0:1 / {tmp_path} rw - 9p share rw\n")
    monkeypatch.setattr(lock, "MOUNTS", tmp_path / "mounts")

    with closing(SqliteStore(tmp_path / "home")) as store:
        assert ["9p" in said for said in store.status().trouble] == [True]


@pytest.fixture
def mounted() -> Iterator[Callable[..., None]]:
    """A way to mount something for one test: root is stopped by nothing less than a disk."""
    places: list[Path] = []

    def mount(place: Path, *options: str | Path) -> None:
        command = [shutil.which("mount") or "mount", *options, place]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"nothing can be mounted here: {error}")
        places.append(place)

    yield mount
    for place in set(places):
        subprocess.run([shutil.which("umount") or "umount", place], check=True)


def test_a_file_system_that_is_only_read_is_told(
    tmp_path: Path, mounted: Callable[..., None]
) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.commit([Source().line("word").batch()])
    mounted(tmp_path, "--bind", "-o", "ro", tmp_path)

    with pytest.raises(StoreFull, match="cannot be written"):
        SqliteStore(tmp_path)
    with closing(SqliteStore(tmp_path, mode="ro")) as reader:
        assert (len(reader.search(TextQuery(terms="word"))), reader.check()) == (1, [])


@pytest.fixture
def small(tmp_path: Path, mounted: Callable[..., None]) -> Path:
    """A disk of six megabytes."""
    mounted(tmp_path, "-t", "tmpfs", "-o", "size=6m", "tmpfs")
    return tmp_path


def committed(store: SqliteStore, batches: list[Batch]) -> None:
    for batch in batches:
        store.commit([batch])


def test_a_full_disk_loses_nothing_and_is_no_reason_to_restart(
    small: Path, mounted: Callable[..., None]
) -> None:
    source = Source()
    words = (" ".join(f"w{n}x{m}" for m in range(9000)) for n in range(99))
    batches = [source.line(text).batch() for text in words]
    with closing(SqliteStore(small / "home")) as store:
        with pytest.raises(StoreFull):
            committed(store, batches)
        taken = store.sources()[0].offset // 100
        kept = store.status().lines
        mounted(small, "-o", "remount,size=64m")
        committed(store, batches)

        assert 0 < kept == taken < 99
        assert (store.status().lines, store.check(thorough=True)) == (99, [])


def test_a_full_disk_while_archiving_leaves_whole_segments(small: Path) -> None:
    def noise() -> Iterator[Segment]:
        for n in range(20):
            yield packed(1, 0, n * 999_999, os.urandom(999_999))

    with closing(SqliteStore(small / "home")) as store:
        before = shown(store)
        with pytest.raises(StoreFull):
            store.archive(noise())

        assert (shown(store), store.archived(1, 0)) == (before, 0)
        store.archive([packed(1, 0, 0, b"fits")])
        assert store.raw(1, 0, 0, 4) == b"fits"
