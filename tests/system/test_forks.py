import os
import subprocess
import sys

import pytest

from unspool.system import optional_module
from unspool.system.forks import can_fork, lower_priority, processors
from unspool.system.signals import signal_number, stop_signals


def test_where_there_is_no_fork_or_it_is_risky_nobody_forks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    was = can_fork()
    monkeypatch.setattr(sys, "platform", "darwin")
    on_macos = can_fork()
    monkeypatch.undo()
    monkeypatch.delattr(os, "fork")

    assert (was, on_macos, can_fork()) == (True, False, False)


def test_there_is_a_processor_however_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity")
    assert processors() == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1


def test_a_process_gives_way_and_one_that_ended_is_no_trouble() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        lower_priority(child.pid, 19)
        found = os.getpriority(os.PRIO_PROCESS, child.pid)
        child.kill()
    lower_priority(child.pid, 19)

    assert found == 19


def test_a_signal_or_module_that_is_missing_is_none() -> None:
    assert (signal_number("SIGNONE"), optional_module("no_such_module")) == (None, None)
    assert signal_number("SIGINT") in stop_signals()
