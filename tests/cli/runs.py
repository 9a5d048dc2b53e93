"""Runs of the command for tests: in this process, or in one of its own."""

import itertools
import os
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from unspool.cli import main
from unspool.cli.config import open_stores
from unspool.engine.stores import Stores

SOURCE = Path(__file__).parents[2] / "src"


@contextmanager
def own_roots(args: Sequence[str | Path]) -> Iterator[None]:
    """The user's own roots are those a test names with --root, unless it says otherwise.

    Other roots would have an index of their own, and most tests look at the user's.
    """
    pairs = itertools.pairwise(map(str, args))
    named = [os.path.abspath(value) for option, value in pairs if option == "--root"]
    if not named or "CLAUDE_CONFIG_DIR" in os.environ:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUDE_CONFIG_DIR", ",".join(named))
        yield


def stores_of(*places: Path) -> Stores:
    """The index of the user's own roots, which are these."""
    named = [str(place) for place in places]
    with own_roots([part for place in named for part in ("--root", place)]):
        return open_stores(named)


class Said(NamedTuple):
    code: int
    out: str
    err: str


def here(capsys: pytest.CaptureFixture[str], *args: str | Path) -> Said:
    """Run in this process."""
    capsys.readouterr()
    with own_roots(args):
        code = main([str(arg) for arg in args])
    return Said(code, *capsys.readouterr())


def terminal(*args: str | Path, columns: int = 80, **env: str) -> str:
    """Run `python -m unspool` on a terminal of its own; what it shows."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    with own_roots(args):
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
    with own_roots(args):
        around = {**os.environ, "PYTHONPATH": str(SOURCE), **env}
    done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
    return Said(done.returncode, done.stdout, done.stderr)
