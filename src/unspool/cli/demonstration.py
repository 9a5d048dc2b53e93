"""A temporary root of made-up sessions, some of them running."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from unspool.cli.supervisor import Shutdown, Supervisor
from unspool.demo import generate
from unspool.source import prices

_MB: Final = 6.0
_SECONDS, _SESSIONS = "600", "6"
_TRIES: Final = 100


class Demonstration(NamedTuple):
    """The root, and the process that plays sessions in it."""

    root: Path
    player: Supervisor

    def remove(self) -> None:
        """Delete all files."""
        self.player.kill()
        for _ in range(_TRIES):  # its writer may still be running
            shutil.rmtree(self.root.parent, ignore_errors=True)
            if not self.root.parent.exists():
                break


@contextmanager
def demonstration(stop: Shutdown) -> Iterator[Demonstration]:
    """A root with live sessions; meanwhile UNSPOOL_HOME is beside it."""
    place = Path(tempfile.mkdtemp(prefix="unspool-demo-"))
    before = os.environ.get("UNSPOOL_HOME")
    os.environ["UNSPOOL_HOME"] = str(place / "home")
    table: dict[str, Any] = json.loads(prices.bundled())
    root = place / "claude"
    player = Supervisor(
        ["gen", str(root), "--live", "--seconds", _SECONDS, "--sessions", _SESSIONS]
    )
    demo = Demonstration(root, player)
    try:
        stop.add_child(player)
        stop.add_cleanup(demo.remove)
        generate(root, mb=_MB, seed=1, prices=table)
        player.start()
        yield demo
    finally:
        player.join()
        if before is None:
            del os.environ["UNSPOOL_HOME"]
        else:
            os.environ["UNSPOOL_HOME"] = before
        demo.remove()
