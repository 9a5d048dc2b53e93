"""Shipments: rows, bytes, checkpoint and feed at once, each once, and only about their sender."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from tests.hub.conftest import hub as hub
from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, mark_at, shipment
from tests.store.made import Source
from tests.store.stores import EVERYTHING
from tests.waiting import until
from unspool.errors import ShipmentUnfit
from unspool.model.files import OutputFile
from unspool.model.query import TextQuery, TotalsQuery
from unspool.model.rows import Batch
from unspool.model.shipping import Shipment, ShipMode, ShippedOutput, ShippedPiece
from unspool.store.pack import packed

HOSTILE = "nul \0 half \ud800"


def lines(source: Source, count: int) -> list[Shipment]:
    return [
        shipment(source.line(f"text {n}").spends(f"m:{source.row.session_id}.{n}").tells().batch())
        for n in range(count)
    ]


def test_rows_and_bytes_come_together(hub: HubDatabase) -> None:
    laptop = hub.machine()
    first, second = lines(Source(5), 2)
    receipt = hub.accept(laptop, first, second)
    store = hub.store(laptop.owner)
    (source,) = store.sources()

    assert (source.root, source.project_id, source.offset) == (
        "laptop:/claude",
        "laptop~-repo",
        200,
    )
    assert store.raw(source.source_id, 0, 100, 3) == b"xxx"
    assert [row.project_id for row in store.sessions(EVERYTHING)] == ["laptop~-repo"]
    assert [(one.local_id, one.offset, one.mark) for one in receipt.acked] == [
        (5, 200, mark_at(200).hex())
    ]
    assert receipt.seq == store.head() == 2
    assert hub.writer.states(laptop, 0).sources == receipt.acked


def test_a_repeat_changes_nothing(hub: HubDatabase) -> None:
    laptop = hub.machine()
    sent = lines(Source(5), 3)
    first = hub.accept(laptop, *sent)
    before = {name: rows for name, rows in hub.tables().items() if name != "machine"}
    again = [hub.accept(laptop, one) for one in (sent[0], sent[2], sent[1])]

    assert {name: rows for name, rows in hub.tables().items() if name != "machine"} == before
    assert [one.acked for one in again] == [first.acked] * 3


def test_a_gap_says_what_is_expected(hub: HubDatabase) -> None:
    laptop = hub.machine()
    one, two, three = lines(Source(5), 3)
    assert hub.accept(laptop, two).expected[0].offset == 0
    hub.accept(laptop, one)
    receipt = hub.accept(laptop, three, *lines(Source(6, "s6"), 1))

    assert [(s.local_id, s.offset) for s in receipt.expected] == [(5, 100)]
    assert [(s.local_id, s.offset) for s in receipt.acked] == [(6, 100)]


def test_a_new_edition_takes_the_place_of_the_old_one(hub: HubDatabase) -> None:
    laptop = hub.machine()
    hub.accept(laptop, *lines(Source(5), 3))
    anew = Source(5).line("another past").spends("m:new").batch()
    receipt = hub.accept(laptop, shipment(anew, edition=1))
    store = hub.store(laptop.owner)
    for _ in store.merge():
        pass

    assert receipt.acked[0].edition == 1
    assert [source.offset for source in store.sources()] == [100]
    assert len(store.search(TextQuery(terms="text"))) == 0
    assert len(store.search(TextQuery(terms="another"))) == 1
    assert sum(total.responses for total in store.totals(TotalsQuery())) == 4  # and stays paid
    assert hub.accept(laptop, shipment(anew, edition=1)).acked == receipt.acked


def test_under_newer_rules_older_bytes_are_dropped(hub: HubDatabase) -> None:
    laptop = hub.machine()
    batch = Source(5).line("x").batch()
    hub.accept(laptop, shipment(batch, b"secret " + b"x" * 93))
    again = replace(envelope(shipment(batch, b"***    " + b"x" * 93, edition=1)), rules=2)
    hub.writer.accept(laptop, again, 0)
    store = hub.store(laptop.owner)
    (source,) = store.sources()

    assert store.raw(source.source_id, 0, 0, 6) is None
    assert store.raw(source.source_id, 1, 0, 6) == b"***   "
    assert len(hub.tables()["line"]) == 1


def test_what_was_refused_goes_with_the_mode_it_was_sent_in(hub: HubDatabase) -> None:
    laptop = hub.machine()
    batch = Source(5).line("x").batch()
    hub.accept(laptop, shipment(batch, refused=b"as raw"))
    again = shipment(batch, edition=1, refused=b"covered")
    hub.writer.accept(laptop, replace(envelope(again), mode="redacted", rules=2), 0)

    with hub.pool.connection() as connection:
        assert connection.execute("SELECT body FROM quarantine").fetchall() == [(b"covered",)]
        ((count,),) = connection.execute("SELECT quarantined FROM machine").fetchall()
    assert count == 1


def test_an_output_that_was_begun_in_another_mode_is_told_to_be_of_both(hub: HubDatabase) -> None:
    laptop = hub.machine()
    file = OutputFile("/claude", "long.txt", "-repo", "s1", 6, 5)

    def send(mode: ShipMode, begins: int, data: bytes) -> tuple[int, str, int]:
        made = packed(0, 0, begins, data)
        piece = ShippedPiece(begins, made.end, made.checksum, made.packed)
        part = ShippedOutput(local_id=7, file=file, begins=begins, pieces=[piece])
        sent = replace(envelope(), mode=mode, rules=2 * (mode != "raw"), outputs=[part])
        (state,) = hub.writer.accept(laptop, sent, 0).acked
        return state.offset, state.mode, state.rules

    assert send("raw", 0, b"abc") == (3, "raw", 0)
    assert send("redacted", 3, b"def") == (6, "raw", -1)
    assert send("redacted", 0, b"***") == (3, "redacted", 2)
    assert send("redacted", 3, b"def") == (6, "redacted", 2)


def test_two_machines_with_the_same_files_stay_apart(hub: HubDatabase) -> None:
    one, two = hub.machine("one"), hub.machine("two")
    other = hub.machine("three", "bob")
    for sender in (one, two, other):
        hub.accept(sender, *lines(Source(5), 2))

    ids = {row.split(",")[0] for row in hub.tables()["shipped"]}
    assert len(ids) == 3
    names = [row.project_id for row in hub.store(one.owner).sessions(EVERYTHING)]
    assert sorted(names) == ["one~-repo", "two~-repo"]
    assert [s.project_id for s in hub.store(other.owner).sources()] == ["three~-repo"]
    assert sum(t.responses for t in hub.store(one.owner).totals(TotalsQuery())) == 2


@pytest.mark.parametrize(("count", "most"), [(64, 3)])
def test_envelopes_of_many_owners_share_a_transaction(
    hub: HubDatabase, count: int, most: int
) -> None:
    senders = [hub.machine(f"m{n}", f"p{n % 4}") for n in range(8)]
    sent = [(senders[n % 8], lines(Source(n, f"s{n}"), 1)[0]) for n in range(count)]
    with ThreadPoolExecutor(count) as threads:
        with hub.pool.connection() as connection, connection.transaction():
            connection.execute("SELECT 1 FROM person WHERE owner = 1 FOR UPDATE")
            first = threads.submit(hub.accept, *sent[0])
            assert until(lambda: hub.writer.queue._is_busy)
            rest = [threads.submit(hub.accept, sender, one) for sender, one in sent[1:]]
            assert until(lambda: len(hub.writer.queue._waiting) == count - 1)
        seqs = [one.result().seq for one in (first, *rest)]

    assert hub.writer.queue.transactions <= most
    assert sorted(seqs) == list(range(1, count + 1))
    for owner in {sender.owner for sender in senders}:
        assert len(hub.store(owner).sources()) == count // 4
        assert [c.seq for c in hub.store(owner).changes()] == sorted(
            seq for seq, (sender, _) in zip(seqs, sent, strict=True) if sender.owner == owner
        )


@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
def test_values_that_no_database_takes_are_cleaned(hub: HubDatabase, number: int) -> None:
    laptop = hub.machine()
    source = Source(5, "s\0").line(HOSTILE, turn=number).spends("m:1", 5, input_tokens=number)
    hub.accept(laptop, shipment(source.tells(title=HOSTILE).batch()))

    (row,) = hub.store(laptop.owner).sessions(EVERYTHING)
    assert row.title == "nul \ufffd half ?"


def test_rows_that_contradict_themselves_are_unfit(hub: HubDatabase) -> None:
    laptop = hub.machine()
    batch = Source(5).line("x").batch()
    twice = replace(batch, lines=batch.lines * 2)
    with pytest.raises(ShipmentUnfit):
        hub.accept(laptop, shipment(twice))

    assert hub.tables()["shipped"] == []
    bare = Batch(source=batch.source, begins=0, bad=Source(5).bad("refused").batch().bad)
    hub.accept(laptop, shipment(bare, refused=b"rows"))
    assert len(hub.tables()["quarantine"]) == 1
    assert hub.store(laptop.owner).sources()[0].offset == 100


def test_a_hook_finds_its_project_on_its_own_machine(hub: HubDatabase) -> None:
    """The same session id on two machines: a home that was copied."""
    one, two = hub.machine("one"), hub.machine("two")
    for sender in (one, two):
        hub.accept(sender, *lines(Source(5), 1))
    spool = Source(9, "", project="", kind="spool").line("x").hooks(session_id="s1", key="k")
    hub.accept(one, shipment(spool.batch()))
    store = hub.store(one.owner)

    assert [len(store.hooks(f"{name}~-repo", "s1")) for name in ("one", "two")] == [1, 0]
