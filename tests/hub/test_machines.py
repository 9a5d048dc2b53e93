"""Machines of a hub: what they say of themselves, the same in command, API and page."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from tests.engine.indexing.roots import NOW
from tests.hub.collector.machine import FaultyLink, LocalMachine, service
from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.hub.processes import HubProcess
from tests.plain_http import NO_TLS
from tests.store.made import START, Source
from tests.waiting import until
from unspool import __version__
from unspool.cli import config, main
from unspool.demo import Transcript
from unspool.hub.machines import machine_rows
from unspool.hub.service import HubService
from unspool.model.shipping import MachineIdentity, MachineReport, MachineRow, SourceState


def row(hub: HubDatabase, now: int = START) -> MachineRow:
    (found,) = machine_rows(hub.people, now)
    return found


def link_of(hub: HubDatabase, at: HubService | None = None) -> FaultyLink:
    """One that loses nothing."""
    return FaultyLink(at or service(hub), hub.keys["laptop"], Random(0), 0)


def collect(hub: HubDatabase, machine: LocalMachine) -> None:
    machine.sweep()
    link = link_of(hub)
    machine.collector(lambda: link).run(once=True)


def reported(hub: HubDatabase, sender: MachineIdentity, at: int, **said: Any) -> MachineRow:
    """The machine after an envelope with one line and a report."""
    given = replace(
        envelope(shipment(Source(5, at=at).line("x").batch())), report=MachineReport(**said)
    )
    hub.writer.accept(sender, given, START)
    return row(hub)


def test_a_collector_says_what_it_is_and_how_far(hub: HubDatabase, tmp_path: Path) -> None:
    hub.machine()
    machine = LocalMachine(tmp_path / "root")
    machine.append("s1", machine.lines("s1", 2))
    collect(hub, machine)

    found = row(hub, NOW)
    assert (found.version, found.platform, found.mode) == ("1.2.3", "Linux", "raw")
    assert (found.seen_at, found.skew_ms) == (NOW, 0)
    assert (found.queue_bytes, found.lag_ms, found.sources) == (0, 0, 1)


def test_what_the_hub_lacks_is_counted_line_by_line(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    paths = [machine.append(name, machine.lines(name, 2)) for name in ("s1", "s2")]
    machine.sweep()
    queue, sizes = machine.queue(), [path.stat().st_size for path in paths]
    queue.compare([])
    assert queue.report(()).waiting_bytes == sum(sizes)

    first, second = machine.store.sources()
    queue.told([SourceState(local_id=first.source_id, offset=first.offset)])
    assert queue.report(()).waiting_bytes == second.offset
    assert queue.report(()).waiting_at == second.mtime_ns // 1_000_000
    sent = shipment(Source(second.source_id).line().batch())
    assert queue.report([sent]).waiting_bytes == second.offset - sent.batch.source.offset


def test_a_collector_with_nothing_to_send_is_seen(hub: HubDatabase, tmp_path: Path) -> None:
    hub.machine()
    collect(hub, LocalMachine(tmp_path / "root"))

    found = row(hub, NOW)
    assert (found.seen_at, found.queue_bytes, found.version) == (NOW, 0, "1.2.3")


def test_a_machine_that_only_asks_is_seen(hub: HubDatabase) -> None:
    sender = hub.machine()
    assert row(hub).seen_at is None
    service(hub).states(sender, -1)

    assert row(hub).seen_at == NOW


def test_an_envelope_of_an_older_collector_is_taken_and_tells_less(hub: HubDatabase) -> None:
    sender = hub.machine()
    hub.accept(sender, shipment(Source(5).line("x").batch()))

    found = row(hub)
    assert (found.version, found.platform, found.queue_bytes, found.lag_ms) == (None,) * 4
    assert (found.seen_at, found.mode, found.sources) == (START, "raw", 1)


def test_the_lag_is_from_the_newest_line_here_to_the_newest_there(hub: HubDatabase) -> None:
    sender = hub.machine()
    here = START + 1000
    assert reported(hub, sender, START, waiting_bytes=7, waiting_at=here + 90_000).lag_ms == 90_000
    assert reported(hub, sender, START, waiting_bytes=7, waiting_at=here - 90_000).lag_ms == 0
    assert reported(hub, sender, START, waiting_bytes=7).lag_ms is None
    assert reported(hub, sender, START, waiting_bytes=0).lag_ms == 0


@pytest.mark.parametrize("behind", [4_000, -7_000])
def test_the_skew_is_the_clock_of_the_hub_minus_that_of_the_machine(
    hub: HubDatabase, behind: int
) -> None:
    sender = hub.machine()
    hub.writer.accept(sender, replace(envelope(), sent_at=START - behind), START)

    assert row(hub).skew_ms == behind


def test_only_what_was_spent_today_is_counted(hub: HubDatabase) -> None:
    laptop, desk = hub.machine(), hub.machine("desk", "bob")
    day = 86_400_000
    old, new = Source(1, "s1", at=START - day), Source(2, "s2", at=START)
    old.line("x").spends("m:1", 5).tells()
    new.line("y").spends("m:2", 7).tells()
    hub.accept(laptop, shipment(old.batch()), shipment(new.batch()))
    other = Source(3, "s3", at=START).line("z").spends("m:3", 9, model="unknown").tells()
    hub.accept(desk, shipment(other.batch()))
    there, here = machine_rows(hub.people, START + 2000)
    only = hub.store(laptop.owner).usage_of([("laptop~-repo", "s2")])[("laptop~-repo", "s2")]

    assert (here.name, here.sessions_today, there.sessions_today) == ("laptop", 1, 1)
    assert here.cost_today_usd == only[0].usd_pico / 1e12 != 0
    later = machine_rows(hub.people, START + 2 * day)
    assert [(one.sessions_today, one.cost_today_usd) for one in later] == [(0, 0.0), (0, 0.0)]


class Site:
    """A hub with a machine that collected, and a revoked one that said nothing of itself."""

    def __init__(self, hub: HubDatabase, home: Path, hub_home: Path) -> None:
        Transcript("s1").user("count the kettles").says("Three.").save(home / ".claude")
        self._hub, self._process = hub, HubProcess(hub.url, hub_home)
        self._runtime = self._process.start()

    def fill(self) -> None:
        hub, url = self._hub, self._runtime.url
        owner = next(one.owner for one in hub.people.people() if one.role == "admin")
        code = hub.people.new_code(owner, config.now())
        assert main(["index", "build"]) == 0
        send = ["collect", "--once", "--hub", url, "--code", code, "--name", "laptop"]
        assert main(send) == 0
        desk = hub.machine("desk", "bob")
        hub.accept(desk, shipment(Source(5, "s2").line("text").spends("m:2").tells().batch()))
        hub.people.revoke("desk", config.now())
        assert until(lambda: self.projects("") == {"laptop~-repo", "desk~-repo"})
        assert until(lambda: ">desk</span>" in self.ask("/sessions").text)  # and there are several

    def ask(self, path: str) -> httpx.Response:
        headers = {"authorization": f"Bearer {self._runtime.token}", "accept": "text/html"}
        return httpx.get(self._runtime.url + path, headers=headers, timeout=60, verify=NO_TLS)

    def projects(self, query: str) -> set[str]:
        items = self.ask(f"/api/sessions{query}").json()["items"]
        return {one["session"]["projectId"] for one in items}

    def command(self, capsys: pytest.CaptureFixture[str], *options: str) -> str:
        capsys.readouterr()
        assert main(["hub", "machines", *options, "--database-url", self._hub.url]) == 0
        return capsys.readouterr().out

    def close(self) -> None:
        self._process.kill()


@pytest.fixture
def site(hub: HubDatabase, home: Path, tmp_path: Path) -> Iterator[Site]:
    made = Site(hub, home, tmp_path / "hub")
    try:
        made.fill()
        yield made
    finally:
        made.close()


def test_command_api_and_page_say_the_same(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(site.command(capsys, "--json"))
    answered, page = site.ask("/api/machines").json()["items"], site.ask("/machines").text
    desk, laptop = site.command(capsys).splitlines()

    assert told == answered
    assert [one["name"] for one in told] == ["desk", "laptop"]
    assert (told[1]["version"], told[1]["queueBytes"]) == (__version__, 0)
    assert (told[0]["version"], told[0]["queueBytes"], told[0]["lagMs"]) == (None, None, None)
    assert ("revoked" in desk, "up to date" in laptop, "revoked" in laptop) == (True, True, False)
    for text in ('href="/sessions?machine=desk"', ">revoked<", __version__, "up to date"):
        assert text in page


def test_searches_and_costs_of_a_hub_are_those_of_a_machine(site: Site) -> None:
    def sessions(machine: str) -> set[str]:
        asked = site.ask(f"/api/cost?by=session&machine={machine}").json()["sessions"]
        return {one["sessionId"] for one in asked}

    def found(machine: str) -> set[str]:
        items = site.ask(f"/api/search?q=kettles&machine={machine}").json()["items"]
        return {one["sessionId"] for one in items}

    assert until(lambda: found("") == {"s1"})
    assert (found("laptop"), found("desk"), found("nobody")) == ({"s1"}, set(), set())
    assert (sessions(""), sessions("laptop"), sessions("desk"), sessions("nobody")) == (
        {"s1", "s2"},
        {"s1"},
        {"s2"},
        set(),
    )
    spend = {name: site.ask(f"/spend?range=all&machine={name}").text for name in ("desk", "nobody")}
    assert '<option value="desk" selected' in spend["desk"]
    assert ("No usage matches" in spend["desk"], "No usage matches" in spend["nobody"]) == (
        False,
        True,
    )


def test_sessions_of_a_hub_are_listed_by_machine(site: Site) -> None:
    listed, both = site.ask("/sessions?machine=laptop").text, site.ask("/sessions").text

    assert site.projects("?machine=laptop") == {"laptop~-repo"}
    assert site.projects("?machine=lap") | site.projects("?machine=nobody") == set()
    assert ("/s/laptop~-repo/s1" in listed, "/s/desk~-repo/s2" in listed) == (True, False)
    assert "1 session match" in listed
    for text in ('<span class="mono">laptop</span>', '<span class="mono">desk</span>'):
        assert text in both
    assert 'href="/machines"' in both
