"""How much a hub takes at once: what is too much is said before it is in memory, and holds up
nobody else.
"""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from tests.engine.indexing.roots import PRICER
from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.hub.serving import Clock, listening
from tests.store.made import Source
from tests.waiting import until
from unspool.hub import intake, routes
from unspool.hub.envelope import sealed
from unspool.hub.service import HubPools, HubService
from unspool.store.postgres.database import open_pool


class Site:
    """A listening hub, and what it is busy with."""

    def __init__(self, hub: HubDatabase, url: str, service: HubService) -> None:
        self.hub, self.service = hub, service
        self.client = httpx.Client(base_url=url, timeout=60)

    def get(self, path: str, secret: str) -> httpx.Response:
        return self.client.get(path, headers={"authorization": f"Bearer {secret}"})

    def send(self, machine: str, number: int = 1) -> httpx.Response:
        headers = {
            "authorization": f"Bearer {self.hub.keys[machine]}",
            "content-encoding": "zstd",
        }
        body = sealed(envelope(shipment(Source(number, f"s{number}").line("x").batch())))
        return self.client.post("/api/ingest", content=body, headers=headers)

    @contextmanager
    def unsent(self, machine: str) -> Iterator[socket.socket]:
        """A request whose body never comes."""
        base = self.client.base_url
        head = [
            "POST /api/ingest HTTP/1.1", f"Host: {base.host}", "Content-Length: 100",
            "Content-Encoding: zstd", f"Authorization: Bearer {self.hub.keys[machine]}", "", "",
        ]  # fmt: skip
        with socket.create_connection((base.host, base.port or 80), 60) as link:
            link.sendall("\r\n".join(head).encode())
            yield link


@pytest.fixture
def site(hub: HubDatabase) -> Iterator[Site]:
    service = HubService(hub.pool, PRICER.price_of, Clock(), weeks_ahead=0)
    with listening(hub, service=service) as url:
        made = Site(hub, url, service)
        yield made
        made.client.close()


@contextmanager
def no_commits(hub: HubDatabase) -> Iterator[None]:
    """As long as a disk that hangs would: whoever writes for somebody waits."""
    with hub.pool.connection() as connection, connection.transaction():
        connection.execute("SELECT 1 FROM person FOR UPDATE")
        yield


def test_a_request_is_counted_before_its_body_has_come(site: Site) -> None:
    site.hub.machine("laptop")
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(site.unsent("laptop"))
        assert until(lambda: site.service.intake.busy == 4)
        fifth = stack.enter_context(site.unsent("laptop"))
        told = fifth.recv(65_536)
    assert told.startswith(b"HTTP/1.1 429 ")
    assert b"retry-after: 1\r\n" in told
    assert until(lambda: site.service.intake.busy == 0)  # they hung up

    assert site.send("laptop").status_code == 200


def test_a_body_that_does_not_come_loses_its_place(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_BODY_SECONDS", 0.01)
    site.hub.machine("laptop")
    with site.unsent("laptop") as link:
        assert link.recv(65_536).startswith(b"HTTP/1.1 408 ")
    assert site.service.intake.busy == 0


def test_while_nothing_is_committed_others_are_told_to_wait_and_people_read(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "_OF_ALL", 40)
    token = site.hub.person("eve", "member")
    names = [f"m{number}" for number in range(11)]
    for name in names:
        site.hub.machine(name)
    *full, last = names
    with ThreadPoolExecutor(50) as threads:
        with no_commits(site.hub):
            sent = [threads.submit(site.send, name, n) for name in full for n in range(4)]
            # More than a pool of threads has: some wait for one of them.
            assert until(lambda: site.service.intake.busy == 40)
            one_more, too_many = site.send(last), site.send(full[0])
            read = site.get("/api/hub", token)
            state = site.get("/api/ingest/state", site.hub.keys[last])
        taken = [one.result().status_code for one in sent]

    assert (one_more.status_code, one_more.headers["retry-after"]) == (503, "5")
    assert too_many.status_code == 429
    assert (read.status_code, state.status_code) == (200, 503)
    assert taken == [200] * 40
    assert site.send(last).status_code == 200


def test_machines_that_wait_hold_no_connection_that_people_need(hub: HubDatabase) -> None:
    token, writing = hub.person("eve", "member"), open_pool(hub.url)
    service = HubService(HubPools(hub.pool, writing), PRICER.price_of, Clock(), weeks_ahead=0)
    for name in (names := ("m0", "m1", "m2")):
        hub.machine(name)
    with listening(hub, service=service) as url, ThreadPoolExecutor(12) as threads:
        site = Site(hub, url, service)
        with hub.pool.connection() as connection, connection.transaction():
            connection.execute("LOCK TABLE shipped")
            keys = [hub.keys[name] for name in names for _ in range(4)]
            asked = [threads.submit(site.get, "/api/ingest/state?after=0", key) for key in keys]
            # All of its connections are taken.
            assert until(lambda: writing.get_stats().get("requests_waiting") == 4)
            read = site.get("/api/hub", token)
        answers = [one.result().status_code for one in asked]
        site.client.close()
    writing.close()

    assert (read.status_code, answers) == (200, [200] * 12)
