"""Upkeep is asked for by those alone who have something to do."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.indexing.roots import PRICER
from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.store.made import Source
from unspool.hub.maintenance import HubMaintenance
from unspool.store.postgres.upkeep import OwnerWork, owner_work


@pytest.fixture
def hub() -> Iterator[HubDatabase]:
    made = HubDatabase()
    yield made
    made.close()


def caught_up(hub: HubDatabase) -> HubMaintenance:
    maintenance = HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0)
    while maintenance.step():
        pass
    return maintenance


def accepted(hub: HubDatabase, name: str, number: int) -> None:
    source = Source(number, f"s{number}").line("kettle").spends(f"m:{number}").tells()
    hub.accept(hub.machine(name, name), shipment(source.batch()))


def test_who_has_sent_something_has_texts_and_causes_until_they_are_done(hub: HubDatabase) -> None:
    accepted(hub, "ada", 1)
    caught_up(hub)
    accepted(hub, "bob", 2)

    assert owner_work(hub.pool) == [OwnerWork(1, False, False), OwnerWork(2, True, True)]
    caught_up(hub)
    assert owner_work(hub.pool) == [OwnerWork(1, False, False), OwnerWork(2, False, False)]


def test_nobody_is_asked_who_has_nothing_to_do(
    hub: HubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("ada", "bob"), 1):
        accepted(hub, name, number)
    maintenance = caught_up(hub)
    kept: list[Any] = []
    monkeypatch.setattr(HubMaintenance, "_keep", lambda _, store: kept.append(store.owner))
    accepted(hub, "bob's other", 3)
    maintenance.step()

    assert kept == [3]
