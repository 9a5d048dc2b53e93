"""One root for all tests that only read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.generator.made import PRICES, Begin, Made, begun
from unspool.demo import generate
from unspool.demo.generator.session import SessionBuilder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Five megabytes of seed 1."""
    path = tmp_path_factory.mktemp("made") / "root"
    truth = generate(path, mb=5, seed=1, prices=PRICES)
    return Made(path, truth, truth.sessions)


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begins a session of some age in a root that is shut when the test is over."""
    plays: list[SessionBuilder] = []

    def opening(era: str = "2.1.270") -> SessionBuilder:
        plays.append(begun(tmp_path, era))
        return plays[-1]

    yield opening
    for builder in plays:
        builder.main.writer.close()
        builder.root.close()
