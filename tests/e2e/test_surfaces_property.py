"""One answer at every step: a root is written at random, and all surfaces are asked."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.cases import PROJECT
from tests.e2e.processes import ProcessWorkspace
from tests.e2e.surface_fields import Json
from tests.e2e.surfaces import asked
from tests.e2e.walk import ANYTHING, GROWING, Walk, faults
from tests.serve.served import Served

MOST: Final = 1_000


def check_processes(walk: Walk, opened: int) -> None:
    """Commands in processes of their own and a real server answer as this process does."""
    real = asked(ProcessWorkspace.of(walk.workspace), bare=not walk.lost, opened=opened)

    assert real == asked(walk.workspace, bare=not walk.lost, opened=opened)


@pytest.mark.parametrize("ways", [GROWING, ANYTHING], ids=["sessions grow", "anything happens"])
@pytest.mark.parametrize("steps", [20, pytest.param(200, marks=pytest.mark.slow(first=True))])
def test_whatever_is_written_all_surfaces_give_one_answer(
    tmp_path: Path, ways: tuple[str, ...], steps: int
) -> None:
    walk, story = Walk(tmp_path, steps), ["begin"]
    is_long = steps > 20
    few = MOST if is_long else 1  # a command about one session takes half a second
    if ways is GROWING:  # the other begins with the same file
        check_processes(walk, few)
    for number in range(steps):
        story.append(walk.step(ways))
        opened = MOST if number % 10 == 9 else 0
        found = asked(walk.workspace, bare=not walk.lost, opened=opened)

        assert faults(walk, found) == {}, story
    if ways is GROWING or is_long:
        check_processes(walk, few)


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


def test_the_walk_makes_every_kind_of_session(tmp_path: Path) -> None:
    walk = Walk(tmp_path, 4)
    ways = {walk.step(ANYTHING) for _ in range(60)}

    assert ways == set(ANYTHING)
    assert PROJECT in {path.parent.name for path in walk.paths.values()}
