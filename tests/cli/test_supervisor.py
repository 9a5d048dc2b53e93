import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import root
from tests.cli.runs import SOURCE
from tests.waiting import until
from unspool.cli import supervisor
from unspool.cli.supervisor import Supervisor
from unspool.system.processes import birth


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    monkeypatch.setattr(supervisor, "_AGAIN", 0.05)
    made = Supervisor(["index", "watch", "--root", str(root(tmp_path))])
    yield made
    made.join()


def test_a_command_runs_until_it_is_told_to_stop(kept: Supervisor) -> None:
    kept.start()
    assert until(lambda: kept.pid is not None)
    pid = kept.pid or 0
    kept.join()

    assert birth(pid) is None
    assert kept.pid is None


def test_a_command_that_ends_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_AGAIN", 0.01)
    seen = set()
    made = Supervisor(["--version"])
    made.start()
    until(lambda: len(seen.add(made.pid) or seen) > 3)  # type: ignore[func-returns-value]
    made.join()

    assert len(seen) > 3


def test_a_command_that_may_not_run_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_BUSY", 0.01)
    asked: list[int] = []
    made = Supervisor(["--version"], lambda: bool(asked.append(1)))  # type: ignore[func-returns-value]
    made.start()

    assert until(lambda: len(asked) > 3)
    assert made.pid is None
    made.join()


def test_a_command_that_does_not_end_is_killed(
    kept: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_ENDS_WITHIN", 0.0)
    kept.start()
    assert until(lambda: kept.pid is not None)
    pid = kept.pid or 0
    kept.join()

    assert until(lambda: birth(pid) is None)


STOPS = """
from tests.waiting import until
from unspool.cli import supervisor
supervisor._STOPS_WITHIN = 3_600
child, stop = supervisor.Supervisor(["index", "watch"]), supervisor.Shutdown()
stop.add_child(child)
child.start()
assert until(lambda: child.pid)
stop.begin()
print(until(lambda: child.pid is None))
child.kill()
"""


def test_a_shutdown_asks_the_children_to_end(tmp_path: Path) -> None:
    around = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{SOURCE.parent}"}
    around |= {"CLAUDE_CONFIG_DIR": str(root(tmp_path)), "UNSPOOL_HOME": str(tmp_path / "u")}
    done = subprocess.run(
        [sys.executable, "-c", STOPS], env=around, check=True, capture_output=True, text=True
    )

    assert done.stdout == "True\n"


def test_what_was_never_started_can_be_stopped() -> None:
    made = Supervisor(["--version"])
    made.join()

    assert made.pid is None


def test_a_command_has_the_environment_of_when_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSPOOL_HOME", str(tmp_path / "before"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    made = Supervisor(["index", "build"])
    monkeypatch.setenv("UNSPOOL_HOME", str(tmp_path / "after"))
    made.start()
    is_there = until((tmp_path / "before" / "index.db").exists)
    made.join()

    assert is_there
    assert not (tmp_path / "after").exists()


def test_killed_it_is_gone_at_once(kept: Supervisor) -> None:
    kept.start()
    assert until(lambda: kept.pid is not None)
    pid = kept.pid or 0
    kept.kill()

    assert birth(pid) is None
    kept.join()


def test_what_a_command_prints_is_in_its_log(tmp_path: Path) -> None:
    made = Supervisor(["--version"], log=tmp_path / "x.log")
    made.start()
    is_there = until(lambda: (tmp_path / "x.log").exists() and (tmp_path / "x.log").read_bytes())
    made.join()

    assert is_there
    assert (tmp_path / "x.log").read_text().startswith("unspool ")


def test_why_a_command_fails_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_AGAIN", 0.01)
    said: list[str] = []
    made = Supervisor(["xyzzy"], log=tmp_path / "x.log", say=said.append)
    made.start()
    until(
        lambda: (
            (tmp_path / "x.log").exists() and (tmp_path / "x.log").read_bytes().count(b"xyzzy") > 2
        )
    )
    made.join()

    assert len(said) == 1
    assert said[0].startswith("There is no command 'xyzzy'.")


def test_a_log_that_cannot_be_written_keeps_no_command_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("UNSPOOL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    made = Supervisor(["index", "build"], log=tmp_path / "file" / "x.log")
    made.start()
    is_built = until((tmp_path / "home" / "index.db").exists)
    made.join()

    assert is_built
