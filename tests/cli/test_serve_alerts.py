"""Alerts of a running server: sent once, by the process that has the board."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.receivers import receiving
from tests.cli.servings import Serving, serving
from tests.waiting import until
from unspool.cli import config
from unspool.demo import Transcript


def test_a_server_sends_alerts_without_any_page_open(tmp_path: Path) -> None:
    talk = Transcript(session="s", start=config.local_now().isoformat()).user("go")
    with receiving() as receiver:
        home = config.unspool_home()
        home.mkdir(parents=True)
        rules = f"[[alerts]]\nwhen = 'error'\n[notify]\nwebhook = '{receiver.url}'\nkinds = []\n"
        (home / "unspool.toml").write_text(rules)
        talk.save(tmp_path)
        with serving(tmp_path) as server:

            def fails() -> bool:
                """Once more, as nobody says when the board has begun."""
                talk.calls("Bash", command="x").returns("no", failed=True).save(tmp_path)
                return until(lambda: receiver.posts, 1)

            assert until(fails)
            writers = [one for one in _children(server) if "watch" in one]
            server.end()

    assert {json.loads(post.body)["rule"] for post in receiver.posts} == {"error"}
    assert [one for one in writers if "--no-alerts" in one] == writers != []


def _children(server: Serving) -> list[list[str]]:
    """The command lines of its children; none where the system does not tell."""
    if not sys.platform.startswith("linux"):
        pytest.skip("children are listed below /proc")
    tasks = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    pids = [pid for task in tasks for pid in task.read_text().split()]
    return [Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid in pids]
