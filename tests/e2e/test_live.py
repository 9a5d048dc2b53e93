"""What is written while an index is kept up to date comes into it, each line once."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from benchmarks.live import Feed, flood, following, written, wrong
from tests.cli.runs import SOURCE, process
from tests.source.firing import fire
from unspool.source.spool import append
from unspool.store.sqlite.store import SqliteStore

KILLS = int(os.environ.get("UNSPOOL_KILLS", "200"))


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_while_many_write(tmp_path: Path) -> None:
    sessions = written(tmp_path / "root", 50)
    with following(tmp_path / "root", tmp_path / "home") as follower:
        feed = Feed(follower.home, sessions)
        flood(sessions, feed, 200, 10.0)

        assert feed.wait()
        feed.close()
    assert wrong(tmp_path / "home", sessions) == []


@pytest.mark.slow
def test_a_quiet_session_is_heard_beside_one_that_floods(tmp_path: Path) -> None:
    quiet, loud = written(tmp_path / "root", 2)
    line = loud.path.read_bytes()
    stop = Event()

    def pour() -> None:
        with loud.path.open("ab") as file:
            while not stop.is_set() and file.tell() < 200_000_000:
                file.write(line * 2_000)

    with following(tmp_path / "root", tmp_path / "home") as follower:
        feed = Feed(follower.home, [quiet])
        pouring = Thread(target=pour)
        pouring.start()
        for _ in range(20):
            quiet.write()
            sleep(0.2)
        heard = feed.wait()
        behind = SqliteStore(follower.home, mode="ro")
        taken = {source.path: source.offset for source in behind.sources()}
        behind.close()
        stop.set()
        pouring.join()
        feed.close()

    assert heard
    assert 0 < taken["projects/-p1/s1.jsonl"] < loud.path.stat().st_size


def event(number: int) -> bytes:
    said = {"hook_event_name": "Stop", "session_id": f"s{number % 7}", "number": number}
    return json.dumps(said).encode()


def counted(home: Path) -> list[tuple[int, int]]:
    """How many events there are, and how many different ones."""
    store = SqliteStore(home, mode="ro")
    ask = "SELECT count(*), count(DISTINCT json_extract(input, '$.number')) FROM hook_events"
    try:
        return [(count, different) for count, different in store.sql(ask)[1]]
    finally:
        store.close()


def test_what_a_hook_told_while_nothing_ran_is_indexed_once(tmp_path: Path, home: Path) -> None:
    (home / "unspool").mkdir()
    for number in range(3):
        fire(home / "unspool" / "spool", event(number))
    said = [process("index", "build", "--root", tmp_path) for _ in range(2)]

    assert [one.code for one in said] == [0, 0]
    assert counted(home / "unspool") == [(3, 3)]


def killed(root: Path, home: Path, meanwhile: Callable[[], object], seed: int) -> None:
    """Let something happen while an index is kept up to date by processes that die."""
    chance = Random(seed)
    command = [sys.executable, "-m", "unspool", "index", "watch", "--root", str(root)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE), "UNSPOOL_HOME": str(home)}
    around["CLAUDE_CONFIG_DIR"] = str(root)
    for _ in range(KILLS // 10):
        with subprocess.Popen(command, env=around, stdout=subprocess.DEVNULL) as running:
            until = monotonic() + chance.uniform(0.3, 1.0)
            while monotonic() < until:
                meanwhile()
                sleep(0.001)
            running.send_signal(signal.SIGKILL)
    process("index", "build", "--root", root, UNSPOOL_HOME=str(home), CLAUDE_CONFIG_DIR=str(root))


@pytest.mark.slow
def test_events_come_once_however_often_the_follower_is_killed(tmp_path: Path) -> None:
    told = 0

    def tell() -> None:
        nonlocal told
        events = [event(told + more) for more in range(20)]
        told += append(tmp_path / "home" / "spool", events, 1_790_000_000_000)

    (tmp_path / "root").mkdir()
    killed(tmp_path / "root", tmp_path / "home", tell, seed=5)

    assert counted(tmp_path / "home") == [(told, told)]


@pytest.mark.slow
def test_lines_come_once_however_often_the_follower_is_killed(tmp_path: Path) -> None:
    sessions, chance = written(tmp_path / "root", 20), Random(6)
    killed(tmp_path / "root", tmp_path / "home", lambda: chance.choice(sessions).write(), seed=6)

    assert wrong(tmp_path / "home", sessions) == []
