import fcntl
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from unspool.system import processes
from unspool.system.processes import birth, is_alive, kill_group, lock_holder


def test_a_living_process_was_born_once() -> None:
    assert birth(os.getpid())
    assert birth(os.getpid()) == birth(os.getpid())


def test_two_processes_were_not_born_together() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        born = birth(other.pid)
        other.kill()

    assert born not in (None, birth(os.getpid()))


def test_a_process_that_ended_and_was_not_waited_for_is_dead() -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.read()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

        assert birth(child.pid) is None


def test_no_process_has_a_number_below_one() -> None:
    assert (birth(0), birth(-1), birth(2**30)) == (None, None, None)


@pytest.mark.skipif(not shutil.which("ps"), reason="this system has no ps")
def test_where_there_is_no_proc_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_PROC", Path("/nowhere"))

    assert birth(os.getpid())
    assert birth(2**22 + 1) is None


def test_whoever_holds_a_lock_is_named(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        assert lock_holder(tmp_path / "lock") == os.getpid()


def test_nobody_holds_a_lock_that_is_free_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()

    assert lock_holder(tmp_path / "lock") is None
    assert lock_holder(tmp_path / "missing") is None


def test_a_file_of_another_disk_with_the_same_number_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_PROC", tmp_path)
    (tmp_path / "lock").touch()
    about = (tmp_path / "lock").stat()
    ours = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    theirs = f"fe:07:{about.st_ino}"
    held = "{}: FLOCK  ADVISORY  WRITE {} {} 0 EOF\n"
    (tmp_path / "locks").write_text(held.format(1, 11, theirs))
    stranger = lock_holder(tmp_path / "lock")
    (tmp_path / "locks").write_text(held.format(1, 11, theirs) + held.format(2, 22, ours))

    assert (stranger, lock_holder(tmp_path / "lock")) == (None, 22)


def test_the_first_process_lives_whoever_owns_it() -> None:
    assert is_alive(1)


def test_a_number_no_process_can_have_is_not_alive() -> None:
    assert not is_alive(1 << 70)


def test_where_processes_have_no_groups_the_child_alone_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "killpg")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        kill_group(child)

    assert child.returncode == -signal.SIGKILL
