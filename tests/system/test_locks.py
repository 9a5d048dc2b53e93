import os
import subprocess
import sys
from pathlib import Path

import pytest

from unspool.system import locks
from unspool.system.files import open_file
from unspool.system.locks import lock, open_for_lock

SOURCE = Path(locks.__file__).parents[2]
STARTER = Path(__file__).parents[1] / "e2e" / "portable"
HOLD = """
import os, sys
from unspool.system.files import open_file
from unspool.system.locks import lock, open_for_lock
place = sys.argv[1]
fd = open_for_lock(place) if os.path.isdir(place) else open_file(place, os.O_RDWR | os.O_CREAT)
try:
    lock(fd)
except BlockingIOError:
    print("taken", flush=True)
    lock(fd, wait=True)
print("ours", flush=True)
os.write(fd, b"1234\\n") if not os.path.isdir(place) else None
sys.stdin.read()
"""


@pytest.fixture(params=["flock", "msvcrt"])
def env(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment of processes that lock in one way or the other."""
    path = [STARTER, SOURCE] if request.param == "msvcrt" else [SOURCE]
    named = os.pathsep.join(map(str, path))
    return {**os.environ, "PYTHONPATH": named, "UNSPOOL_TEST_PORTABLE": "1"}


def holder(place: Path, env: dict[str, str]) -> "subprocess.Popen[str]":
    command, pipe = [sys.executable, "-c", HOLD, str(place)], subprocess.PIPE
    return subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True)


def line(child: "subprocess.Popen[str]") -> str:
    assert child.stdout
    return child.stdout.readline().strip()


@pytest.mark.parametrize("name", ["", "file"])
def test_one_process_has_a_lock_and_the_next_waits_until_it_ends(
    tmp_path: Path, env: dict[str, str], name: str
) -> None:
    with holder(tmp_path / name, env) as first:
        assert line(first) == "ours"
        with holder(tmp_path / name, env) as second:
            assert line(second) == "taken"
            first.kill()

            assert line(second) == "ours"
            second.kill()


def test_what_the_holder_writes_can_be_read(tmp_path: Path, env: dict[str, str]) -> None:
    with holder(tmp_path / "file", env) as child:
        line(child)

        assert (tmp_path / "file").read_bytes() in (b"", b"1234\n")
        child.communicate("")
        assert (tmp_path / "file").read_bytes() == b"1234\n"


def test_a_system_without_any_lock_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_fcntl", None)
    fd, other = open_for_lock(str(tmp_path)), open_file(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    lock(fd)
    lock(other, wait=True)
    os.close(fd)
    os.close(other)

    assert sorted(os.listdir(tmp_path)) == [".unspool.lock", "file"]
