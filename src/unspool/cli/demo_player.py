"""The process beside a demo that lets its sessions run.

    python -m unspool.cli.demo_player DIR

It ends with the process that started it.
"""

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from threading import Event

from unspool.cli import config
from unspool.cli.demo_quota import demo_home, record_demo_quota
from unspool.cli.idle_processes import idle_processes
from unspool.demo.script.files import Stage
from unspool.demo.script.player import play
from unspool.demo.stories.running_sessions import RUNNING
from unspool.source import prices
from unspool.system.signals import end_with_parent

_EVERY = 20.0  # seconds


def run(args: list[str]) -> int:
    """Let the stories of the demo run in a directory, until nothing is left to tell."""
    with idle_processes(len(RUNNING)) as pids:
        stage = Stage(Path(args[0]), json.loads(prices.bundled()))
        rest = _recording(demo_home(stage.root), time.sleep)
        play(stage, RUNNING, pids, lambda: config.local_now().astimezone(UTC), rest)
        Event().wait()  # a player that ended would be started again, and begin again
    return 0


def _recording(home: Path, sleep: Callable[[float], None]) -> Callable[[float], None]:
    """Sleep, and now and then record what is used of the usage limits."""

    def rest(seconds: float) -> None:
        while seconds > 0:
            record_demo_quota(home, config.local_now())
            sleep(min(seconds, _EVERY))
            seconds -= _EVERY

    return rest


if __name__ == "__main__":
    end_with_parent()
    sys.exit(run(sys.argv[1:]))
