"""The collector: whatever is lost, repeated or restarted, the hub ends with what there is."""

from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.indexing.roots import PRICER, age
from tests.examples import examples
from tests.hub.collector.machine import FaultyLink, LocalMachine, seen, service
from tests.hub.machines import HubDatabase
from tests.hub.serving import listening
from unspool.hub.collector import sender, shipments
from unspool.hub.collector.link import HubAnswer, HubLink
from unspool.hub.collector.sender import CollectorStopped, LesserMode
from unspool.hub.maintenance import HubMaintenance
from unspool.model.rows import Batch
from unspool.model.shipping import Receipt, StatePage

_names = count()


def _change(machine: LocalMachine, chance: Random) -> None:
    """Something that happens to a file."""
    name = chance.choice(["s1", "s2", "s3"])
    kind = chance.random()
    data = machine.lines(name, chance.randrange(1, 4))
    if kind < 0.6:
        machine.append(name, data)
    elif kind < 0.75:
        machine.append(name, data[: chance.randrange(1, len(data))])
    elif kind < 0.85:
        machine.append(name, data.rstrip(b"\n"))
    elif kind < 0.95:
        machine.append(name, data, "wb")
    else:
        machine.append(name, b"{not json\n")


def _compare(hub: HubDatabase, path: Path, chance: Random, faults: float) -> None:
    """Changes and shipping in turns; at the end both sides show the same, each line once."""
    name = f"m{next(_names)}"
    machine = LocalMachine(path / name)
    identity = hub.machine(name, f"person-{name}")
    at = service(hub)
    for step in range(chance.randrange(1, 5)):
        for _ in range(chance.randrange(1, 4)):
            _change(machine, chance)
        machine.sweep()
        if step and chance.random() < 0.3:
            at = service(hub)  # the hub was restarted
        link = FaultyLink(at, hub.keys[name], chance, faults)
        machine.collector(lambda link=link: link).run(once=True)  # a new collector each time
    HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0).step()
    store = hub.store(identity.owner)

    assert seen(store, name) == seen(machine.store)
    assert store.check(thorough=True) == []


@settings(
    max_examples=examples(12),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # a smaller seed is no simpler case
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 2**32), faults=st.sampled_from([0.0, 0.3, 0.6]))
def test_the_hub_ends_with_what_the_machine_has(
    hub: HubDatabase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    faults: float,
) -> None:
    chance = Random(seed)
    monkeypatch.setattr(shipments, "_ENOUGH", chance.choice([1, 600, 10_000]))
    monkeypatch.setattr(sender, "_ENOUGH_BYTES", chance.choice([1, 2_000, 100_000]))
    _compare(hub, tmp_path, chance, faults)


def test_a_machine_that_was_restored_begins_a_new_edition(hub: HubDatabase, tmp_path: Path) -> None:
    """The same file in the same place, that went another way since the backup."""
    identity, at = hub.machine(), service(hub)
    link = FaultyLink(at, hub.keys["laptop"], Random(0), 0)
    machine = LocalMachine(tmp_path / "root")
    machine.append("s1", machine.lines("s1", 2, "before"))
    machine.sweep()
    machine.collector(lambda: link).run(once=True)
    restored = LocalMachine(tmp_path / "root")
    restored.append("s1", restored.lines("s1", 3, "restored"), "wb")
    restored.sweep()
    restored.collector(lambda: link).run(once=True)
    store = hub.store(identity.owner)
    (there,), (here,) = store.sources(), restored.store.sources()

    assert (there.generation, there.offset) == (1, here.offset)
    assert store.raw(there.source_id, 1, 0, here.offset) == restored.store.raw(
        here.source_id, 0, 0, here.offset
    )
    assert store.raw(there.source_id, 0, 0, 1) == b"{"  # the other past stays archived


def test_what_was_written_last_is_sent_first(hub: HubDatabase, tmp_path: Path) -> None:
    """Also where an older file has the lower number, and one is written to meanwhile."""
    hub.machine()
    link = FaultyLink(service(hub), hub.keys["laptop"], Random(0), 0)
    machine = LocalMachine(tmp_path / "root")
    for name, seconds in (("s1", 300), ("s2", 100), ("s3", 400), ("s4", 200)):
        age(machine.append(name, machine.lines(name, 1)), seconds=seconds)
    machine.sweep()
    queue, sent = machine.queue(), list[str]()
    queue.compare(())
    while found := queue.take():
        sent.append(found[0].row.session_id)
        if sent == ["s2"]:
            age(machine.append("s3", machine.lines("s3", 1)), seconds=50)
            machine.sweep()
            queue.look()
    machine.collector(lambda: link, in_flight=1).run(once=True)
    with hub.pool.connection() as connection:
        ask = "SELECT e.session_id FROM source AS s JOIN session AS e USING (session)"
        arrived = [name for (name,) in connection.execute(f"{ask} ORDER BY s.source")]

    assert sent == ["s2", "s3", "s4", "s1"]
    assert arrived == ["s3", "s2", "s4", "s1"]


def test_a_revoked_machine_stops(hub: HubDatabase, tmp_path: Path) -> None:
    hub.machine()
    machine = LocalMachine(tmp_path / "root")
    machine.append("s1", machine.lines("s1", 1))
    machine.sweep()
    hub.people.revoke("laptop", 0)
    with listening(hub) as url, pytest.raises(CollectorStopped, match="revoked"):
        machine.collector(lambda: HubLink(url, hub.keys["laptop"])).run(once=True)


class AskingLink(HubLink):
    """One that must not send."""

    def send(self, body: bytes) -> Receipt | HubAnswer:
        raise CollectorStopped("Something was sent.")


class LateLink(HubLink):
    """A hub that takes less since it was asked what it has."""

    def states(self, after: int, forgotten: str = "") -> StatePage | HubAnswer:
        page = super().states(after, forgotten)
        return page if isinstance(page, HubAnswer) else replace(page, takes=None)


class OlderLink(LateLink):
    """What a collector that does not know `takes` understands of a hub."""

    def send(self, body: bytes) -> Receipt | HubAnswer:
        answer = super().send(body)
        return answer._replace(takes=None) if isinstance(answer, HubAnswer) else answer


def test_a_hub_that_takes_less_gets_nothing_of_a_fuller_mode(
    hub: HubDatabase, tmp_path: Path
) -> None:
    hub.machine()
    machine = LocalMachine(tmp_path / "root")
    machine.append("s1", machine.lines("s1", 1))
    machine.sweep()
    key = hub.keys["laptop"]
    with listening(hub, takes="metadata") as url:
        for link in (AskingLink, LateLink):
            with pytest.raises(LesserMode) as asked:
                machine.collector(lambda link=link: link(url, key)).run(once=True)
            assert asked.value.mode == "metadata"
        with pytest.raises(CollectorStopped, match=r"accepts mode metadata.*sends raw"):
            machine.collector(lambda: OlderLink(url, key)).run(once=True)
    assert hub.tables()["shipped"] == []

    with listening(hub, takes="raw") as url:
        machine.collector(lambda: HubLink(url, key)).run(once=True)
    assert len(hub.tables()["shipped"]) == 1


def test_values_that_no_database_takes_do_not_stop_the_queue(
    hub: HubDatabase, tmp_path: Path
) -> None:
    """NUL, half characters and numbers beyond 64 bits, in every place that a line has."""
    identity, at = hub.machine(), service(hub)
    machine = LocalMachine(tmp_path / "root")
    odd = "nul \\u0000 half \\ud800 end"
    line = machine.lines("s1", 1).replace("héllo".encode(), odd.encode())
    large = line.replace(
        b'"output_tokens":', b'"cache_read_input_tokens":%d,"output_tokens":' % 2**70
    )
    names = line.replace(b'"gitBranch":"main"', b'"gitBranch":"%b"' % odd.encode())
    for name, data in (("s1", line), ("s2", large), ("s3", names.replace(b"Edit", odd.encode()))):
        machine.append(name, data.replace(b'"s1"', b'"%b"' % name.encode()))
    machine.append("s4", machine.lines("s4", 1))
    machine.sweep()
    link = FaultyLink(at, hub.keys["laptop"], Random(0), 0)
    machine.collector(lambda: link).run(once=True)
    store = hub.store(identity.owner)

    assert seen(store, "laptop")["bytes"] == seen(machine.store)["bytes"]
    assert len(store.sources()) == 4
    assert {row.offset for row in store.sources()} == {
        row.offset for row in machine.store.sources()
    }
    assert b"\\u0000" in b"".join(data for _, _, data in seen(store, "laptop")["bytes"])


def test_rows_that_the_hub_refuses_are_set_aside_with_their_bytes(
    hub: HubDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity, at = hub.machine(), service(hub)
    machine = LocalMachine(tmp_path / "root")
    for name in ("s1", "s2"):
        machine.append(name, machine.lines(name, 1))
    machine.sweep()
    make = shipments.SourceShipper._shipment

    def twice(self: Any, local: Any, *given: Any) -> Any:
        made = make(self, local, *given)
        if local.row.session_id != "s2":
            return made
        return replace(made, batch=replace(made.batch, lines=made.batch.lines * 2))

    monkeypatch.setattr(shipments.SourceShipper, "_shipment", twice)
    link = FaultyLink(at, hub.keys["laptop"], Random(0), 0)
    machine.collector(lambda: link).run(once=True)
    store = hub.store(identity.owner)
    with hub.pool.connection() as connection:
        ((body,),) = connection.execute("SELECT body FROM quarantine").fetchall()
    rows = msgspec.msgpack.decode(body, type=Batch)

    assert sorted(row.offset for row in store.sources()) == sorted(
        row.offset for row in machine.store.sources()
    )
    assert [one.reason for one in store.bad_lines(limit=9)] == ["refused by the hub"]
    assert rows.source.session_id == "s2"
    assert [line.offset for line in rows.lines] == 2 * sorted({one.offset for one in rows.lines})
    assert seen(store, "laptop")["bytes"] == seen(machine.store)["bytes"]
