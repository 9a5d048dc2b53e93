"""A power cut takes the end of what was written last, of either file, wherever it likes."""

import os
import shutil
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from random import Random

import pytest

from tests.chaos.scene import Scene
from tests.engine.indexing.views import tables
from unspool.demo import Transcript

CUTS = int(os.environ.get("UNSPOOL_CUTS", "200"))
LOGS = ("index.db-wal", "raw.db-wal")


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    for number in range(30):
        path = made.path(f"s{number % 3}")
        with open(path, "ab") as file:
            file.write(Transcript(uuid_prefix=f"{number}-").says(f"word{number}").bytes())
        made.sign(path)
        made.sweep(quiet=True)
    yield made
    made.clean_up()


def survives(scene: Scene, chance: Random, place: Path) -> None:
    """Cut the logs of a copy, begin again there, and find everything as it was."""
    before = tables(scene.store)
    shutil.copytree(scene.place / "home", place, ignore=shutil.ignore_patterns("*-shm"))
    for log in chance.choice([LOGS[:1], LOGS[1:], LOGS]):
        os.truncate(place / log, chance.randrange((place / log).stat().st_size))
    again = copy(scene)
    again.home = place
    again.open()
    try:
        again.sweep(quiet=True)
        again.assert_sound()
        again.assert_nothing_is_lost()
        assert tables(again.store) == before
    finally:
        again.store.close()
        shutil.rmtree(place)


def test_after_a_power_cut_nothing_is_missing_and_nothing_comes_twice(
    scene: Scene, tmp_path: Path
) -> None:
    for cut in range(5):
        survives(scene, Random(cut), tmp_path / str(cut))


@pytest.mark.slow
def test_after_any_power_cut_nothing_is_missing_and_nothing_comes_twice(
    scene: Scene, tmp_path: Path
) -> None:
    for cut in range(CUTS):
        survives(scene, Random(1000 + cut), tmp_path / str(cut))
