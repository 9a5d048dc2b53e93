"""Stores to test: each claim of the contract is asked of all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.stores import KINDS, AnyStore
from unspool.engine.timeline.timeline import session_hooks
from unspool.store.sqlite.store import SqliteStore


@pytest.fixture(scope="session", autouse=True)
def _cluster(cluster: None) -> None:
    """A PostgreSQL for whoever asks for one."""


@pytest.fixture(params=sorted(KINDS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyStore]:
    made = KINDS[request.param](tmp_path)
    yield made
    made.close()


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "home", session_hooks=session_hooks)
    yield made
    made.close()
