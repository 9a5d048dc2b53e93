"""However and whenever the process dies, no line is lost and none comes twice."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.chaos.scene import Scene
from tests.chaos.writer import Writer
from tests.conftest import REPOSITORY
from tests.waiting import has_open, until
from unspool.demo import Transcript
from unspool.model.query import TextQuery, TotalsQuery

KILLS = int(os.environ.get("UNSPOOL_KILLS", "200"))
POINTS = ["before raw", "after raw", "inside index", "at commit", "after index"]
MERGING = ["before merge", "inside merge", "after merge"]
REBUILDING = ["inside new index", "at new commit", "at swap", "inside swap", "after swap"]


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    made.store.close()
    yield made
    made.clean_up()


class Forks:
    """Processes that index a scene, one at a time."""

    def __init__(self, scene: Scene, point: str = "") -> None:
        child = "tests.chaos.child"
        command = [sys.executable, "-m", child, str(scene.home), scene.root.path]
        path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
        self._server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path, "UNSPOOL_KILL_POINT": point},
            start_new_session=True,
        )

    def __enter__(self) -> "Forks":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def begin(self, how: str = "alone") -> int:
        """Have one begin; its pid."""
        assert self._server.stdin
        self._server.stdin.write(f"{how}\n")
        self._server.stdin.flush()
        return self._told()

    def ended(self) -> int:
        """Wait for its end; its exit code, or the signal it died of."""
        return self._told()

    def _told(self) -> int:
        assert self._server.stdout
        return int(self._server.stdout.readline())

    def left(self) -> int:
        """How many processes of this server's session are still there, itself included."""
        return sum(_session(pid) == self._server.pid for pid in map(int, _pids()))


def _pids() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()]


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def assert_each_line_once(scene: Scene, writer: Writer) -> None:
    scene.open()
    scene.sweep(quiet=True)
    scene.assert_nothing_is_lost()
    scene.assert_sound()
    hits = scene.store.search(TextQuery(limit=10**6))
    spent = sum(total.responses for total in scene.store.totals(TotalsQuery()))

    assert (len(hits), len({hit.line_id for hit in hits}), spent) == (writer.written,) * 3
    for number in range(1, writer.written, max(1, writer.written // 50)):
        assert len(scene.store.search(TextQuery(terms=f"wörd{number}"))) == 1


@pytest.mark.slow
def test_no_line_is_lost_and_none_comes_twice_however_often_the_process_dies(scene: Scene) -> None:
    chance = Random(KILLS)
    paths = [scene.path(f"s{number}") for number in range(4)]
    with Forks(scene) as forks, Writer(paths, seed=KILLS) as writer:
        for _ in range(KILLS):
            pid = forks.begin(chance.choice(["alone", "alone", "together"]))
            sleep(chance.uniform(0.002, 0.16))
            os.kill(pid, signal.SIGKILL)

            assert forks.ended() == -signal.SIGKILL
    assert_each_line_once(scene, writer)


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("point", [*POINTS, *MERGING])
def test_death_at_this_point_loses_nothing_and_doubles_nothing(
    scene: Scene, point: str, count: int
) -> None:
    paths = [scene.path("s1"), scene.path("s2")]
    with Forks(scene, f"{point}:{count}") as forks, Writer(paths, seed=count) as writer:
        forks.begin()

        assert forks.ended() == -signal.SIGKILL
    assert_each_line_once(scene, writer)


@pytest.mark.parametrize("point", REBUILDING)
def test_death_while_the_index_is_rebuilt_loses_nothing(scene: Scene, point: str) -> None:
    paths = [scene.path("s1"), scene.path("s2")]
    with Forks(scene, point) as forks, Writer(paths, seed=3) as writer:
        forks.begin("rebuild")

        assert forks.ended() == -signal.SIGKILL
    assert_each_line_once(scene, writer)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["rebuild", "merge"])
def test_no_line_is_lost_however_often_a_rebuild_or_a_merge_dies(scene: Scene, how: str) -> None:
    chance = Random(KILLS)
    paths = [scene.path(f"s{number}") for number in range(4)]
    with Forks(scene, "a merge:0") as forks, Writer(paths, seed=KILLS) as writer:
        for _ in range(KILLS // 4):
            pid = forks.begin("rebuild" if how == "rebuild" else "alone")
            sleep(chance.uniform(0.01, 0.3))
            os.kill(pid, signal.SIGKILL)

            assert forks.ended() == -signal.SIGKILL
    assert_each_line_once(scene, writer)


def test_what_is_indexed_outlives_its_file_and_a_death(scene: Scene) -> None:
    """Rows whose bytes nobody has any more would be a loss: the archive comes first."""
    path = scene.path("s1")
    path.write_bytes(Transcript().user("héllo").says("bye").bytes() + b"not a line\n")
    with Forks(scene, "after index") as forks:
        forks.begin()

        assert forks.ended() == -signal.SIGKILL
    path.unlink()
    scene.open()

    scene.assert_rows_have_their_bytes()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc to see in what it does")
@pytest.mark.parametrize("how", ["alone", "together"])
def test_an_interrupt_leaves_an_index_that_can_go_on(scene: Scene, how: str) -> None:
    with Forks(scene) as forks, Writer([scene.path("s1")], seed=2) as writer:
        pid = forks.begin(how)
        assert until(lambda: has_open(pid, "index.db"))
        os.kill(pid, signal.SIGINT)

        assert forks.ended() == 1
    assert_each_line_once(scene, writer)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no /proc to count processes in")
def test_workers_end_when_their_parent_is_killed(scene: Scene) -> None:
    with Writer([scene.path("s1")], seed=1), Forks(scene) as forks:
        pid = forks.begin("together")
        assert until(lambda: has_open(pid, "index.db"))
        os.kill(pid, signal.SIGKILL)
        forks.ended()

        assert until(lambda: forks.left() == 1)
