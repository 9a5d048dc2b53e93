import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer
from time import monotonic

import pytest

from tests.source.watches import ENOUGH
from unspool.source import listener as module
from unspool.source.listener import Listener, network_type


def test_only_a_file_system_of_another_machine_is_a_network() -> None:
    table = "1 1 0:1 / / rw - ext4 disk rw\n2 1 0:2 / /net rw - nfs4 server:/export rw\n"

    assert (network_type("/net/me", table), network_type("/here", table)) == ("nfs4", "")


def paths(listener: Listener) -> set[str]:
    """The paths of the next news there is."""
    end = monotonic() + ENOUGH
    while monotonic() < end:
        if found := {path for _, path in listener.wait(1, Event(), quiet=0)}:
            return found
    return set()


@contextmanager
def few_files(free: int) -> Iterator[None]:
    """Leave the process room for so many open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    probe = os.open(os.devnull, os.O_RDONLY)
    os.close(probe)
    resource.setrlimit(resource.RLIMIT_NOFILE, (probe + free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_file_that_is_written_is_heard_of(tmp_path: Path) -> None:
    listener = Listener(print)
    listener.tune([str(tmp_path)])
    (tmp_path / "a").write_text("x")

    assert str(tmp_path / "a") in paths(listener)
    listener.close()


def test_a_directory_behind_a_link_is_heard_of_by_the_name_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    listener = Listener(print)
    listener.tune([str(tmp_path / "link")])
    (tmp_path / "real" / "a").write_text("x")

    assert str(tmp_path / "link" / "a") in paths(listener)
    listener.close()


def test_tuning_again_to_the_same_directories_misses_nothing(tmp_path: Path) -> None:
    listener = Listener(print)

    assert [listener.tune([str(tmp_path), str(tmp_path / "absent")]) for _ in "12"] == [True, False]
    listener.close()


def test_a_directory_made_anew_is_another_one(tmp_path: Path) -> None:
    place = tmp_path / "projects"
    place.mkdir()
    listener = Listener(print)
    listener.tune([str(place)])
    place.rename(tmp_path / "away")
    place.mkdir()

    assert listener.tune([str(place)])
    listener.close()


def test_a_system_that_cannot_watch_is_told_of_once(tmp_path: Path) -> None:
    said: list[str] = []
    listener = Listener(said.append)
    with few_files(free=1):
        listener.tune([str(tmp_path)])
        listener.tune([str(tmp_path / "other"), str(tmp_path)])

    assert (listener.polling, len(said)) == (True, 1)


def test_a_network_file_system_is_told_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    table = f"36 35 98:0 / {tmp_path} rw - nfs4 server:/export rw"
    monkeypatch.setattr(module, "mount_table", lambda: table)
    listener = Listener(said.append)
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        listener.tune([str(tmp_path / place)])

    assert listener.polling
    assert [("nfs4" in text) for text in said] == [True]


def test_a_signal_is_not_swallowed(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    listener = Listener(print)
    listener.tune([str(tmp_path)])
    Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()

    with pytest.raises(KeyboardInterrupt):
        list(listener.wait(ENOUGH, Event(), quiet=0))
    listener.close()
    signal.signal(signal.SIGUSR1, before)


def test_waiting_ends_when_told_to_stop(tmp_path: Path) -> None:
    stop = Event()
    stop.set()
    listener = Listener(print)
    listener.tune([str(tmp_path)])

    assert list(listener.wait(ENOUGH, stop, quiet=0)) == []
    listener.close()
