"""Boards of machines: each owner's for those who may see it, said by one socket at a time."""

from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.store.made import START, Source
from unspool.model.secondary import MOST_ROWS, Hello, QueueMessage, RawPlace
from unspool.store.postgres.live import LiveTable, OpenLink
from unspool.store.postgres.people import hashed


def opened(hub: HubDatabase, machine: str, person: str, link: str) -> OpenLink:
    of = OpenLink(hub.machine(machine, person), link)
    LiveTable(hub.pool).opened(of, Hello(version="1", mode="raw"), START)
    return of


def test_rows_are_seen_by_whom_they_may_be_seen(hub: HubDatabase) -> None:
    live = LiveTable(hub.pool)
    ada, bob = opened(hub, "laptop", "ada", "a"), opened(hub, "desk", "bob", "b")
    for of in (ada, bob):
        assert live.put(of, {("p", "s"): of.link.encode()}, whole=True, now=START)

    both = [ada.sender.owner, bob.sender.owner]
    assert [(one.machine, one.row) for one in live.rows(both, START)] == [
        ("laptop", b"a"),
        ("desk", b"b"),
    ]
    assert [one.machine for one in live.rows([bob.sender.owner], START)] == ["desk"]
    assert live.machine("desk", [ada.sender.owner]) is None
    found = live.machine("desk", [bob.sender.owner])
    assert found is not None
    assert found.is_linked


def test_only_the_newest_socket_of_a_machine_is_heard(hub: HubDatabase) -> None:
    live, old = LiveTable(hub.pool), opened(hub, "laptop", "ada", "old")
    new = OpenLink(old.sender, "new")
    live.opened(new, Hello(), START)
    live.queue(new, QueueMessage(bytes=7))

    assert not live.put(old, {("p", "s"): b"x"}, whole=True, now=START)
    live.queue(old, QueueMessage(bytes=9))
    live.closed(old)
    assert live.seen({"old": 0, "new": 5}, START + 1) == {"new"}
    (row,) = hub.people.machines(0, START + 1, [1])
    assert (row.connected_at, row.queue_bytes, row.skew_ms) == (START, 7, -5)
    assert live.rows([1], START) == []
    live.closed(new)
    assert hub.people.machines(0, START, [1])[0].connected_at is None


def test_a_sign_of_life_waits_for_no_commit_of_another_machine(hub: HubDatabase) -> None:
    opened(hub, "laptop", "ada", "a")
    opened(hub, "desk", "bob", "b")
    with hub.pool.connection() as other, other.transaction():
        other.execute("SELECT 1 FROM machine WHERE name = 'laptop' FOR UPDATE")
        known = LiveTable(hub.pool).seen({"a": 1, "b": 2, "gone": 3}, START + 1)
    rows = {row.name: row.skew_ms for row in hub.people.machines(0, START + 1, [1, 2])}

    assert known == {"a", "b"}
    assert rows == {"laptop": None, "desk": -2}


def test_a_machine_has_so_many_rows_and_no_more(hub: HubDatabase) -> None:
    live, of = LiveTable(hub.pool), opened(hub, "laptop", "ada", "a")
    for begin in (0, MOST_ROWS):
        rows = {("p", f"s{n}"): b"x" for n in range(begin, begin + MOST_ROWS)}
        assert live.put(of, rows, whole=False, now=START + begin)

    assert len(live.rows([1], START)) == MOST_ROWS
    assert live.put(of, {}, [("p", f"s{MOST_ROWS}")], whole=False, now=START)
    assert len(live.rows([1], START)) == MOST_ROWS - 1


def test_keys_that_are_good(hub: HubDatabase) -> None:
    live = LiveTable(hub.pool)
    for name in ("laptop", "desk"):
        hub.machine(name)
    keys = {name: hashed(key) for name, key in hub.keys.items()}
    hub.people.revoke("desk", START)

    assert live.good_keys([*keys.values(), b"unknown"], START) == {keys["laptop"]}


def test_where_a_machine_has_the_line_of_an_event(hub: HubDatabase) -> None:
    live, of = LiveTable(hub.pool), opened(hub, "laptop", "ada", "a")
    hub.accept(of.sender, shipment(Source(5).line("one").line("two").batch()))
    (source,) = hub.store(of.sender.owner).sources()
    id, machine = source.source_id, live.machine("laptop", [of.sender.owner])
    assert machine is not None

    found = live.places(machine, [(id, 0, 100), (id, 0, 0)])
    assert [(one.local_id, one.generation, one.offset) for one in found] == [(5, 0, 100), (5, 0, 0)]
    assert isinstance(found[0], RawPlace)
    assert live.places(machine, [(id, 0, 7), (id, 1, 0), (id + 1, 0, 0)]) == []
    assert live.places(machine, []) == []
