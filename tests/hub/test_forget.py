"""Forgotten sessions: nothing is left of them on the hub, and no backup brings them back."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import httpx
from msgspec.structs import replace

from tests.engine.forgetting.planted import MARK, PROJECT, SESSION, WORDS, indexed, planted
from tests.engine.indexing.roots import PRICER
from tests.hub.collector.machine import FaultyLink, LocalMachine, service
from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.hub.processes import HubProcess
from tests.plain_http import NO_TLS
from tests.store.made import START, Source
from tests.waiting import until
from unspool.cli import config, main
from unspool.demo import Transcript
from unspool.hub.maintenance import HubMaintenance
from unspool.model.query import TotalsQuery
from unspool.model.shipping import MachineIdentity, Receipt, ShippedTombstone
from unspool.store.shipping import tombstone_digest, tombstone_name


def test_nothing_of_a_forgotten_session_is_left_and_a_backup_does_not_bring_it_back(
    hub: HubDatabase, home: Path, tmp_path: Path
) -> None:
    other = hub.machine("desk", "bob")
    hub.accept(other, shipment(Source(5, SESSION, project=PROJECT).line("kept").tells().batch()))
    planted(home / ".claude", home / "unspool")
    indexed(home / ".claude")
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()

        def status(session: str, machine: str = "laptop") -> int:
            headers = {"authorization": f"Bearer {runtime.token}"}
            url = f"{runtime.url}/s/{machine}~{PROJECT}/{session}"
            return httpx.get(url, headers=headers, timeout=60, verify=NO_TLS).status_code

        code = hub.people.new_code(hub.people.people()[0].owner, config.now())
        send, first = ["collect", "--once"], ["--code", code, "--name", "laptop", "--mode", "raw"]
        assert main([*send, "--hub", runtime.url, *first]) == 0
        assert until(lambda: status(SESSION) == 200 and not hub.tables()["new_text"])
        assert set(WORDS) - hub.holds(WORDS) == {MARK}  # which stays on the machine
        shutil.copytree(home / "unspool", tmp_path / "backup")
        assert main(["forget", SESSION, "--yes"]) == 0
        assert main(send) == 0
        assert until(lambda: status(SESSION) == 404 and not hub.tables()["stale_word"])
        left, ids = hub.holds(WORDS), hub.holds([SESSION])
        shutil.rmtree(home / "unspool")
        shutil.copytree(tmp_path / "backup", home / "unspool")
        assert main(send) == 0
        assert until(lambda: not hub.tables()["new_text"])

        assert (status("session-kept"), status(SESSION)) == (200, 404)

    assert (left, hub.holds(WORDS)) == (set(), set())
    assert ids == {SESSION}
    assert hub.store(other.owner).sources_of(f"desk~{PROJECT}", SESSION)
    assert "alpha" in repr(hub.tables()["hook"])  # an event of a spool that was sent again
    assert "alpha" in repr(hub.tables()["word"])


def tombstone(session: str, at: int = 1, *, is_restored: bool = False) -> ShippedTombstone:
    return ShippedTombstone(tombstone_name("-repo", session), at, is_restored)


def forget(hub: HubDatabase, sender: MachineIdentity, *some: ShippedTombstone) -> Receipt:
    return hub.writer.accept(sender, replace(envelope(), forgotten=list(some)), START)


def test_a_forgotten_session_is_refused_until_it_is_restored(hub: HubDatabase) -> None:
    laptop, desk = hub.machine(), hub.machine("desk")
    sent = shipment(Source(5, "s1").line("text").spends("m:1").tells().batch())
    hub.accept(desk, sent)
    hub.accept(laptop, sent)
    forget(hub, laptop, tombstone("s1"))
    assert hub.accept(laptop, sent).refused == (5,)
    there = hub.store(laptop.owner)
    assert [row.project_id for row in there.sources()] == ["desk~-repo"]
    assert hub.writer.states(laptop, -1).sources == ()

    forget(hub, laptop, tombstone("s1", 0, is_restored=True))
    assert hub.accept(laptop, sent).refused == (5,)  # an older word does not count
    forget(hub, laptop, tombstone("s1", 2, is_restored=True))
    assert hub.accept(laptop, sent).refused == ()
    assert len(there.sources()) == 2


def test_while_words_of_a_session_are_made_its_erasure_waits_and_holds_nothing(
    hub: HubDatabase,
) -> None:
    laptop = hub.machine()
    hub.accept(laptop, shipment(Source(5, "s1").line("text").tells().batch()))

    def is_held_up() -> bool:
        with hub.pool.connection() as connection:
            return connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").rowcount > 0

    with ThreadPoolExecutor(1) as threads, hub.pool.connection() as projection:
        with projection.transaction():
            projection.execute("SELECT 1 FROM source FOR SHARE")
            forgotten = threads.submit(forget, hub, laptop, tombstone("s1"))
            assert until(is_held_up)
            projection.execute("SET LOCAL lock_timeout = '10s'")
            assert projection.execute("DELETE FROM new_text").rowcount == 1
        assert forgotten.result(60).refused == ()
    assert hub.tables()["source"] == []


def test_tombstones_are_told_to_a_machine_that_has_others(hub: HubDatabase) -> None:
    laptop = hub.machine()
    mine = [tombstone("s1"), tombstone("s2", 5)]
    forget(hub, laptop, *mine)
    same = hub.writer.states(laptop, -1, forgotten=tombstone_digest(reversed(mine)))
    other = hub.writer.states(laptop, -1, forgotten=tombstone_digest(mine[:1]))

    assert (same.forgotten, set(other.forgotten or ())) == (None, set(mine))
    assert hub.writer.states(laptop, -1).forgotten is None
    assert hub.writer.states(hub.machine("desk"), -1, forgotten="").forgotten == ()


def test_a_fork_then_owns_what_it_repeats(hub: HubDatabase, tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    first = Transcript("s1").user("hello").says("hi", id="m1", usage={"output_tokens": 9})
    later = Transcript("s2", start="2026-02-01T10:00:00.000Z")
    later.user("hello").says("hi", id="m1", usage={"output_tokens": 9})
    for made in (first, later):
        made.save(machine.path)
    machine.sweep()
    laptop = hub.machine()
    link = FaultyLink(service(hub), hub.keys["laptop"], Random(0), 0)
    machine.collector(lambda: link).run(once=True)
    store, maintenance = (
        hub.store(laptop.owner),
        HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0),
    )

    def owners() -> dict[str, int]:
        return {
            one.session_id: one.output_tokens for one in store.totals(TotalsQuery(by="session"))
        }

    assert owners() == {"s1": 9}
    forget(hub, laptop, tombstone("s1"))
    while maintenance.step():
        pass
    assert owners() == {"s2": 9}
    assert store.check(thorough=True) == []
