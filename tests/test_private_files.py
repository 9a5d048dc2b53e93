import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from unspool.private_files import private_directory, write_private


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_directory_that_is_missing_is_private(tmp_path: Path) -> None:
    private_directory(tmp_path / "a" / "b" / "c")

    assert [mode(tmp_path / part) for part in ("a", "a/b", "a/b/c")] == [0o700] * 3


def test_one_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    private_directory(tmp_path / "a" / "b")
    private_directory(tmp_path / "a")

    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o755, 0o700)


def test_it_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    private_directory("a/b")
    private_directory(".")

    assert mode(tmp_path / "a" / "b") == 0o700


@pytest.mark.parametrize("path", ["file", "file/below", "link"])
def test_what_is_no_directory_is_an_error(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    with pytest.raises(OSError, match=r"exists|Not a directory"):
        private_directory(tmp_path / path)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc")
def test_where_none_can_be_made_it_gives_up() -> None:
    with pytest.raises(OSError, match="/proc/unspool"):
        private_directory("/proc/unspool/home")


def test_a_file_is_written_whole_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "runtime.json"
    write_private(path, [b"one", b" two"])
    left = tmp_path / "home" / f"runtime.json.{os.getpid()}"
    left.write_bytes(b"of a process that was killed, and longer than what follows")
    left.chmod(0o644)
    write_private(path, [b"three"])

    assert (path.read_bytes(), mode(path)) == (b"three", 0o600)
    assert os.listdir(path.parent) == ["runtime.json"]


def test_what_must_last_is_on_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, synced = os.fsync, list[tuple[int, bool]]()

    def noting(file: int) -> None:
        sync(file)
        synced.append((os.fstat(file).st_size, (tmp_path / "a").exists()))

    monkeypatch.setattr(os, "fsync", noting)
    write_private(tmp_path / "a", [b"one", b" two"], durable=True)

    assert synced[0] == (7, False)


def test_one_that_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "file" / "below").mkdir(parents=True)

    with pytest.raises(OSError, match="directory"):
        write_private(tmp_path / "file", [b"x"])
    assert os.listdir(tmp_path) == ["file"]
