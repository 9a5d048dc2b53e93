import os
from pathlib import Path

from unspool.cli.costs.claim import claimed


def test_who_comes_first_makes_the_ledger(tmp_path: Path) -> None:
    with claimed(str(tmp_path / "home"), 0) as first, claimed(str(tmp_path / "home"), 0) as second:
        assert (first, second) == (True, False)
    with claimed(str(tmp_path / "home"), 0) as third:
        assert third


def test_a_claim_lasts_as_long_as_a_process_that_was_forked(tmp_path: Path) -> None:
    with claimed(str(tmp_path), 0):
        (lock,) = (fd for fd in map(int, os.listdir("/proc/self/fd")) if _is_lock(fd))
        theirs = os.dup(lock)  # as a child has it
    with claimed(str(tmp_path), 0) as meanwhile:
        assert not meanwhile
    os.close(theirs)
    with claimed(str(tmp_path), 0) as after:
        assert after


def _is_lock(fd: int) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{fd}").endswith("scan.lock")
    except OSError:
        return False


def test_where_nothing_can_be_written_nothing_is_ours(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with claimed(str(tmp_path / "file" / "home"), 0) as is_ours:
        assert not is_ours
