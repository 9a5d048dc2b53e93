from collections.abc import Iterator

import pytest

from tests.serve.pages.session.long import colourful, long
from tests.serve.served import Served
from tests.show.everything import PROJECT, SESSION
from unspool.serve.pages.session.source import PageSource, open_source


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Long sessions: one of many turns, one of a single answer."""
    with long(tmp_path_factory.mktemp("long") / "claude") as made:
        yield made


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """A session with every kind of step, and where it is."""
    with colourful(tmp_path_factory.mktemp("all") / "claude") as made:
        yield made


@pytest.fixture
def read(all_kinds: tuple[Served, str]) -> Iterator[PageSource]:
    """The same, open."""
    with open_source(all_kinds[0].context, PROJECT, SESSION) as made:
        yield made
