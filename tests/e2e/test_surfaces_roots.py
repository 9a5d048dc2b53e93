"""One answer about whole roots: generated ones, whose truth is known, and those others published.

Fields that differ today are named with the reason and expected to fail; who makes one of them
one answer deletes its line.
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
TOKENS: Final = "tokens input_tokens output_tokens cache_read_tokens cache_creation_tokens"
COPIES: Final = {f"usd {TOKENS}": "without an index, a copy that nothing marks counts twice"}
GENERATED: Final = {
    **COPIES,
    "calls main_calls": "further: SQL has calls of which only the result can be read",
}
PUBLISHED: Final = {
    **COPIES,
    "calls main_calls": "further: SQL has calls of which only the result can be read",
}


def reasons(given: dict[str, str]) -> dict[str, str]:
    """Field by field."""
    return {field: why for names, why in given.items() for field in names.split()}


SEEDS: Final = [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]


class Made:
    """A generated root: its truth, and what every surface says."""

    def __init__(self, place: Path, seed: int, *, commands: bool) -> None:
        root = place / "claude"
        self.truth: Truth = generate(root, mb=0.1, seed=seed, prices=json.loads(bundled()))
        workspace = Workspace(root, place / "unspool", LONG_AFTER)
        self.found = asked(workspace, commands=commands)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A seed -> its root, asked about once."""
    # By command, sessions are opened one by one: minutes, for as many as there are.
    return cache(lambda seed: Made(tmp_path_factory.mktemp("seed"), seed, commands=seed > 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_all_surfaces_give_one_answer_about_a_generated_root(seed: int, made: Any) -> None:
    found = made(seed).found
    fields = all_fields(found) - set(reasons(GENERATED))

    assert {field: wrong for field in fields if (wrong := disagreements(found, field))} == {}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "field",
    [
        pytest.param(field, marks=pytest.mark.xfail(reason=why))
        for field, why in reasons(GENERATED).items()
    ],
)
def test_all_surfaces_agree_about_a_field_of_a_generated_root(
    seed: int, field: str, made: Any
) -> None:
    assert not disagreements(made(seed).found, field)


COUNTED: Final = [
    "REST list", "REST cost", "cost session", "sql sessions", "sql usage", "cost session, no index",
    "ls --json", "library rows", "document", "metrics", "library",
]  # fmt: skip
# Without an index, a copy that nothing marks is not known for one.
COUNTED_TWICE: Final = ["ls --json, no index"]
TWICE = pytest.mark.xfail(reason="it adds up what unmarked forks copied")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "surface", [*COUNTED, *(pytest.param(name, marks=TWICE) for name in COUNTED_TWICE)]
)
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
        root.name: asked(Workspace(root, home / root.name, LONG_AFTER), commands=False)
        for root in sorted(corpus.iterdir())
        if (root / "projects").is_dir()
    }


def differing(published: dict[str, Surfaces], field: str) -> dict[str, int]:
    """How many sessions of each root surfaces disagree about."""
    counts = {name: len(disagreements(found, field)) for name, found in published.items()}
    return {name: count for name, count in counts.items() if count}


@pytest.mark.slow
def test_all_surfaces_give_one_answer_about_published_roots(published: dict[str, Surfaces]) -> None:
    every = set().union(*map(all_fields, published.values()))
    fields = every - set(reasons(PUBLISHED))

    assert {field: roots for field in fields if (roots := differing(published, field))} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "field",
    [
        pytest.param(field, marks=pytest.mark.xfail(reason=why))
        for field, why in reasons(PUBLISHED).items()
    ],
)
def test_all_surfaces_agree_about_a_field_of_published_roots(
    field: str, published: dict[str, Surfaces]
) -> None:
    assert not differing(published, field)
