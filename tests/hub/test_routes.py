"""Routes of machines: a key opens them and nothing else, and nothing in a body says who sends."""

import socket
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest
from msgspec.structs import replace

from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.hub.serving import Clock, listening
from tests.store.made import Source
from unspool.hub.envelope import MOST_PACKED, sealed
from unspool.hub.keys import REMEMBERED_MS
from unspool.model.shipping import Envelope

ROUTES = (
    ("GET", "/api/ingest/state"),
    ("POST", "/api/ingest"),
    ("GET", "/api/hub"),
    ("GET", "/api/machines/laptop/lines"),
)
ZSTD = {"content-encoding": "zstd"}


class Site:
    """A listening hub with two machines and a person."""

    def __init__(self, hub: HubDatabase, url: str, clock: Clock) -> None:
        self.hub, self.clock = hub, clock
        self.token = hub.person("eve", "member")
        self.machines = {name: hub.machine(name) for name in ("laptop", "other")}
        self.client = httpx.Client(base_url=url, timeout=60)

    def ask(self, method: str, path: str, secret: str = "", body: bytes = b"") -> httpx.Response:
        headers = {"authorization": f"Bearer {secret}"} if secret else {}
        return self.client.request(method, path, content=body, headers={**headers, **ZSTD})

    def send(self, given: Envelope, machine: str = "laptop") -> httpx.Response:
        return self.ask("POST", "/api/ingest", self.hub.keys[machine], sealed(given))


@pytest.fixture
def site(hub: HubDatabase) -> Iterator[Site]:
    clock = Clock()
    with listening(hub, clock) as url:
        made = Site(hub, url, clock)
        yield made
        made.client.close()


def test_each_route_opens_for_whom_it_should(site: Site) -> None:
    good = sealed(envelope())
    revoked = site.hub.keys["other"]
    site.hub.people.revoke("other", site.clock())
    secrets = {
        "nobody": "", "wrong": "uk_made-up", "machine": site.hub.keys["laptop"],
        "revoked": revoked, "person": site.token,
    }  # fmt: skip
    found = {}
    for method, path in ROUTES:
        for who, secret in secrets.items():
            body = good if method == "POST" else b""
            found[path, who] = site.ask(method, path, secret, body).status_code
        site.clock.at += 60_000  # wrong secrets are counted for a minute
    # A person may ask, but has to say for which events.
    assert found.pop(("/api/machines/laptop/lines", "person")) == 400
    opened = {place for place, status in found.items() if status == 200}

    assert opened == {
        ("/api/ingest/state", "machine"), ("/api/ingest", "machine"), ("/api/hub", "person"),
    }  # fmt: skip
    assert {status for place, status in found.items() if place not in opened} == {401}


def test_a_body_says_nothing_about_who_sends(site: Site) -> None:
    """The ids of another machine's source, its project and its root, sent with one's own key."""
    mine = Source(5).line("x").spends("m:1").batch()
    site.send(envelope(shipment(mine)), "other")
    forged = replace(mine, source=replace(mine.source, root="other:/claude", project_id="other~x"))
    answer = site.send(envelope(shipment(forged)))

    assert answer.status_code == 200
    names = sorted(row.split(",")[2] for row in site.hub.tables()["session"])
    assert [row.project_id for row in site.hub.store(2).sources()] == [
        "other~-repo", "laptop~other~x",
    ]  # fmt: skip
    assert len(names) == 2
    page = site.ask("GET", "/api/ingest/state", site.hub.keys["other"]).json()
    assert [one["offset"] for one in page["sources"]] == [100]


def test_a_revoked_key_is_refused_within_five_seconds(site: Site) -> None:
    key = site.hub.keys["laptop"]
    assert site.ask("GET", "/api/ingest/state", key).status_code == 200
    site.hub.people.revoke("laptop", site.clock())
    site.clock.at += REMEMBERED_MS

    answer = site.ask("GET", "/api/ingest/state", key)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_what_cannot_be_read_is_a_problem_with_its_status(site: Site) -> None:
    key = site.hub.keys["laptop"]
    zeros = b"x" * (MOST_PACKED + 1)
    asked = {
        413: zeros,
        422: b"no zstd",
        426: sealed(replace(envelope(), v=0)),
    }
    for status, body in asked.items():
        answer = site.ask("POST", "/api/ingest", key, body)
        assert (answer.status_code, answer.json()["status"]) == (status, status)
    headers = {"authorization": f"Bearer {key}"}
    plain = site.client.post("/api/ingest", content=sealed(envelope()), headers=headers)
    assert plain.status_code == 422


def test_a_gap_is_a_conflict_that_says_what_is_expected(site: Site) -> None:
    source = Source(5)
    first, second = (shipment(source.line(text).batch()) for text in "xy")
    answer = site.send(envelope(second))

    assert answer.status_code == 409
    assert answer.json()["expected"][0]["offset"] == 0
    assert site.send(envelope(first, second)).json()["acked"][0]["offset"] == 200


def test_a_database_that_does_not_answer_is_503(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.hub.pool, "timeout", 0.2)
    site.ask("GET", "/api/ingest/state", site.hub.keys["laptop"])  # its key is known
    held = [site.hub.pool.getconn(timeout=60) for _ in range(8)]
    try:
        answer = site.send(envelope(shipment(Source(5).line("x").batch())))
    finally:
        for one in held:
            site.hub.pool.putconn(one)

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert site.send(envelope(shipment(Source(5).line("x").batch()))).status_code == 200


def test_enrolling_takes_a_code_and_wrong_ones_are_counted(site: Site) -> None:
    code = site.hub.people.new_code(1, site.clock())
    asked = {"code": code, "name": "desk", "platform": "Linux"}
    taken = site.client.post("/api/enrol", json={**asked, "name": "laptop"})
    answer = site.client.post("/api/enrol", json=asked)
    later = {**asked, "code": site.hub.people.new_code(1, site.clock()), "name": "later"}
    bad = [site.client.post("/api/enrol", json={**asked, "code": "x"}) for _ in range(11)]
    untried = site.client.post("/api/enrol", json=later)
    site.clock.at += 60_000
    tried = site.client.post("/api/enrol", json=later)
    names = ["", "A", "r2", "a b", "x" * 41, "-a"]
    wrong = [site.client.post("/api/enrol", json={**asked, "name": name}) for name in names]

    assert (taken.status_code, answer.status_code) == (409, 200)
    assert site.ask("GET", "/api/ingest/state", answer.json()["key"]).status_code == 200
    assert [one.status_code for one in bad] == [401] * 10 + [429]
    assert bad[-1].headers["retry-after"] == "60"
    assert (untried.status_code, tried.status_code) == (429, 200)
    assert {one.status_code for one in wrong} == {422}


def test_wrong_keys_are_counted_and_hold_up_no_machine_that_is_known(site: Site) -> None:
    laptop, other = (site.hub.keys[name] for name in ("laptop", "other"))

    def status(secret: str, path: str = "/api/ingest/state") -> int:
        return site.ask("GET", path, secret).status_code

    assert status(laptop) == 200
    wrong = [status(f"uk_{number}") for number in range(9)]
    mistaken = status("up_x", "/api/hub")
    after = [status(one) for one in ("uk_x", other, laptop)]
    site.clock.at += REMEMBERED_MS
    still = status(laptop)
    site.clock.at += 60_000

    assert (wrong, mistaken) == ([401] * 9, 401)
    assert (after, still) == ([429, 429, 200], 200)
    assert status(other) == 200


@pytest.mark.parametrize("header", ["Content-Length: 1073741824", "Transfer-Encoding: chunked"])
def test_a_body_of_a_gigabyte_is_refused_before_it_has_come(site: Site, header: str) -> None:
    base = site.client.base_url
    parts = [
        "POST /api/ingest HTTP/1.1", f"Host: {base.host}", header, "Content-Encoding: zstd",
        f"Authorization: Bearer {site.hub.keys['laptop']}", "", "",
    ]  # fmt: skip
    piece = b"x" * 65_536
    with socket.create_connection((base.host, base.port or 80), 60) as link:
        link.sendall("\r\n".join(parts).encode())
        with suppress(OSError):  # the hub hangs up
            for _ in range(MOST_PACKED // len(piece) + 2):
                link.sendall(b"10000\r\n%b\r\n" % piece if "chunked" in header else piece)
        answer = link.recv(65_536)

    assert answer.startswith(b"HTTP/1.1 413 ")
