"""A hub process: how much of one machine it takes at once."""

from threading import Thread

import pytest
from msgspec.structs import replace

from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.store.made import START, Source, price
from tests.waiting import until
from unspool.hub.envelope import sealed
from unspool.hub.service import HubRefusal, HubService
from unspool.model.shipping import MODES, Receipt, ShipMode, ShippedTombstone
from unspool.store.shipping import tombstone_name


def test_a_machine_that_sends_too_much_at_once_is_told_to_wait(hub: HubDatabase) -> None:
    laptop, other = hub.machine("laptop"), hub.machine("other", "bob")
    service = HubService(hub.pool, price, lambda: START, weeks_ahead=0)
    bodies = [sealed(envelope(shipment(Source(id).line().batch()))) for id in range(1, 6)]
    answers: list[Receipt | HubRefusal] = []

    def send(body: bytes) -> None:
        try:
            answers.append(service.ingest(laptop, body))
        except HubRefusal as refusal:
            answers.append(refusal)

    threads = [Thread(target=send, args=(body,)) for body in bodies]
    with hub.pool.connection() as connection, connection.transaction():
        connection.execute("LOCK TABLE shipped")  # as long as a slow disk would
        for thread in threads[:4]:
            thread.start()
        assert until(lambda: service._busy[laptop.machine] == 4)
        threads[4].start()
        assert until(lambda: answers)
    for thread in threads:
        thread.join()

    [refusal] = [one for one in answers if isinstance(one, HubRefusal)]
    assert (refusal.status, refusal.retry_after, len(answers)) == (429, 1, 5)
    assert service.ingest(laptop, bodies[4]).acked
    assert service.ingest(other, bodies[0]).acked


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
