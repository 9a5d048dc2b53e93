"""A temporary root with the stories of the demo, some of them running."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from unspool.cli import config
from unspool.cli.demo_quota import demo_home, record_demo_quota
from unspool.cli.demo_tour import tour_links
from unspool.cli.supervisor import Shutdown, Supervisor
from unspool.demo.script.files import Stage
from unspool.demo.script.root import write_past
from unspool.demo.stories import PAST
from unspool.show.html.shell import TourLink
from unspool.source import prices

_PLAYER: Final = "unspool.cli.demo_player"
_TRIES: Final = 100


class Demonstration(NamedTuple):
    """The root, the process that plays sessions in it, and what to look at."""

    root: Path
    player: Supervisor
    tour: tuple[TourLink, ...] = ()

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
    player = Supervisor([str(root)], module=_PLAYER)
    demo = Demonstration(root, player)
    try:
        stop.add_child(player)
        stop.add_cleanup(demo.remove)
        now = config.local_now()
        runs = write_past(Stage(root, table), PAST, now)
        record_demo_quota(demo_home(root), now)
        player.start()
        yield demo._replace(tour=tour_links(runs))
    finally:
        player.join()
        if before is None:
            del os.environ["UNSPOOL_HOME"]
        else:
            os.environ["UNSPOOL_HOME"] = before
        demo.remove()
