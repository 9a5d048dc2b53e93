"""Runs of the command for tests: in this process, or in one of its own."""

import itertools
import json
import os
import re
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
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
    return terminal_said(*args, columns=columns, **env).out


# Every command in one process, with a line before each that no command writes.
_BATCH = """
import json, sys
from unspool.cli import main
for number, command in enumerate(json.loads(sys.argv[1])):
    print(f"\\0{number}", flush=True)
    main(command)
    sys.stdout.flush()
"""


def terminal_batch(*commands: Sequence[str | Path], columns: int = 80) -> list[str]:
    """Run commands one after the other in one process, on a terminal; what each shows."""
    words = [[str(word) for word in command] for command in commands]
    shown = _on_terminal(["-c", _BATCH, json.dumps(words)], columns, {}).out
    _, *said = re.split(r"\0\d+\n", shown)
    assert len(said) == len(commands)
    return said


def terminal_said(*args: str | Path, columns: int = 80, **env: str) -> Said:
    """The same with its exit code; a terminal shows errors among the output."""
    with own_roots(args):
        return _on_terminal(["-m", "unspool", *map(str, args)], columns, env)


def _on_terminal(args: Sequence[str], columns: int, env: Mapping[str, str]) -> Said:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    # Nobody presses a key here: a pager would wait for one.
    mine = {"PYTHONPATH": str(SOURCE), "TERM": "xterm", "PAGER": "cat"}
    around = {**os.environ, **mine, **env}
    command = [sys.executable, *args]
    with subprocess.Popen(command, env=around, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        shown = b"".join(iter(lambda: _next(ours), b""))
    os.close(ours)
    return Said(child.returncode, shown.decode().replace("\r\n", "\n"), "")


def _next(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that nobody writes any more
        return b""


def answered(word: str, *args: str) -> tuple[int, bytes]:
    """Run on a terminal, and answer its question: the exit code, and what was shown before it."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "unspool", *args]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as asked:
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(ours, 4_096)
        os.write(ours, word.encode())
        os.close(theirs)
        code = asked.wait()
    os.close(ours)
    return code, shown


def process(*args: str | Path, **env: str) -> Said:
    """Run `python -m unspool`."""
    command = [sys.executable, "-m", "unspool", *map(str, args)]
    with own_roots(args):
        around = {**os.environ, "PYTHONPATH": str(SOURCE), **env}
    done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
    return Said(done.returncode, done.stdout, done.stderr)
