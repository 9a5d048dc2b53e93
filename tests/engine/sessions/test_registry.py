"""Which session a process is in, and whether it lives."""

import json
import os
import sys
from pathlib import Path
from subprocess import Popen

from tests.engine.live import DEAD, Live, at
from unspool.engine.sessions.registry import Registry


def registry(live: Live) -> Registry:
    return Registry(live.roots)


def test_each_session_has_its_entry_and_its_pulse(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "busy").runs("s2", "busy", pid=DEAD)
    found = registry(live).sessions()

    assert {id: (one.entry.status, one.alive) for id, one in found.items()} == {
        "s1": ("busy", True),
        "s2": ("busy", False),
    }


def test_of_two_processes_the_one_that_lives_counts(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "idle").runs("s1", "busy", pid=DEAD)

    assert registry(live).sessions()["s1"].entry.status == "idle"


def test_an_entry_that_names_no_session_or_is_no_json_is_none(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("", "busy")
    (tmp_path / "sessions" / "77.json").write_text("{")

    assert registry(live).sessions() == {}


def test_an_entry_is_read_again_when_its_file_changed(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "busy")
    known = registry(live)
    live.runs("s1", "idle", 5)

    assert known.look(str(tmp_path / "sessions" / f"{os.getpid()}.json"), at(5)) == {"s1"}
    assert known.sessions()["s1"].entry.status == "idle"


def test_an_entry_that_is_gone_is_remembered_as_ended(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "busy")
    known = registry(live)
    live.exits()
    known.look(str(tmp_path / "sessions" / f"{os.getpid()}.json"), at(5))

    found = known.sessions()["s1"]
    assert (found.alive, found.gone_at, found.entry.status_updated_at) == (False, at(5), at(5))
    known.forget("s1")
    assert known.sessions() == {}


def test_a_session_that_comes_back_lives_again(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "busy")
    known, path = registry(live), str(tmp_path / "sessions" / f"{os.getpid()}.json")
    live.exits()
    known.look(path, at(5))
    live.runs("s1", "idle", 9)
    known.look(path, at(9))

    assert known.sessions()["s1"].alive


def test_a_process_that_dies_without_a_word_is_noticed(tmp_path: Path) -> None:
    with Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        known = registry(Live(tmp_path).runs("s1", "busy", pid=process.pid))
        before = known.check()
        process.kill()

    assert (before, known.check()) == (set(), {"s1"})
    assert not known.sessions()["s1"].alive


def test_the_key_beside_an_entry_is_not_read(tmp_path: Path) -> None:
    live = Live(tmp_path).runs("s1", "busy")
    entry = {"sessionId": "s9", "status": "busy"}
    (tmp_path / "sessions" / "1.key").write_text(json.dumps(entry))

    assert list(registry(live).sessions()) == ["s1"]
