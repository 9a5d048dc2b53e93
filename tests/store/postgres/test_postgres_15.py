"""All that stores promise, asked of the oldest PostgreSQL that a hub runs on."""

import os
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY
from tests.store.postgres.cluster import GIVEN
from tests.store.postgres.debian import DebianServer, needs_postgres_15


@pytest.mark.slow
def test_the_contract_holds_on_postgres_15() -> None:
    needs_postgres_15()
    with DebianServer() as server:
        server.create()
        environment = {**os.environ, GIVEN: server.url}
        environment.pop("PYTEST_XDIST_WORKER", None)
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-k", "postgres"]
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", "tests/store"],
            check=False,
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            text=True,
        )
        databases = server.execute("SELECT datname FROM pg_database")

    assert done.returncode == 0, done.stdout[-4_000:]
    assert ("test_1",) in databases
