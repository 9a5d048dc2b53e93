"""Whatever happens around a watcher, each line is in its index once."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.scene import Scene
from tests.chaos.watching import Pen, Watching, ask, assert_each_line_once, can
from tests.conftest import REPOSITORY
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


@needs_faketime
def test_a_clock_that_is_set_back_and_forward_loses_nothing(scene: Scene) -> None:
    assert _FAKE
    clock = scene.place / "clock"
    clock.write_text("+0d")
    spool, pen, events = scene.home / "spool", Pen(scene), 0
    pen.write("s1")
    with Watching(
        scene,
        LD_PRELOAD=str(_FAKE),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_NO_CACHE="1",
        FAKETIME_DONT_FAKE_MONOTONIC="1",
        NO_FAKE_STAT="1",
    ) as watching:
        for days in (-3, +400, -1, 0):
            clock.write_text(f"{days:+}d")
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
