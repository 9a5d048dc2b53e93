"""PostgreSQL 15 from Debian's packages: the oldest version a hub runs on, and a pair of servers."""

import os
import shutil
import socket
import sys
from pathlib import Path
from subprocess import PIPE, Popen, run
from tempfile import mkdtemp
from typing import Any

import psycopg
import pytest

from tests.store.postgres.cluster import GUARD
from tests.waiting import until

_BIN = Path("/usr/lib/postgresql/15/bin")
_USER = "postgres"


def needs_postgres_15() -> None:
    """Skip a test where it is not installed, unless it must be."""
    if not (_BIN / "initdb").exists():
        if os.environ.get("UNSPOOL_REQUIRE_POSTGRES_15"):
            pytest.fail(f"PostgreSQL 15 is not in {_BIN}")
        pytest.skip("needs Debian's package postgresql-15")


class DebianServer:
    """One server on a free port of loopback; it ends with the block, or with this process."""

    def __init__(self) -> None:
        self._place = Path(mkdtemp(prefix="unspool-postgres-15-"))
        if os.geteuid() == 0:
            shutil.chown(self._place, _USER)
        self.data, self._guard = self._place / "data", list[Popen[bytes]]()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]

    @property
    def url(self) -> str:
        """Where it is, without the name of a database."""
        return f"postgresql://{_USER}@127.0.0.1:{self.port}"

    def create(self) -> "DebianServer":
        """Start with nothing in it."""
        self._run("initdb", "-A", "trust", "-U", _USER, "-N", "-E", "UTF8", "--locale", "C.UTF-8")
        return self._started()

    def copy(self, primary: "DebianServer") -> "DebianServer":
        """Start as a standby of another."""
        self._run("pg_basebackup", "-d", f"{primary.url}/postgres", "-R", "-c", "fast")
        return self._started()

    def promote(self) -> None:
        """Have a standby take over."""
        self._run("pg_ctl", "-w", "-t", "300", "promote")

    def kill(self) -> None:
        """End it as a power cut would."""
        os.kill(self._pid(), 9)

    def dump(self, database: str) -> bytes:
        """A database as `pg_dump` writes it."""
        command = [str(_BIN / "pg_dump"), "--format=custom", f"{self.url}/{database}"]
        return run(command, check=True, capture_output=True).stdout

    def restore(self, database: str, dump: bytes) -> None:
        """Put a dump into an empty database."""
        command = [str(_BIN / "pg_restore"), "--exit-on-error", f"--dbname={self.url}/{database}"]
        run(command, check=True, input=dump)

    def execute(self, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements, each in a transaction of its own; the rows of the last one."""
        with psycopg.connect(f"{self.url}/{database}", autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def __enter__(self) -> "DebianServer":
        return self

    def __exit__(self, *_: object) -> None:
        for guard in self._guard:
            guard.communicate()
        until(lambda: not (self.data / "postmaster.pid").exists(), 10)
        shutil.rmtree(self._place, ignore_errors=True)

    def _started(self) -> "DebianServer":
        options = f"-p {self.port} -k {self._place} -c listen_addresses=127.0.0.1"
        log = self._place / "log"
        self._run("pg_ctl", "-w", "-t", "300", "-l", str(log), "-o", options, "start")
        command = [sys.executable, "-c", GUARD, str(self._pid())]
        self._guard.append(Popen(command, stdin=PIPE, start_new_session=True))
        return self

    def _pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def _run(self, program: str, *given: str) -> None:
        command = [str(_BIN / program), "-D", str(self.data), *given]
        if os.geteuid() == 0:  # as which it does not run
            command = ["runuser", "-u", _USER, "--", *command]
        done = run(command, check=False, cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
