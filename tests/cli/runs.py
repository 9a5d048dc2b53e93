"""Runs of the command for tests: in this process, or in one of its own."""

import os
import subprocess
import sys
import termios
from pathlib import Path
from typing import NamedTuple

import pytest

from unspool.cli import main

SOURCE = Path(__file__).parents[2] / "src"


class Said(NamedTuple):
    code: int
    out: str
    err: str


def here(capsys: pytest.CaptureFixture[str], *args: str | Path) -> Said:
    """Run in this process."""
    capsys.readouterr()
    code = main([str(arg) for arg in args])
    return Said(code, *capsys.readouterr())


def terminal(*args: str | Path, columns: int = 80, **env: str) -> str:
    """Run `python -m unspool` on a terminal of its own; what it shows."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    around = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm", **env}
    command = [sys.executable, "-m", "unspool", *map(str, args)]
    with subprocess.Popen(command, env=around, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b"".join(iter(lambda: _next(ours), b""))
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def _next(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that nobody writes any more
        return b""


def process(*args: str | Path, **env: str) -> Said:
    """Run `python -m unspool`."""
    command = [sys.executable, "-m", "unspool", *map(str, args)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE), **env}
    done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
    return Said(done.returncode, done.stdout, done.stderr)
