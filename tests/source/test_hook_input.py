import fcntl
import os
import signal
import subprocess
import termios
from array import array
from pathlib import Path
from time import sleep
from typing import Final

import pytest

from tests.source.firing import (
    ENOUGH,
    PAYLOAD,
    PYTHON,
    SCRIPT,
    fire,
    is_well,
    kept,
    payloads,
    shell,
)
from unspool.source.hook import LONGEST, PATIENCE

MIB: Final = 1024 * 1024
REAL: Final = pytest.param("", id="the real limits", marks=pytest.mark.slow)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    """An empty spool."""
    made = tmp_path / "spool"
    made.mkdir()
    return made


class Silent:
    """A hook whose input stays open."""

    def __init__(self, spool: Path, told: bytes = b"", limits: str = "") -> None:
        self._ours, self.pipe = os.pipe()
        os.write(self.pipe, told)
        code = (
            f"import sys; sys.path.insert(0, {os.path.dirname(SCRIPT)!r}); import hook; {limits};"
        )
        run = ["-c", f"{code} hook._main(sys.argv[1])"] if limits else [SCRIPT]
        command = [PYTHON, "-I", "-S", *run, str(spool)]
        self.process = subprocess.Popen(command, stdin=self._ours)

    def wait_until_read(self) -> None:
        """Wait until it has read what it was told."""
        unread = array("i", [1])
        while unread[0]:
            fcntl.ioctl(self._ours, termios.FIONREAD, unread)
            sleep(0.01)

    def close(self) -> None:
        """End its input."""
        os.close(self._ours)
        os.close(self.pipe)


def test_no_input_is_no_event(spool: Path) -> None:
    assert is_well(fire(spool, subprocess.DEVNULL))

    assert list(spool.iterdir()) == []


@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-", "0>/dev/null"])
def test_an_input_that_cannot_be_read_is_no_event(spool: Path, closed: str) -> None:
    assert is_well(fire(spool, before=shell(f'exec "$@" {closed}')))

    assert list(spool.iterdir()) == []


def test_an_input_that_never_ends_is_kept_in_part(spool: Path) -> None:
    with open("/dev/zero", "rb") as stdin:
        assert is_well(fire(spool, stdin))

    (event,) = kept(spool)
    assert (len(event.payload), event.cut) == (LONGEST, True)


@pytest.mark.parametrize("limits", ["hook.PATIENCE = 0.1", REAL])
def test_an_input_that_falls_silent_is_not_waited_for_without_end(
    tmp_path: Path, limits: str
) -> None:
    silent = [Silent(tmp_path / "one", b"", limits), Silent(tmp_path / "two", PAYLOAD, limits)]

    assert [hook.process.wait(ENOUGH) for hook in silent] == [0, 0]
    assert [(event.payload, event.cut) for event in kept(tmp_path / "two")] == [(PAYLOAD, True)]
    assert not (tmp_path / "one").exists()
    for hook in silent:
        hook.close()


@pytest.mark.parametrize("limits", ["hook.LIMIT = 0.5", REAL])
def test_an_input_that_only_drips_is_not_waited_for_without_end(spool: Path, limits: str) -> None:
    hook = Silent(spool, b"x", limits)
    while hook.process.poll() is None:
        os.write(hook.pipe, b"x")
        sleep(0.1)

    assert (hook.process.returncode, {event.cut for event in kept(spool)}) == (0, {True})
    hook.close()


def test_an_input_that_comes_slowly_is_whole(spool: Path) -> None:
    hook = Silent(spool)
    for byte in PAYLOAD[:4]:
        sleep(0.4)
        os.write(hook.pipe, bytes([byte]))
    os.write(hook.pipe, PAYLOAD[4:])
    hook.close()

    assert hook.process.wait(ENOUGH) == 0
    assert [(event.payload, event.cut) for event in kept(spool)] == [(PAYLOAD, False)]


@pytest.mark.slow
def test_time_in_which_a_hook_does_not_run_is_no_waiting(spool: Path) -> None:
    hook = Silent(spool, PAYLOAD[:4])
    hook.wait_until_read()
    hook.process.send_signal(signal.SIGSTOP)
    sleep(PATIENCE + 2)
    hook.process.send_signal(signal.SIGCONT)
    os.write(hook.pipe, PAYLOAD[4:])
    hook.close()

    assert hook.process.wait(ENOUGH) == 0
    assert payloads(spool) == [PAYLOAD]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_hook_that_is_told_to_end_keeps_what_it_has(spool: Path, number: int) -> None:
    hook = Silent(spool, PAYLOAD)
    hook.wait_until_read()
    hook.process.send_signal(number)

    assert hook.process.wait(ENOUGH) == 0
    assert [(event.payload, event.cut) for event in kept(spool)] == [(PAYLOAD, True)]
    hook.close()


@pytest.mark.parametrize("blocking", [True, False])
def test_an_input_is_left_as_it_was(spool: Path, tmp_path: Path, blocking: bool) -> None:
    ours, theirs = os.pipe()
    os.set_blocking(ours, blocking)
    os.write(theirs, PAYLOAD)
    os.close(theirs)

    assert is_well(fire(spool, ours))
    assert os.get_blocking(ours) == blocking
    os.close(ours)


def test_an_input_that_does_not_wait_is_waited_for(spool: Path) -> None:
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    late = subprocess.Popen(["/bin/sh", "-c", "sleep 0.02; printf late"], stdout=theirs)
    os.close(theirs)

    assert is_well(fire(spool, ours))
    assert payloads(spool) == [b"late"]
    assert late.wait() == 0
    os.close(ours)


def test_a_huge_input_is_kept_in_part(spool: Path, tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"x" * (20 * MIB))
    with (tmp_path / "huge").open("rb") as stdin:
        assert is_well(fire(spool, stdin))

    (event,) = kept(spool)
    assert (len(event.payload), event.cut) == (LONGEST, True)


def test_the_longest_input_is_whole(spool: Path, tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"x" * LONGEST)
    with (tmp_path / "long").open("rb") as stdin:
        assert is_well(fire(spool, stdin))

    (event,) = kept(spool)
    assert (len(event.payload), event.cut) == (LONGEST, False)
