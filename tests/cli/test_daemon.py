import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.made import root, talk
from tests.cli.runs import Said, process
from tests.waiting import until
from unspool.cli import daemon
from unspool.system.processes import birth


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Iterator[Path]:
    yield root(tmp_path)
    if daemon.running(home / "unspool"):
        process("index", "daemon", "stop")


def run(place: Path, *args: str) -> Said:
    return process("index", "daemon", *args, "--root", place)


def pid_file(home: Path) -> Path:
    return home / "unspool" / "daemon.json"


def pid(home: Path) -> int:
    return int(json.loads(pid_file(home).read_text())["pid"])


def test_it_starts_takes_in_what_is_written_and_stops(place: Path, home: Path) -> None:
    started = run(place, "start")
    root(place, talk("session-two"))

    assert started.code == 0
    assert until(lambda: "session-two" in process("sql", "SELECT * FROM sessions").out)
    assert run(place, "stop").out.startswith("Stopped the daemon: process ")
    assert not pid_file(home).exists()


def test_a_log_that_grew_long_begins_anew_and_a_signal_stops_it(place: Path, home: Path) -> None:
    log = home / "unspool" / "daemon.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"old words\n" * 200_000)
    run(place, "start")
    assert "old words" not in log.read_text()
    number = pid(home)
    os.kill(number, signal.SIGTERM)

    assert until(lambda: birth(number) is None)


class Running(NamedTuple):
    """One daemon for those that end nothing."""

    home: Path
    place: Path

    def said(self, *args: str) -> Said:
        """What a command says beside it."""
        return process(*args, "--root", self.place, UNSPOOL_HOME=str(self.home / "unspool"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    made = Running(tmp_path_factory.mktemp("home"), root(tmp_path_factory.mktemp("claude")))
    made.said("index", "daemon", "start")
    yield made
    made.said("index", "daemon", "stop")


def test_its_files_are_nobody_elses(running: Running) -> None:
    ours = running.home / "unspool"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in ours.iterdir()}

    assert modes == {0o600}
    assert f" Watching {running.place}.\n" in (ours / "daemon.log").read_text()


def test_a_second_start_says_where_the_first_runs(running: Running) -> None:
    said = running.said("index", "daemon", "start")

    assert said.code == 0
    assert f"The daemon is already running: process {pid(running.home)}, since" in said.out


def test_after_a_kill_it_is_known_to_be_dead_and_starts_again(place: Path, home: Path) -> None:
    run(place, "start")
    number = pid(home)
    os.kill(number, signal.SIGKILL)
    until(lambda: birth(number) is None)
    told = run(place, "status")

    assert "it was killed" in told.out
    assert run(place, "start").code == 0
    assert pid(home) != number


def test_another_process_of_the_same_number_is_left_alone(place: Path, home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        pid_file(home).parent.mkdir(parents=True)
        old = daemon.Daemon(pid=other.pid, birth="long ago", since=0)
        pid_file(home).write_text(json.dumps({"pid": old.pid, "birth": old.birth, "since": 0}))
        said = run(place, "stop")

        assert other.poll() is None
        assert said.out == "The daemon is not running.\n"
        other.communicate(b"\n")


def test_stopping_what_does_not_run_is_no_error(place: Path) -> None:
    assert run(place, "stop") == Said(0, "The daemon is not running.\n", "")


def test_a_daemon_that_cannot_start_says_why(place: Path, home: Path) -> None:
    opened = "from unspool.cli.config import open_stores; store = open_stores().writing()"
    command = [sys.executable, "-c", f"{opened}; print(1, flush=True); input()"]
    around = {**os.environ, "PYTHONPATH": str(Path(daemon.__file__).parents[2])}
    with subprocess.Popen(
        command, env=around, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        other.stdout.readline()
        said = run(place, "start")
        other.communicate(b"\n")

    assert said.code == 1
    assert f"process {other.pid} is writing" in said.err


def test_a_pid_file_full_of_nonsense_is_none(home: Path) -> None:
    pid_file(home).parent.mkdir(parents=True)
    pid_file(home).write_text("nonsense")

    assert daemon.running(home / "unspool") is None


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not tell of locks")
@pytest.mark.parametrize("damage", ["nonsense", None])
def test_a_daemon_whose_pid_file_is_lost_is_found_by_its_lock(
    place: Path, home: Path, damage: str | None
) -> None:
    run(place, "start")
    number = pid(home)
    pid_file(home).unlink()
    if damage:
        pid_file(home).write_text(damage)

    assert f"The daemon is running: process {number}, since " in run(place, "status").out
    assert f"The daemon is already running: process {number}, " in run(place, "start").out
    assert run(place, "stop").out == f"Stopped the daemon: process {number}.\n"
    assert birth(number) is None
    assert not pid_file(home).exists()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not tell of locks")
def test_whoever_else_writes_the_index_is_not_the_daemon(place: Path) -> None:
    command = [sys.executable, "-m", "unspool", "index", "watch", "--root", str(place)]
    around = {**os.environ, "PYTHONPATH": str(Path(daemon.__file__).parents[2])}
    with subprocess.Popen(command, env=around, stdout=subprocess.PIPE) as other:
        assert other.stdout
        other.stdout.readline()  # it watches
        said = run(place, "stop")

        assert (said.out, other.poll()) == ("The daemon is not running.\n", None)
        other.terminate()


def test_status_as_json_names_the_log(place: Path, home: Path) -> None:
    told = json.loads(run(place, "status", "--json").out)

    assert told == {"running": False, "daemon": None, "log": str(home / "unspool" / "daemon.log")}


def test_a_build_beside_the_daemon_has_nothing_to_do(running: Running) -> None:
    said = running.said("index", "build")

    assert said.out == (
        f"The daemon, process {pid(running.home)}, keeps the index up to date: nothing to do.\n"
    )
