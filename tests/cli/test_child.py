import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.made import root
from tests.cli.runs import SOURCE


def started(*args: str | Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "unspool.cli.child", *map(str, args)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=around, stdin=pipe, stdout=pipe, text=True)


def test_it_is_the_command_it_was_told_to_be() -> None:
    with started("--version") as child:
        assert child.stdout

        assert child.stdout.read().startswith("unspool ")
        assert child.wait(60) == 0


def test_it_ends_when_nobody_holds_the_other_end(tmp_path: Path) -> None:
    with started("index", "watch", "--root", root(tmp_path)) as child:
        assert child.stdout
        assert child.stdin
        assert "Watching" in child.stdout.readline()
        child.stdin.close()

        assert child.wait(60) == 0


def test_it_ends_where_nobody_held_it_from_the_start(tmp_path: Path) -> None:
    with started("gen", tmp_path / "made", "--live", "--seconds", "600") as child:
        assert child.stdin
        child.stdin.close()

        assert child.wait(60) == -signal.SIGTERM


def test_what_is_said_to_it_is_no_reason_to_end(tmp_path: Path) -> None:
    with started("index", "watch", "--root", root(tmp_path)) as child:
        assert child.stdout
        assert child.stdin
        child.stdout.readline()
        child.stdin.write("hello\n")
        child.stdin.flush()

        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.5)
        child.terminate()
