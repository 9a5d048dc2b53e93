"""A root of two sessions, indexed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.made import root, talk
from tests.serve.served import Served, served


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    with served(root(tmp_path / "claude", talk(), talk("session-two", day=2))) as made:
        yield made
