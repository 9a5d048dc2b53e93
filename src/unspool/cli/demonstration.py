"""A root that was made up, in a place that goes away again, with sessions running in it."""

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
        """Delete all of it, now."""
        self.player.kill()
        for _ in range(_TRIES):  # its writer may still be busy
            shutil.rmtree(self.root.parent, ignore_errors=True)
            if not self.root.parent.exists():
                break


@contextmanager
def demonstration(stop: Shutdown) -> Iterator[Demonstration]:
    """A root with live sessions; for as long as it lasts, unspool's own files are beside it."""
    place = Path(tempfile.mkdtemp(prefix="unspool-demo-"))
    before = os.environ.get("UNSPOOL_HOME")
    os.environ["UNSPOOL_HOME"] = str(place / "home")
    table: dict[str, Any] = json.loads(prices.bundled())
    root = place / "claude"
    player = Supervisor(
        ["gen", str(root), "--live", "--seconds", _SECONDS, "--sessions", _SESSIONS]
    )
    made = Demonstration(root, player)
    try:
        stop.ends(player)
        stop.cleans(made.remove)
        generate(root, mb=_MB, seed=1, prices=table)
        player.start()
        yield made
    finally:
        player.join()
        if before is None:
            del os.environ["UNSPOOL_HOME"]
        else:
            os.environ["UNSPOOL_HOME"] = before
        made.remove()
