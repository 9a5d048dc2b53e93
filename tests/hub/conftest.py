"""A hub's database, with one machine enrolled."""

from collections.abc import Iterator

import pytest

from tests.hub.machines import HubDatabase


@pytest.fixture
def hub(cluster: None) -> Iterator[HubDatabase]:
    made = HubDatabase()
    yield made
    made.close()
