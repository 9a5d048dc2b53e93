"""A real PostgreSQL for one run of tests, and a database of its own for whoever asks."""

import os
import shutil
import sys
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import mkdtemp
from typing import Any

import psycopg

from tests.store.made import START
from unspool.store.postgres.embedded import embedded_server
from unspool.store.postgres.rebuild import TABLES
from unspool.store.postgres.store import PostgresStore

# Nothing here has to outlast a power cut.
_QUICK = (
    "ALTER SYSTEM SET fsync = off",
    "ALTER SYSTEM SET full_page_writes = off",
    "ALTER SYSTEM SET synchronous_commit = off",
    "ALTER SYSTEM SET autovacuum = off",
    "ALTER SYSTEM SET max_wal_size = '4GB'",
    "SELECT pg_reload_conf()",
)
# Ends the server once whoever started it is gone, however that happened.
GUARD = "import os, sys; sys.stdin.read(); os.kill(int(sys.argv[1]), 2)"
# The address of another server to use, without the name of a database.
GIVEN = "UNSPOOL_TEST_POSTGRES"
_TEMPLATE = "laid_out"
KEPT = (  # by a rebuild; in an order in which they can be emptied
    "segment", "generation", "output", "output_piece", "mark", "quarantine", "audit", "live",
    "login", "login_code", "shipped", "forgotten", "enrolment", "machine_key", "machine", "person",
)  # fmt: skip
# Emptying a database takes a tenth of the time of making one.
_EMPTY = "; ".join(
    [f"DELETE FROM unspool.{table}" for table in (*TABLES, *KEPT)]  # noqa: S608
    + ["UPDATE unspool.head SET seq = 0", "DELETE FROM unspool.meta WHERE name = 'address'"]
)


class GivenServer:
    """A server that somebody else starts and ends."""

    def __init__(self, url: str) -> None:
        self._url = url

    def get_uri(self, name: str = "postgres") -> str:
        return f"{self._url}/{name}?connect_timeout=60"  # further parameters follow an `&`

    def cleanup(self) -> None:
        pass


class Cluster:
    """Started when the first database is asked for."""

    def __init__(self) -> None:
        self._place = Path()
        self._server: Any = None
        self._guard: Popen[bytes] | None = None
        self._made = 0
        self._idle: list[str] = []

    def database(self, *, is_empty: bool = False) -> str:
        """The address of a database without rows, laid out or not."""
        if self._idle and not is_empty:
            return self._idle.pop()
        server, template = self._started(), "template0" if is_empty else _TEMPLATE
        self._made += 1
        name = f"test_{self._made}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return str(server.get_uri(name))

    def give_back(self, url: str) -> None:
        """Let another test have a laid out database, without its rows."""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_EMPTY.encode())
        self._idle.append(url)

    def run(self, *statements: str) -> None:
        """Run statements outside of any test's database."""
        with psycopg.connect(self._started().get_uri(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _started(self) -> Any:
        if self._server is None:
            url = os.environ.get(GIVEN)
            self._server = GivenServer(url) if url else self._embedded()
            self.run(*_QUICK, f"CREATE DATABASE {_TEMPLATE}")
            template = str(self._server.get_uri(_TEMPLATE))
            store = PostgresStore(template, weeks_ahead=0)
            store.partitions.make([START], START)
            store.close()
            with psycopg.connect(template, autocommit=True) as connection:
                connection.execute(_EMPTY.encode())  # as each of them is when it is given back
        return self._server

    def _embedded(self) -> Any:
        # Not below pytest's own directory: every run of pytest takes it from other users, as
        # which the server may run.
        self._place = Path(mkdtemp(prefix="unspool-postgres-"))
        server = embedded_server(self._place / "data")
        command = [sys.executable, "-c", GUARD, str(server.get_pid())]
        self._guard = Popen(command, stdin=PIPE, start_new_session=True)
        return server

    def stop(self) -> None:
        """End the server and all its processes."""
        if self._server is not None:
            self._server.cleanup()
            self._server = None
        if self._guard is not None:
            self._guard.kill()
            self._guard.communicate()
            shutil.rmtree(self._place, ignore_errors=True)
            self._guard = None


CLUSTER = Cluster()


class SearchableStore(PostgresStore):
    """A store in a database of its own, in which every text is findable once it is committed."""

    def __init__(self, url: str = "", **given: Any) -> None:
        self.url = url or CLUSTER.database()
        super().__init__(self.url, weeks_ahead=0, **given)

    def commit(self, *given: Any) -> int:
        head = super().commit(*given)
        for _ in self.merge():
            pass
        return head

    def close(self) -> None:
        is_open = self._own_pool is not None and not self._own_pool.closed
        super().close()
        if is_open:
            CLUSTER.give_back(self.url)
