"""One answer at every step: a root is written at random, and all surfaces are asked."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.e2e.cases import PROJECT
from tests.e2e.processes import ProcessWorkspace
from tests.e2e.surface_fields import Json, Key
from tests.e2e.surfaces import MOST, asked
from tests.e2e.walk import ANYTHING, GROWING, Walk, faults
from tests.serve.served import Served

FEW, MANY = 20, 200  # steps
# In 20 steps each way is taken once at least.
SHORT: Final = [(GROWING, 1), (ANYTHING, 1), (ANYTHING, 2)]
# Where no seed is given, chance gives one.
BY_CHANCE: Final = pytest.param(
    (ANYTHING, None),
    marks=pytest.mark.skipif("CI" in os.environ, reason="a red build has to be red again"),
)
LONG: Final = [(GROWING, 200), (ANYTHING, 200), BY_CHANCE]


def check_processes(walk: Walk, opened: Collection[Key] | int, *, alone: bool = True) -> None:
    """Commands in processes of their own and a real server answer as this process does."""
    more: Json = {"bare": not walk.lost, "opened": opened, "alone": None if alone else ()}
    real = asked(ProcessWorkspace.of(walk.workspace), **more)

    assert real == asked(walk.workspace, **more)


def check_walk(place: Path, ways: tuple[str, ...], seed: int, steps: int) -> None:
    """Whatever is written, all say the same after each step; of what it touched, all of it."""
    walk, story = Walk(place, seed), ["begin"]
    is_long = steps == MANY  # by process, a session takes as long as a step
    check_processes(walk, MOST if is_long else (), alone=is_long)
    for way in walk.plan(ways, steps):
        story.append(walk.step((way,)))
        found = asked(walk.workspace, bare=not walk.lost, opened=walk.asked, alone=walk.told)

        assert faults(walk, found) == {}, (seed, story)
    check_processes(walk, MOST if is_long else walk.asked, alone=is_long)
    assert set(story) >= set(ways), (seed, story)


def named(walk: tuple[tuple[str, ...], int | None]) -> str:
    ways, seed = walk
    return f"{'anything happens' if ways is ANYTHING else 'sessions grow'} {seed or 'by chance'}"


@pytest.mark.parametrize("walk", SHORT, ids=named)
def test_whatever_is_written_all_surfaces_give_one_answer(
    tmp_path: Path, walk: tuple[tuple[str, ...], int]
) -> None:
    check_walk(tmp_path, *walk, FEW)


@pytest.mark.slow(first=True)
@pytest.mark.parametrize("walk", LONG, ids=named)
def test_however_long_it_goes_on_all_surfaces_give_one_answer(
    tmp_path: Path, walk: tuple[tuple[str, ...], int | None]
) -> None:
    ways, seed = walk

    check_walk(tmp_path, ways, Random().randrange(10**9) if seed is None else seed, MANY)


def answers(site: Served, sessions: Iterable[str]) -> list[Json]:
    """The document and the events of each session."""
    paths = (f"/api/sessions/{PROJECT}/{name}" for name in sessions)
    events = (f"/api/sessions/{name}/events?limit=500" for name in sessions)
    return [site.ask(path).json() for path in (*paths, *events)]


def test_a_server_that_was_there_says_what_one_that_starts_says(tmp_path: Path) -> None:
    walk = Walk(tmp_path, 5)
    walk.workspace.index()
    with walk.workspace.served(Served) as kept:
        for number in range(20):
            walk.step(GROWING)
            walk.workspace.index()
            grown = answers(kept, walk.sessions)
            if number % 5 == 4:
                with walk.workspace.served(Served) as fresh:
                    assert grown == answers(fresh, walk.sessions)
