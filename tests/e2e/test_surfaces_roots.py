"""One answer about whole roots: generated ones, whose truth is known, and those others published.

Without an index a copy that nothing marks cannot be known: such sums say so, and are bounds.
"""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.e2e.cases import PROJECT, START, Files
from tests.e2e.surface_fields import Key, key_of, pico
from tests.e2e.surfaces import COUNTED, all_fields, asked, disagreements, sums_of
from tests.e2e.workspaces import Workspace
from unspool.demo import Truth, generate
from unspool.source.prices import bundled

LONG_AFTER: Final = 2_000_000_000_000  # nobody is at work on any of it any more
MANY, FEW = 1_000, 3
SEEDS: Final = [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]
KINDS: Final = ["generated", "lived in"]


class Made:
    """A generated root: its truth, and what every surface says."""

    def __init__(self, place: Path, seed: int, kind: str) -> None:
        root, few = place / "claude", FEW if seed == 1 else MANY
        self.truth: Truth = generate(root, mb=0.1, seed=seed, prices=json.loads(bundled()))
        workspace = Workspace(root, place / "unspool", LONG_AFTER)
        if kind == "generated":
            # By command, sessions are opened one by one: minutes, for as many as there are.
            self.found = asked(workspace, opened=few)
        else:
            lived_in = live_in(workspace, Random(seed))
            self.found = asked(workspace, bare=False, opened=lived_in if few == FEW else MANY)


def live_in(workspace: Workspace, chance: Random) -> list[Key]:
    """Mark sessions, lose one, hear of another, and have one that lives; these."""
    files, now = Files(workspace), (LONG_AFTER - START) / 1_000
    files.index()
    rows = [one for one in workspace.json("ls", "--json")["items"] if one["path"]]
    pinned, hidden, named, lost, alive = chance.sample(rows, 5)
    for row, marks in ((pinned, {"pinned": True}), (hidden, {"hidden": True}), (named, NAMED)):
        files.mark(row["session"]["id"], row["session"]["projectId"], **marks)
    Path(lost["path"]).unlink()
    files.hook("UserPromptSubmit", now - 20, "heard", prompt="Build it")
    session = alive["session"]
    files.register(session["id"], "busy", now - 10, cwd=session["projectPath"])
    every = (one["session"] for one in (pinned, hidden, named, lost, alive))
    return [(PROJECT, "heard"), *map(key_of, every)]


NAMED: Final = {"title": "Mine"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A seed and a kind -> its root, asked about once."""
    place = tmp_path_factory.mktemp
    return cache(lambda seed, kind: Made(place("seed"), seed, kind))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_all_surfaces_give_one_answer_about_a_generated_root(
    seed: int, kind: str, made: Any
) -> None:
    found = made(seed, kind).found

    assert {
        field: wrong for field in all_fields(found) if (wrong := disagreements(found, field))
    } == {}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_sum_over_sessions_is_what_was_spent(seed: int, kind: str, made: Any) -> None:
    root = made(seed, kind)
    sums = sums_of(root.found)

    assert {usd for usd, _ in sums.values()} == {root.truth.totals["usdPico"]}
    assert len(sums) >= len(COUNTED) - (kind == "lived in")


class Published:
    """A root that others published: what every surface says, and what all of it has cost."""

    def __init__(self, root: Path, home: Path) -> None:
        workspace = Workspace(root, home, LONG_AFTER)
        self.found = asked(workspace, opened=FEW)
        totals = workspace.json("cost", "--json")["totals"]
        self.spent = pico(totals["totalCost"]) or 0, totals["totalTokens"]


@pytest.fixture(scope="module")
def published(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Published]:
    """Every root by its name."""
    home = tmp_path_factory.mktemp("homes")
    roots = (root for root in sorted(corpus.iterdir()) if (root / "projects").is_dir())
    return {root.name: Published(root, home / root.name) for root in roots}


def differing(published: dict[str, Published], field: str) -> dict[str, int]:
    """How many sessions of each root surfaces disagree about."""
    counts = {name: len(disagreements(one.found, field)) for name, one in published.items()}
    return {name: count for name, count in counts.items() if count}


@pytest.mark.slow
def test_all_surfaces_give_one_answer_about_published_roots(
    published: dict[str, Published],
) -> None:
    fields = set().union(*(all_fields(one.found) for one in published.values()))

    assert {field: roots for field in fields if (roots := differing(published, field))} == {}


@pytest.mark.slow
def test_the_sum_over_sessions_of_a_published_root_is_what_cost_says(
    published: dict[str, Published],
) -> None:
    # A sum of dollars has as many digits as a float.
    wrong = {
        (name, surface): (usd, tokens, one.spent)
        for name, one in published.items()
        for surface, (usd, tokens) in sums_of(one.found).items()
        if usd != pytest.approx(one.spent[0], rel=1e-12) or tokens != one.spent[1]
    }

    assert wrong == {}
