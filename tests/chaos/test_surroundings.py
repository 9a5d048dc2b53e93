"""Whatever happens around a watcher, each line is in its index once."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.chaos.scene import Scene
from tests.chaos.watching import Pen, Watching, ask, assert_each_line_once, can
from tests.cli.runs import process
from tests.conftest import REPOSITORY
from unspool.cli.config import now
from unspool.source.spool import append

_FAKE = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))), None)
_LIMITED = 'echo "$0" > /proc/sys/user/max_inotify_watches && exec "$@"'
_CLOSED = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")

needs_namespaces = pytest.mark.skipif(
    not can("unshare", "-Urm", "true"), reason="this machine makes no namespaces for us"
)
needs_faketime = pytest.mark.skipif(
    _FAKE is None and not os.environ.get("UNSPOOL_REQUIRE_FAKETIME"),
    reason="libfaketime is not installed",
)


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    made.store.close()
    yield made
    made.clean_up()


@needs_namespaces
def test_without_watches_left_files_are_polled_and_it_is_said(scene: Scene) -> None:
    names = [f"../{place}/s1" for place in "abcde"]
    pen = Pen(scene)
    pen.write(*names)
    with Watching(scene, "unshare", "-Ur", "sh", "-c", _LIMITED, "2") as watching:
        assert watching.says("Falling back to polling")
        assert "watch limit" in watching.said
        pen.write(*names, "../f/s1")
        assert watching.has_lines(pen.lines)

    assert ask(scene.home, "SELECT count(DISTINCT uuid) FROM lines") == pen.lines


@needs_namespaces
@pytest.mark.slow
def test_a_disk_that_is_unmounted_and_mounted_again_loses_nothing() -> None:
    command = ["unshare", "-Urm", sys.executable, "-m", "tests.chaos.mounted"]
    path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_root_that_appears_late_is_read_from_its_first_line(scene: Scene) -> None:
    root, away = Path(scene.root.path), scene.place / "away"
    root.rename(away)
    pen = Pen(scene)
    with Watching(scene) as watching:
        (away / "projects" / "p").mkdir(exist_ok=True)
        away.rename(root)
        pen.write("s1", times=3)
        assert watching.has_lines(3)
        pen.write("s1", "s2")
        assert watching.has_lines(5)

    assert_each_line_once(scene, pen.lines)


def test_a_root_that_is_moved_away_and_back_loses_nothing(scene: Scene) -> None:
    root, away = Path(scene.root.path), scene.place / "away"
    pen = Pen(scene)
    pen.write("s1", "s2", times=2)
    with Watching(scene) as watching:
        assert watching.has_lines(4)
        root.rename(away)
        assert watching.has_gone(2)
        away.rename(root)
        pen.write("s1")
        assert watching.has_lines(5)
        assert watching.has_gone(0)

    assert_each_line_once(scene, pen.lines)


def test_a_root_and_a_link_to_it_are_one(scene: Scene) -> None:
    link = scene.place / "link"
    link.symlink_to(scene.root.path)
    pen = Pen(scene)
    pen.write("s1", "s2")
    for root in (link, Path(scene.root.path), link):
        with Watching(scene, root=root) as watching:
            pen.write("s1")
            assert watching.has_lines(pen.lines)

    assert ask(scene.home, "SELECT count(*) FROM sources") == 2
    assert ask(scene.home, "SELECT count(DISTINCT uuid) FROM lines") == pen.lines


@pytest.mark.skipif(
    os.geteuid() != 0 or not can(*_CLOSED, "true"), reason="only root can give up its rights"
)
def test_a_root_that_is_closed_to_us_for_a_while_loses_nothing(scene: Scene) -> None:
    pen = Pen(scene)
    pen.write("s1", "s2")
    with Watching(scene, *_CLOSED) as watching:
        assert watching.has_lines(2)
        for place in (scene.project, Path(scene.root.projects)):
            place.chmod(0o000)
            pen.write("s1", "s2")  # by one who may
            place.chmod(0o700)
            pen.write("s2")
            assert watching.has_lines(pen.lines)
        assert watching.has_gone(0)

    assert_each_line_once(scene, pen.lines)


class Clock:
    """What a process takes for the time, by a file."""

    def __init__(self, scene: Scene) -> None:
        self._file = scene.place / "clock"
        self.set(0)
        self.env = {
            "LD_PRELOAD": str(_FAKE),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }

    def set(self, seconds: float) -> None:
        """Seconds before or after the real one."""
        self._file.write_text(f"{seconds:+.0f}")


@needs_faketime
def test_a_clock_that_is_set_back_and_forward_loses_nothing(scene: Scene) -> None:
    clock, spool, pen, events = Clock(scene), scene.home / "spool", Pen(scene), 0
    pen.write("s1")
    with Watching(scene, root=None, **clock.env) as watching:
        for days in (-3, +400, -1, 0):
            clock.set(days * 86_400)
            pen.write("s1", "s2", times=2)
            stop = f'{{"hook_event_name":"Stop","session_id":"s1","n":{events}}}'
            append(spool, [stop.encode()], scene.now + days * 86_400_000)
            events += 1
            assert watching.has_lines(pen.lines + events)
            assert ask(scene.home, "SELECT count(*) FROM hook_events") == events
        assert "Traceback" not in watching.said

    assert ask(scene.home, "SELECT count(DISTINCT uuid) FROM lines WHERE type <> 'hook'") == (
        pen.lines
    )


def spent_by_day(scene: Scene, zone: str) -> Counter[str]:
    said = process(
        "cost", "daily", "--json", TZ=zone, UNSPOOL_HOME=str(scene.home),
        CLAUDE_CONFIG_DIR=scene.root.path,
    )  # fmt: skip
    return Counter({row["date"]: row["outputTokens"] for row in json.loads(said.out)["daily"]})


@needs_faketime
@pytest.mark.parametrize("change", ["2026-03-29T01:00:00+00:00", "2026-10-25T01:00:00+00:00"])
def test_clocks_that_change_and_another_zone_lose_nothing(scene: Scene, change: str) -> None:
    """An hour that never is, one that is twice; then the machine is somewhere else."""
    clock, pen, written = Clock(scene), Pen(scene), list[datetime]()
    for zone, minutes in (
        ("Europe/Berlin", (-150, -61, -1, 1, 59, 61, 150)),
        ("America/New_York", (151, 300)),
        ("Asia/Kathmandu", (301, 1_290, 1_500)),
    ):
        with Watching(scene, root=None, **clock.env, TZ=zone) as watching:
            for minute in minutes:
                moment = datetime.fromisoformat(change) + timedelta(minutes=minute)
                clock.set(moment.timestamp() - now() / 1_000)
                pen.write("s1", "s2", start=f"{moment:%FT%T}.000Z")
                written += [moment] * 2
                stop = f'{{"hook_event_name":"Stop","session_id":"s1","n":{minute}}}'
                append(scene.home / "spool", [stop.encode()], int(moment.timestamp() * 1_000))
                assert watching.has_lines(len(written) * 3 // 2)
        assert "Traceback" not in watching.said

    ask_lines = "SELECT count(DISTINCT uuid) FROM lines WHERE type <> 'hook'"
    assert ask(scene.home, ask_lines) == pen.lines
    assert ask(scene.home, "SELECT count(*) FROM hook_events") == len(written) // 2
    for zone in ("Europe/Berlin", "America/New_York", "Asia/Kathmandu"):
        days = Counter(f"{one.astimezone(ZoneInfo(zone)):%F}" for one in written)
        assert spent_by_day(scene, zone) == days
