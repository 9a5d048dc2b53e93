"""A hub that is killed while it is sent to: nothing is lost, and nothing is there twice."""

from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.hub.collector.machine import machine_with_files, seen
from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from tests.waiting import until
from unspool.hub.collector import sender, shipments
from unspool.hub.collector.link import HubLink
from unspool.model.query import TotalsQuery


def _killed(hub: HubDatabase, path: Path, kills: int, files: int) -> None:
    machine = machine_with_files(path / "root", files)
    identity, over = hub.machine(), Event()

    def rows() -> int:
        with hub.pool.connection() as connection:
            ((count,),) = connection.execute("SELECT count(*) FROM shipped").fetchall()
        return int(count)

    def is_due(wanted: int) -> bool:
        return rows() >= wanted or over.is_set()

    with HubProcess(hub.url, path / "hub") as process:
        url = process.start().url

        def kill() -> None:
            for number in range(1, kills + 1):
                wanted = number * files // (kills + 2)
                until(partial(is_due, wanted))
                process.kill()
                process.start()

        killer = Thread(target=kill)
        killer.start()
        try:
            link = partial(HubLink, url, hub.keys["laptop"])
            machine.collector(link, in_flight=2).run(once=True)
        finally:
            over.set()
            killer.join()
        store = hub.store(identity.owner)

        assert until(lambda: not store.unlinked())
        found, local = seen(store, "laptop"), seen(machine.store)
        for what in ("sources", "bytes", "lines", "hits"):
            assert found[what] == local[what]
    responses = [sum(t.responses for t in s.totals(TotalsQuery())) for s in (store, machine.store)]
    assert responses[0] == responses[1]


def test_a_hub_that_is_killed_loses_nothing(
    hub: HubDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "_ENOUGH_BYTES", 1)
    monkeypatch.setattr(shipments, "_ENOUGH", 1_000)
    _killed(hub, tmp_path, 1, 24)


@pytest.mark.slow
def test_a_hub_that_is_killed_ten_times_loses_nothing(
    hub: HubDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "_ENOUGH_BYTES", 1)
    monkeypatch.setattr(shipments, "_ENOUGH", 1_000)
    _killed(hub, tmp_path, 10, 400)
