"""A served root of two sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, served


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A root with two sessions of one project."""
    return root(tmp_path / "claude", talk(), talk("session-two", day=2))


@pytest.fixture
def site(place: Path) -> Iterator[Served]:
    """It, indexed and served."""
    with served(place) as made:
        yield made
