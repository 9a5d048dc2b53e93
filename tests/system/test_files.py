"""The system's own way and the one that does without: both must hold."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from unspool.system import files
from unspool.system.files import (
    copy_owner,
    open_below,
    open_file,
    open_no_link,
    read_at,
    replace,
    scan_below,
    sync_directory,
)

APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT


@pytest.fixture(autouse=True, params=["own", "portable"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "portable":
        for name in ("_NO_LINK", "_NO_WAIT", "_DIRECTORY", "_CAN_STEP", "_CAN_LIST"):
            monkeypatch.setattr(files, name, 0)
        for name in ("pread", "fchown", "fchmod", "statvfs"):
            monkeypatch.delattr(os, name)
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root/a/b").mkdir(parents=True)
    (tmp_path / "root/a/b/file").write_bytes(b"ours")
    (tmp_path / "secret").write_bytes(b"theirs")
    return tmp_path / "root"


def content(fd: int) -> bytes:
    with open(fd, "rb") as file:
        return file.read()


def test_a_file_is_opened_below_its_root(root: Path) -> None:
    assert content(open_below(str(root), ["a", "b", "file"])) == b"ours"
    assert [entry.name for entry in scan_below(str(root), ["a", "b"])] == ["file"]


def test_the_root_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)

    assert content(open_below(str(tmp_path / "link"), ["a", "b", "file"])) == b"ours"


def test_no_link_below_the_root_is_followed(root: Path, tmp_path: Path) -> None:
    (root / "up").symlink_to(tmp_path)
    (root / "a/file").symlink_to(tmp_path / "secret")

    for names in (["up", "secret"], ["a", "file"], ["a", "..", "..", "secret"], [".."]):
        with pytest.raises(OSError, match=r"links|regular|directory|leaves"):
            open_below(str(root), names)
    with pytest.raises(OSError, match=r"links|regular|directory"):
        list(scan_below(str(root), ["up"]))


def test_a_link_is_not_opened_to_append_to_it(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "nowhere").symlink_to(tmp_path / "new")

    for name in ("link", "nowhere"):
        with pytest.raises(OSError, match=r"links|regular"):
            open_no_link(tmp_path / name, APPEND)
    assert not (tmp_path / "new").exists()


def test_nobody_waits_for_the_other_end_of_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for flags in (os.O_RDONLY, APPEND):
        with suppress(OSError):  # to be refused is as good
            os.close(open_no_link(tmp_path / "pipe", flags))


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    os.close(open_no_link(tmp_path / "one", APPEND))
    os.close(open_file(tmp_path / "two", APPEND))

    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("one", "two")]
    assert modes == [0o600, 0o600]


def test_no_descriptor_is_left_open(root: Path, tmp_path: Path) -> None:
    (root / "up").symlink_to(tmp_path)
    before = len(os.listdir("/dev/fd"))
    for names in (["up", "secret"], ["a", "no"], ["no", "no"]):
        with pytest.raises(OSError):  # noqa: PT011 - which one differs
            open_below(str(root), names)

    assert len(os.listdir("/dev/fd")) == before


def test_threads_read_one_file_at_different_places(tmp_path: Path) -> None:
    numbers = b"".join(b"%08d" % number for number in range(2_000))
    (tmp_path / "file").write_bytes(numbers)
    fd, wrong = open_file(tmp_path / "file"), []

    def look(step: int) -> None:
        for number in range(0, 2_000, step):
            if read_at(fd, 8, 8 * number) != b"%08d" % number:
                wrong.append(number)

    threads = [Thread(target=look, args=(step,)) for step in (1, 2, 3, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.close(fd)

    assert wrong == []


def test_a_directory_is_synced_where_it_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_ino))
    sync_directory(tmp_path)

    assert synced == [tmp_path.stat().st_ino] * (way == "own")


def test_a_file_takes_the_name_of_another(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "new").write_text("new")
    replace(tmp_path / "new", tmp_path / "old")

    assert [path.read_text() for path in tmp_path.iterdir()] == ["new"]


def test_a_mode_is_copied_where_files_have_one(tmp_path: Path, way: str) -> None:
    (tmp_path / "like").touch(0o640)
    (tmp_path / "like").chmod(0o640)
    with (tmp_path / "file").open("wb") as file:
        (tmp_path / "file").chmod(0o600)
        copy_owner(file.fileno(), (tmp_path / "like").stat())

    mode = stat.S_IMODE((tmp_path / "file").stat().st_mode)
    assert mode == (0o640 if way == "own" else 0o600)
