"""One answer about whole roots: generated ones, whose truth is known, and those others published.

Without an index a copy that nothing marks cannot be known: such sums say so, and are bounds.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.surface_fields import Shown
from tests.e2e.surfaces import Surfaces, all_fields, asked, disagreements
from tests.e2e.workspaces import Workspace
from unspool.demo import Truth, generate
from unspool.source.prices import bundled

LONG_AFTER: Final = 2_000_000_000_000  # nobody is at work on any of it any more
SEEDS: Final = [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]


class Made:
    """A generated root: its truth, and what every surface says."""

    def __init__(self, place: Path, seed: int, *, opened: int) -> None:
        root = place / "claude"
        self.truth: Truth = generate(root, mb=0.1, seed=seed, prices=json.loads(bundled()))
        workspace = Workspace(root, place / "unspool", LONG_AFTER)
        self.found = asked(workspace, opened=opened)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A seed -> its root, asked about once."""
    # By command, sessions are opened one by one: minutes, for as many as there are.
    many, few = 1_000, 3
    place = tmp_path_factory.mktemp
    return cache(lambda seed: Made(place("seed"), seed, opened=many if seed > 1 else few))


@pytest.mark.parametrize("seed", SEEDS)
def test_all_surfaces_give_one_answer_about_a_generated_root(seed: int, made: Any) -> None:
    found = made(seed).found

    assert {
        field: wrong for field in all_fields(found) if (wrong := disagreements(found, field))
    } == {}


COUNTED: Final = [
    "REST list", "REST cost", "cost session", "sql sessions", "sql usage", "cost session, no index",
    "ls --json", "library rows", "document", "metrics", "library",
]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("surface", COUNTED)
def test_the_sum_over_sessions_is_what_was_spent(seed: int, surface: str, made: Any) -> None:
    root = made(seed)
    said = [facts.get("usd") for facts in root.found[surface].values()]

    assert (
        sum(usd for usd in said if usd and not isinstance(usd, Shown))
        == (root.truth.totals["usdPico"])
    )


@pytest.fixture(scope="module")
def published(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Surfaces]:
    """What every surface says of each root that others published."""
    home = tmp_path_factory.mktemp("homes")
    return {
        root.name: asked(Workspace(root, home / root.name, LONG_AFTER), opened=0)
        for root in sorted(corpus.iterdir())
        if (root / "projects").is_dir()
    }


def differing(published: dict[str, Surfaces], field: str) -> dict[str, int]:
    """How many sessions of each root surfaces disagree about."""
    counts = {name: len(disagreements(found, field)) for name, found in published.items()}
    return {name: count for name, count in counts.items() if count}


@pytest.mark.slow
def test_all_surfaces_give_one_answer_about_published_roots(published: dict[str, Surfaces]) -> None:
    fields = set().union(*map(all_fields, published.values()))

    assert {field: roots for field in fields if (roots := differing(published, field))} == {}
