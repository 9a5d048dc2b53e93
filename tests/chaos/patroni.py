"""Two PostgreSQL 15 under Patroni with one etcd, from Debian's packages, on loopback."""

import json
import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any

import psycopg
import pytest

from tests.waiting import until

_BIN = "/usr/lib/postgresql/15/bin"
_USER = "postgres"
_MINUTES = 300.0
_LEADS = "SELECT NOT pg_is_in_recovery()"
_SYNCHRONOUS = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"


def needs_patroni() -> None:
    """Skip a test where one of the parts is not installed."""
    for program in ("patroni", "etcd", f"{_BIN}/initdb"):
        if shutil.which(program) is None:
            pytest.skip(
                f"needs Debian's packages patroni, etcd-server, postgresql-15: no {program}"
            )


class Node:
    """One Patroni with its PostgreSQL."""

    def __init__(self, place: Path, name: str, etcd: int) -> None:
        self.name, self._place = name, place / name
        self.port, rest = _free_port(), _free_port()
        self._place.mkdir()
        shutil.chown(self._place, _USER)
        self._settings = self._place / "patroni.yml"
        self._settings.write_text(json.dumps(_settings(self, self._place, rest, etcd)))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Node":
        self._process = _run(self._place / "log", "patroni", str(self._settings))
        return self

    def ask(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """The rows; none where it does not answer."""
        url = f"postgresql://{_USER}@127.0.0.1:{self.port}/{database}?connect_timeout=5"
        with suppress(psycopg.Error), psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []
        return []

    def leads(self) -> bool:
        return self.ask(_LEADS) == [(True,)]

    def kill(self) -> None:
        """End Patroni and PostgreSQL as a power cut would."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
        with suppress(OSError, ValueError):
            pid = int((self._place / "data" / "postmaster.pid").read_text().splitlines()[0])
            os.kill(pid, signal.SIGKILL)


class PatroniPair:
    """A leader and a synchronous standby, which takes over by itself."""

    def __init__(self) -> None:
        self._place = Path(mkdtemp(prefix="unspool-patroni-"))
        self._place.chmod(0o755)
        etcd, peer = _free_port(), _free_port()
        client = f"http://127.0.0.1:{etcd}"
        self._etcd = _run(
            self._place / "etcd.log", "etcd", "--data-dir", str(self._place / "etcd"),
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", f"http://127.0.0.1:{peer}",
            as_user="",
        )  # fmt: skip
        self.leader = Node(self._place, "one", etcd).start()
        self.standby = Node(self._place, "two", etcd)
        hosts = f"127.0.0.1:{self.leader.port},127.0.0.1:{self.standby.port}"
        self.url = f"postgresql://{_USER}@{hosts}/hub?target_session_attrs=read-write"

    def wait(self) -> "PatroniPair":
        """Until a commit is over when both have it."""
        assert until(self.leader.leads, _MINUTES)
        self.standby.start()
        assert until(lambda: self.leader.ask(_SYNCHRONOUS), _MINUTES)
        self.leader.ask("CREATE DATABASE hub")
        return self

    def kill(self) -> None:
        self.leader.kill()

    def take_over(self) -> None:
        assert until(self.standby.leads, _MINUTES)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.standby.ask(statement, "hub")

    def __enter__(self) -> "PatroniPair":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: object, __: TracebackType | None
    ) -> None:
        for node in (self.leader, self.standby):
            node.kill()
        self._etcd.kill()
        self._etcd.wait()
        shutil.rmtree(self._place, ignore_errors=True)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _run(log: Path, *command: str, as_user: str = _USER) -> subprocess.Popen[bytes]:
    words = list(command)
    if as_user and os.geteuid() == 0:  # as which PostgreSQL does not run
        words = ["setpriv", f"--reuid={as_user}", f"--regid={as_user}", "--init-groups", *words]
    with open(log, "wb") as out:
        return subprocess.Popen(
            words, cwd="/", stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )


def _settings(node: Node, place: Path, rest: int, etcd: int) -> dict[str, Any]:
    user = {"username": _USER}
    return {
        "scope": "unspool",
        "name": node.name,
        "restapi": {"listen": f"127.0.0.1:{rest}", "connect_address": f"127.0.0.1:{rest}"},
        "etcd3": {"host": f"127.0.0.1:{etcd}"},
        "bootstrap": {
            "dcs": {
                "ttl": 20,
                "loop_wait": 5,
                "retry_timeout": 5,
                "synchronous_mode": True,
                "postgresql": {"parameters": {"synchronous_commit": "remote_apply"}},
            },
            "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}],
            "pg_hba": [
                "local all all trust",
                "host all all 127.0.0.1/32 trust",
                "host replication all 127.0.0.1/32 trust",
            ],
        },
        "postgresql": {
            "listen": f"127.0.0.1:{node.port}",
            "connect_address": f"127.0.0.1:{node.port}",
            "data_dir": str(place / "data"),
            "bin_dir": _BIN,
            "pgpass": str(place / "pgpass"),
            "authentication": {"superuser": user, "replication": user},
            "parameters": {"unix_socket_directories": str(place)},
        },
    }
