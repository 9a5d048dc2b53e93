"""Stores on PostgreSQL, each in a database without rows."""

from collections.abc import Iterator

import pytest

from tests.store.postgres.cluster import CLUSTER, SearchableStore


@pytest.fixture
def postgres() -> Iterator[SearchableStore]:
    made = SearchableStore()
    yield made
    made.close()


@pytest.fixture
def empty() -> str:
    """The address of a database in which nobody has laid out anything."""
    return CLUSTER.database(is_empty=True)
