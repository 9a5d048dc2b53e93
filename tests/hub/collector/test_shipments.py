"""Shipments in mode redacted: no secret reaches the database, and every place stays the same."""

import json
from itertools import accumulate
from pathlib import Path
from random import Random
from threading import Event

import pytest
from msgspec.structs import replace

from tests.engine.indexing.roots import NOW
from tests.hub.collector.machine import FaultyLink, LocalMachine, service
from tests.hub.machines import HubDatabase
from tests.redact.test_cover import SECRETS
from unspool.demo import Transcript
from unspool.engine.indexing.replay import DAMAGED
from unspool.hub.collector.outputs import OutputQueue
from unspool.hub.collector.packing import EnvelopeMaker
from unspool.hub.collector.queue import ShipQueue
from unspool.hub.collector.sender import Collector, CollectorParts
from unspool.hub.collector.shipments import SourceShipper
from unspool.hub.collector.tombstones import TombstoneQueue
from unspool.model.shipping import MachineReport, Receipt, Shipment, ShipMode
from unspool.store.pack import packed


def test_planted_secrets_do_not_leave_the_machine(hub: HubDatabase, tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    said = Transcript("s1")
    for secret in SECRETS:
        said.user(f"my key is {secret} ok").calls("Bash", command=f"curl -H 'x: {secret}'")
        said.returns(f"export TOKEN={secret}").says(f"never show {secret} again")
    machine.append("s1", said.bytes() + json.dumps({"half": SECRETS[0]}).encode()[:60])
    machine.sweep(NOW)
    owner = hub.machine().owner
    link = FaultyLink(service(hub), hub.keys["laptop"], Random(0), 0)
    parts = CollectorParts(
        outputs=OutputQueue(machine.store, "redacted", lambda _: True),
        tombstones=TombstoneQueue([machine.root]),
        queue=ShipQueue(machine.store, lambda _: True),
        shipper=SourceShipper(machine.store, [machine.root], "redacted"),
        envelopes=EnvelopeMaker("redacted", 1),
        link=lambda: link,
        now=lambda: NOW,
        in_flight=1,
    )
    Collector(parts, Event()).run(once=True)
    store, local = hub.store(owner), machine.store
    for _ in store.merge():
        pass
    (there,), (here,) = store.sources(), local.sources()
    raw = store.raw(there.source_id, 0, 0, there.offset)
    assert raw is not None
    everything = repr(hub.tables()).encode() + raw

    assert (there.offset, there.lines) == (here.offset, here.lines)
    assert store.line_counts()[there.source_id, 0] == local.line_counts()[here.source_id, 0]
    for secret in SECRETS:
        assert secret.encode() not in everything
        assert secret[:30].encode() not in everything
    assert b"my key is" in raw
    assert b"[redacted" in raw


@pytest.mark.parametrize("mode", ["redacted", "raw"])
def test_a_damaged_part_of_the_archive_stays_on_its_machine_and_the_rest_is_taken(
    mode: ShipMode, hub: HubDatabase, tmp_path: Path
) -> None:
    machine = LocalMachine(tmp_path / "root")
    said = Transcript("s1").user("before").user(SECRETS[0]).user("next").user("after").bytes()
    machine.append("s1", said)
    machine.sweep(NOW)
    (source,) = machine.store.sources()
    id, lines = source.source_id, said.splitlines(keepends=True)
    begin, end, after = accumulate(map(len, lines[:3]))
    # Its bytes could still be unpacked by whoever does not look at the checksum.
    secret = packed(id, 0, begin, lines[1])
    damaged = replace(secret, checksum=secret.checksum ^ 1)
    machine.store.erase([id])
    whole = packed(id, 0, 0, said[:begin]), packed(id, 0, end, said[end:])
    machine.store.archive([whole[0], damaged, whole[1]], [source])
    queue = machine.queue()
    queue.compare([])
    found = queue.take()
    assert found is not None
    shipments = list(SourceShipper(machine.store, [machine.root], mode).shipments(*found))
    receipt = _sent(shipments, mode, hub)
    queue.told(receipt.acked)
    queue.give_back([id])
    (one,) = shipments

    assert [(row.offset, row.reason) for row in one.batch.bad] == [(begin, DAMAGED)]
    assert [(piece.begins, piece.ends) for piece in one.pieces] == [(0, begin), (end, len(said))]
    # A line that follows may be the end of a secret: where those are covered, it is blank.
    next_line = [] if mode == "redacted" else [end]
    assert [row.offset for row in one.batch.lines] == [0, *next_line, after]
    assert (receipt.refused, queue.take()) == ((), None)


def _sent(shipments: list[Shipment], mode: ShipMode, hub: HubDatabase) -> Receipt:
    body = EnvelopeMaker(mode, 1).body(shipments, NOW, MachineReport())
    assert body is not None
    hub.machine()
    there = service(hub)
    return there.ingest(there.machine(f"Bearer {hub.keys['laptop']}"), body)
