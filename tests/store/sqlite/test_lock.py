import fcntl
import os
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from unspool.errors import StoreBusy, StoreError, StoreFull
from unspool.store.sqlite.lock import WriterLock, place_trouble
from unspool.system import mounts

HOLDER = """
import sys
from pathlib import Path
from unspool.store.sqlite.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""
ASK = """
import fcntl, sys
try:
    fcntl.flock(open(sys.argv[1], "a"), fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit(1)
"""


def holder(home: Path) -> subprocess.Popen[str]:
    """Another process that has the store open for writing."""
    source = str(Path(mounts.__file__).parents[2])
    made = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert made.stdout is not None
    assert made.stdout.readline() == "open\n"
    return made


def test_a_second_process_is_told_who_writes(tmp_path: Path) -> None:
    other = holder(tmp_path)
    with pytest.raises(StoreBusy, match=f"process {other.pid} ") as caught:
        WriterLock(tmp_path / "index.lock")
    other.communicate()

    assert caught.value.pid == other.pid


def test_a_lock_on_a_file_that_was_deleted_meanwhile_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, flock = tmp_path / "index.lock", fcntl.flock

    def deleting(file: int, how: int) -> None:
        monkeypatch.undo()
        path.unlink()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", deleting)
    held = WriterLock(path)
    other = subprocess.run([sys.executable, "-c", ASK, str(path)], check=False)
    held.release()

    assert other.returncode == 1


def test_a_child_that_was_just_forked_is_waited_for(tmp_path: Path) -> None:
    held = WriterLock(tmp_path / "index.lock")
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:  # has the lock too, until it becomes another program
        os.read(ours, 1)
        os._exit(0)
    held.release()
    Timer(0.1, os.write, (theirs, b"!")).start()

    WriterLock(tmp_path / "index.lock").release()
    os.waitpid(child, 0)
    os.close(ours)
    os.close(theirs)


def test_a_process_that_is_killed_leaves_no_lock(tmp_path: Path) -> None:
    other = holder(tmp_path)
    other.kill()
    other.communicate()

    WriterLock(tmp_path / "index.lock").release()


def test_the_name_of_who_writes_replaces_a_longer_one(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("4000000000\n9")
    WriterLock(tmp_path / "lock").release()

    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_lock_can_be_had_again_after_it_was_let_go(tmp_path: Path) -> None:
    first = WriterLock(tmp_path / "index.lock")
    first.release()
    first.release()
    second = WriterLock(tmp_path / "index.lock")
    second.release()

    assert (tmp_path / "index.lock").read_text() == f"{os.getpid()}\n"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreFull, match="cannot be written"):
        WriterLock(tmp_path / "file" / "index.lock")


def test_a_home_on_another_machine_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"1 1 0:1 / {tmp_path} rw - nfs4 server:/ rw\n")
    monkeypatch.setattr(mounts, "_TABLE", table)

    with pytest.raises(StoreError, match="local disk"):
        place_trouble(tmp_path / "home")


def test_a_doubtful_place_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"1 1 0:1 / {tmp_path} rw - 9p share rw\n")
    monkeypatch.setattr(mounts, "_TABLE", table)

    assert "9p" in place_trouble(tmp_path / "home")


def test_where_mounts_cannot_be_read_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "_TABLE", tmp_path / "absent")

    assert place_trouble(tmp_path) == ""
