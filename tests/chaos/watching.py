"""`unspool index watch` on a scene, in whatever surroundings, and what its index has by then."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.chaos.scene import Scene
from tests.conftest import REPOSITORY
from tests.waiting import until
from unspool.demo import Transcript
from unspool.errors import UnspoolError
from unspool.store.sqlite.store import SqliteStore

_LINES = "SELECT count(*) FROM lines WHERE NOT superseded"
_ONE = {"input_tokens": 0, "output_tokens": 1}
_GONE = "SELECT count(*) FROM sources WHERE gone_at IS NOT NULL"


class Watching:
    """One process that watches; `around` is what starts it, as `unshare`."""

    def __init__(self, scene: Scene, *around: str, root: Path | None = None, **env: str) -> None:
        self._scene = scene
        self._log = scene.place / "watch.log"
        environment = {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY / "src"),
            "UNSPOOL_HOME": str(scene.home),
            "CLAUDE_CONFIG_DIR": str(root or scene.root.path),
            **env,
        }
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                [*around, sys.executable, "-m", "unspool", "index", "watch"],
                env=environment,
                stdout=log,
                stderr=log,
            )

    def __enter__(self) -> "Watching":
        assert self.says("Watching ")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()

    @property
    def said(self) -> str:
        return self._log.read_text()

    def says(self, text: str) -> bool:
        """Wait until it says something."""
        return until(lambda: text in self.said or self._process.poll() is not None) and (
            text in self.said
        )

    def has_lines(self, count: int) -> bool:
        """Wait until the index has so many lines."""
        return until(lambda: ask(self._scene.home, _LINES) == count)

    def has_gone(self, count: int) -> bool:
        """Wait until the index knows of so many files that are gone."""
        return until(lambda: ask(self._scene.home, _GONE) == count)


def ask(home: Path, question: str) -> Any:
    """A number from an index; None as long as there is none."""
    try:
        store = SqliteStore(home, mode="ro")
    except UnspoolError:
        return None
    try:
        return store.sql(question)[1][0][0]
    except UnspoolError:
        return None
    finally:
        store.close()


class Pen:
    """Appends lines to the sessions of a scene, each other than all before."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.lines = 0

    def write(self, *names: str, times: int = 1, start: str = "2026-01-01T00:00:00.000Z") -> None:
        """Some lines to each of these sessions, each a response of one token."""
        for name in names:
            path = self._scene.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "ab") as file:
                for _ in range(times):
                    self.lines += 1
                    made = Transcript(uuid_prefix=f"{self.lines}-", start=start)
                    made.says(f"wörd{self.lines}", id=f"msg-{self.lines}", usage=_ONE)
                    file.write(made.bytes())


def assert_each_line_once(scene: Scene, count: int) -> None:
    """The index as it was left has each line of each file once, and there are so many."""
    scene.open()
    scene.compare(quiet=False)
    scene.assert_nothing_is_lost()
    scene.assert_sound()
    ((lines,),) = scene.store.sql("SELECT count(*) FROM lines WHERE NOT superseded")[1]
    assert lines == count


def can(*command: str) -> bool:
    """Whether this machine lets us do something."""
    if not shutil.which(command[0]):
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
