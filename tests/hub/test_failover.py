"""A pair of servers whose primary dies while machines send: what was acknowledged is there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.hub.collector.machine import machine_with_files, seen
from tests.hub.failover import FailOver
from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from tests.store.postgres.debian import DebianServer, needs_postgres_15
from tests.waiting import until
from unspool.hub.collector import sender, shipments
from unspool.store.postgres.store import PostgresStore

_FILES = 200
# From now on a commit is over when the standby shows it, too.
_SYNCHRONOUS = (
    "ALTER SYSTEM SET synchronous_standby_names = '*'",
    "ALTER SYSTEM SET synchronous_commit = 'remote_apply'",
    "SELECT pg_reload_conf()",
)
_REPLICATED = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"


class SynchronousPair:
    """A primary with a hub's database, and a standby that has all that was committed."""

    def __init__(self, primary: DebianServer, standby: DebianServer) -> None:
        self._primary, self.standby = primary, standby
        primary.create().execute("CREATE DATABASE hub")
        PostgresStore(f"{primary.url}/hub", weeks_ahead=0).close()
        standby.copy(primary)
        primary.execute(*_SYNCHRONOUS)
        assert until(lambda: primary.execute(_REPLICATED))
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        self.url = f"postgresql://postgres@{hosts}/hub?target_session_attrs=read-write"

    def kill(self) -> None:
        self._primary.kill()

    def take_over(self) -> None:
        self.standby.promote()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.standby.execute(statement, database="hub")


@contextmanager
def synchronous_pair() -> Iterator[SynchronousPair]:
    with DebianServer() as primary, DebianServer() as standby:
        yield SynchronousPair(primary, standby)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_or_twice_when_the_primary_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_postgres_15()
    monkeypatch.setattr(sender, "_ENOUGH_BYTES", 1)
    monkeypatch.setattr(shipments, "_ENOUGH", 1_000)
    machine = machine_with_files(tmp_path / "root", _FILES)
    with synchronous_pair() as pair:
        hub, failing = HubDatabase(pair.url), FailOver(pair, _FILES // 3)
        identity = hub.machine()
        with HubProcess(pair.url, tmp_path / "hub") as process:
            failing.send(machine, process.start().url, hub.keys["laptop"])
            assert failing.lost == []

            store = PostgresStore(f"{pair.standby.url}/hub", owner=identity.owner, weeks_ahead=0)
            assert until(lambda: not store.unlinked())
            found, local = seen(store, "laptop"), seen(machine.store)
            store.close()
        hub.close()
    for what in ("sources", "bytes", "lines", "hits", "totals"):
        assert found[what] == local[what]
