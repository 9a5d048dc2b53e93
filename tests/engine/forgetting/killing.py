"""`unspool forget` in a process of its own, which kills itself at one of its steps.

`python -m tests.engine.forgetting.killing STEP SESSION [compaction]`. A step is a statement, a
rename, a write or a sync; with `compaction`, those alone while the archive is rewritten, and
SQLite's own writes and syncs among them. With 0 it lives, and says how many there were.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import apsw

from tests.conftest import REPOSITORY
from unspool.cli import main as unspool
from unspool.store.sqlite.writing import writer

Phase: TypeAlias = Literal["", "compaction"]

_SYSTEM = apsw.vfs_names()[0]


def killed_after(step: int, session: str, phase: Phase = "") -> subprocess.CompletedProcess[str]:
    """Have a process forget a session, and die at a step."""
    path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
    return subprocess.run(
        [sys.executable, "-m", "tests.engine.forgetting.killing", str(step), session, phase],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def count_steps(home: Path, copy: Path, session: str, phase: Phase = "") -> int:
    """How many steps it has; afterwards the home is as before, and so is its copy."""
    shutil.copytree(home, copy)
    done = killed_after(0, session, phase)
    assert done.returncode == 0, done.stderr
    _put_back(home, copy)
    return int(done.stderr.split("steps ")[1])


def killed_at(
    points: Iterable[int], home: Path, copy: Path, session: str, phase: Phase = ""
) -> Iterator[int]:
    """Each of some steps, once a process has died there; then the home is as before again."""
    for point in points:
        done = killed_after(point, session, phase)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        yield point
        _put_back(home, copy)


def _put_back(home: Path, copy: Path) -> None:
    shutil.rmtree(home)
    shutil.copytree(copy, home)


class _Steps:
    """Counts what the process does, and kills it at the last step it may do."""

    def __init__(self, last: int, *, is_counting: bool) -> None:
        self.count, self._last, self._is_counting = 0, last, is_counting

    def __call__(self, *_: object) -> bool:
        if self._is_counting:
            self.count += 1
            if self.count == self._last:
                os.kill(os.getpid(), signal.SIGKILL)
        return True

    def before(self, do: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, as a step."""

        def doing(*given: Any, **more: Any) -> Any:
            self()
            return do(*given, **more)

        return doing

    def within(self, do: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, in which alone steps count."""

        def doing(*given: Any) -> Any:
            self._is_counting = True
            try:
                return do(*given)
            finally:
                self._is_counting = False

        return doing


class _File(apsw.VFSFile):
    def __init__(self, steps: _Steps, name: Any, flags: list[int]) -> None:
        self._steps = steps
        super().__init__(_SYSTEM, name, flags)

    def xLock(self, level: int) -> None:
        try:
            super().xLock(level)
        except apsw.IOError as error:  # to close it last, what is open for reading alone
            raise apsw.BusyError from error

    def xWrite(self, data: bytes, offset: int) -> None:
        self._steps()
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:
        self._steps()
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:
        self._steps()
        super().xSync(flags)


class _Vfs(apsw.VFS):
    def __init__(self, steps: _Steps) -> None:
        self._steps = steps
        super().__init__("steps", _SYSTEM, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> _File:
        return _File(self._steps, name, flags)


def main(last: int, session: str, phase: str) -> None:
    """Forget it."""
    steps = _Steps(last, is_counting=not phase)
    for name in ("replace", "unlink", "fsync", "pwrite", "write"):
        setattr(os, name, steps.before(getattr(os, name)))
    apsw.connection_hooks.append(lambda one: setattr(one, "exec_trace", steps))
    vfs = _Vfs(steps) if phase else None
    if phase:
        vars(writer)["compact"] = steps.within(vars(writer)["compact"])
    code = unspool(["forget", session, "--yes"])
    sys.stdout.flush()
    print("steps", steps.count, file=sys.stderr)
    del vfs
    os._exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:4])
