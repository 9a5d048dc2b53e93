"""However the rewriting of the archive dies, what was forgotten is gone and all else there once."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.chaos.scene import Scene
from tests.engine.forgetting.killing import count_steps, killed_at
from unspool.cli.config import open_stores
from unspool.demo import Transcript
from unspool.model.query import TextQuery, TotalsQuery

KILLS = int(os.environ.get("UNSPOOL_KILLS", "200"))
GONE, LINES = "gone", 40


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """Three sessions, one of which is in the archive alone."""
    made, chance = Scene(), Random(7)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", made.root.path)
    monkeypatch.setenv("UNSPOOL_HOME", str(made.home))
    for name in (GONE, "s1", "s2"):
        for number in range(LINES):
            line = Transcript(session=name, uuid_prefix=f"{name}{number}-")
            line.says(f"wörd {chance.randbytes(1_000).hex()}", id=f"msg-{name}-{number}")
            with open(made.path(name), "ab") as file:
                file.write(line.bytes())
        made.sweep(quiet=True)
    made.path(GONE).unlink()
    made.sweep(quiet=True)
    made.store.close()
    yield made
    made.clean_up()


def assert_that_alone_is_gone(scene: Scene, told: dict[tuple[int, int, int, int], bytes]) -> None:
    with open_stores().reading():
        pass  # the next process ends what was begun
    scene.open()
    gone = {place for place, line in told.items() if b'"sessionId":"gone"' in line}
    scene.told = {place: line for place, line in told.items() if place not in gone}
    scene.sweep(quiet=True)
    assert len(gone) == LINES
    assert [place for place in gone if scene.store.raw(*place) is not None] == []
    scene.assert_nothing_is_lost()
    scene.assert_all_is_counted()
    scene.assert_sound()
    hits = scene.store.search(TextQuery(terms="wörd", limit=10**6))
    spent = sum(total.responses for total in scene.store.totals(TotalsQuery()))
    assert (len(hits), spent) == (len(scene.told), len(scene.told))
    scene.store.close()


@pytest.mark.parametrize("count", [5, pytest.param(KILLS // 4, marks=pytest.mark.slow)])
def test_a_death_while_the_archive_is_rewritten_loses_and_doubles_nothing(
    scene: Scene, tmp_path: Path, count: int
) -> None:
    told, copy = dict(scene.told), tmp_path / "before"
    steps = count_steps(scene.home, copy, GONE, "compaction")
    points = range(1, steps + 1, max(1, steps // count))

    assert len(points) >= 5
    for _ in killed_at(points, scene.home, copy, GONE, "compaction"):
        assert_that_alone_is_gone(scene, told)
