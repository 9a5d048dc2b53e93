"""A hub process: in which modes it takes what machines send."""

import pytest
from msgspec.structs import replace

from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.store.made import START, Source, price
from unspool.hub.envelope import sealed
from unspool.hub.refusals import HubRefusal
from unspool.hub.service import HubService
from unspool.model.shipping import MODES, ShipMode, ShippedTombstone
from unspool.store.shipping import tombstone_name


@pytest.mark.parametrize("takes", MODES)
def test_what_a_fuller_mode_sends_is_refused_and_nothing_else(
    hub: HubDatabase, takes: ShipMode
) -> None:
    laptop = hub.machine()
    service = HubService(hub.pool, price, lambda: START, weeks_ahead=0, takes=takes)
    fits = MODES[: MODES.index(takes) + 1]
    for number, mode in enumerate(MODES):
        some = replace(envelope(shipment(Source(number).line("text").batch())), mode=mode)
        if mode in fits:
            assert len(service.ingest(laptop, sealed(some)).acked) == 1
            continue
        with pytest.raises(HubRefusal, match=f"run `unspool collect --mode {takes}`") as refused:
            service.ingest(laptop, sealed(some))
        assert (refused.value.status, refused.value.takes) == (426, takes)
    gone = [ShippedTombstone(tombstone_name("-repo", "gone"), 1)]
    service.ingest(laptop, sealed(replace(envelope(), mode="raw", forgotten=gone)))

    assert len(hub.tables()["shipped"]) == len(fits)
    assert len(hub.tables()["forgotten"]) == 1
    assert service.states(laptop, -1).takes == takes
