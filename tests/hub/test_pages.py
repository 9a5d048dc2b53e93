"""The pages of a hub: everything that machines have sent, and nothing for those without a token."""

import threading
from pathlib import Path

import httpx
import pytest

from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.hub.processes import HubProcess
from tests.plain_http import NO_TLS
from tests.store.made import START, Source, price
from tests.store.stores import EVERYTHING
from tests.waiting import until
from unspool.cli import config, main
from unspool.demo import Transcript
from unspool.hub import pages
from unspool.hub.envelope import sealed
from unspool.hub.pages import HubView
from unspool.hub.service import HubService
from unspool.store.postgres.database import open_pool
from unspool.store.postgres.erasing import PersonEraser
from unspool.store.postgres.notify import ChangeNotifier


def sent(hub: HubDatabase, machine: str, person: str, project: str = "-repo") -> None:
    """One file of a machine, either of whom may be new."""
    sender = hub.machine(machine, person)
    hub.accept(sender, shipment(Source(5, project=project).line("text").tells().batch()))


def test_people_and_machines_are_seen_as_they_come(hub: HubDatabase) -> None:
    hub.person()
    view = HubView(hub.pool, 1, weeks_ahead=0)
    assert (view.roots, view.store.sessions(EVERYTHING)) == ([], [])

    sent(hub, "laptop", "ada")
    sent(hub, "desk", "bob", "r2~-repo")
    view.refresh()

    assert {(root.path, root.prefix) for root in view.roots} == {
        ("laptop:/claude", "laptop~"),
        ("desk:/claude", "desk~r2~"),
    }
    assert {row.project_id for row in view.store.sessions(EVERYTHING)} == {
        "laptop~-repo",
        "desk~r2~-repo",
    }
    again = list(view.roots)
    view.refresh()
    assert view.roots == again


def test_whoever_follows_is_woken_by_what_is_new(hub: HubDatabase) -> None:
    hub.person()
    view, woken = HubView(hub.pool, 1, weeks_ahead=0), list[int]()
    end = view.listen(lambda: woken.append(view.store.head()))
    try:
        sent(hub, "laptop", "ada")
        assert until(lambda: 1 in woken)
    finally:
        end()


def test_a_machine_that_is_erased_meanwhile_ends_no_view(
    hub: HubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent(hub, "laptop", "ada")
    view, woken = HubView(hub.pool, 1, weeks_ahead=0), list[int]()
    sent(hub, "desk", "bob")
    owner_of = view.people.machine_owner

    def erased(name: str) -> int:
        if name == "desk":
            PersonEraser(hub.pool).erase("bob", START)
        return owner_of(name)

    monkeypatch.setattr(view.people, "machine_owner", erased)
    end = view.listen(lambda: woken.append(view.store.head()))
    try:
        assert until(lambda: "bob" not in {one.name for one in hub.people.people()})
        hub.accept(hub.machine("tower", "ada"), shipment(Source(6).line().tells().batch()))
        assert until(lambda: view.store.head() in woken)
        assert until(lambda: {one.machine for one in view.roots} == {"laptop", "tower"})
    finally:
        end()


def test_a_database_that_was_restored_has_caches_dropped(hub: HubDatabase) -> None:
    sent(hub, "laptop", "ada")
    view = HubView(hub.pool, 1, weeks_ahead=0)
    before = view.edition
    view.refresh()
    assert view.edition == before
    with hub.pool.connection() as connection:
        connection.execute("UPDATE person SET seq = seq - 1")
    view.refresh()

    assert view.edition != before


def test_it_is_woken_at_once_by_what_another_hub_takes(
    hub: HubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_EVERY", 3_600.0)
    sender = hub.machine()
    view, woken = HubView(hub.pool, 1, weeks_ahead=0), list[int]()
    pool = open_pool(hub.url)
    notifier = ChangeNotifier(pool)
    notifier.start()
    other = HubService(pool, price, lambda: START, changed=notifier.changed, weeks_ahead=0)
    end = view.listen(lambda: woken.append(view.store.head()))
    assert until(lambda: 0 in woken)
    other.ingest(sender, sealed(envelope(shipment(Source(5).line("text").tells().batch()))))

    assert until(lambda: 1 in woken)
    end()
    notifier.changed()  # it looks once more, and ends
    assert until(lambda: "unspool-view" not in {one.name for one in threading.enumerate()})
    notifier.stop()
    pool.close()


def test_the_pages_show_what_a_machine_sent_to_those_who_may_see_it(
    hub: HubDatabase, home: Path, tmp_path: Path
) -> None:
    Transcript("s1").user("count the kettles").says("Three.").save(home / ".claude")
    member = hub.person("bob", "member")
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        owner = next(one.owner for one in hub.people.people() if one.role == "admin")
        code = hub.people.new_code(owner, config.now())
        assert main(["index", "build"]) == 0
        send = ["collect", "--once", "--hub", runtime.url, "--code", code, "--name", "laptop"]
        assert main(send) == 0

        def asked(path: str, token: str = runtime.token, method: str = "GET") -> httpx.Response:
            headers = {"authorization": f"Bearer {token}"}
            return httpx.request(
                method, runtime.url + path, headers=headers, timeout=60, verify=NO_TLS
            )

        assert until(lambda: "count the kettles" in asked("/s/laptop~-repo/s1").text)
        (row,) = asked("/api/sessions").json()["items"]
        refused = [asked("/api/sessions", token).status_code for token in ("wrong", "uk_x")]
        of_others = asked("/api/sessions", member).json()["items"]
        posted = asked("/api/events", method="POST")

    assert (row["session"]["projectId"], row["session"]["id"]) == ("laptop~-repo", "s1")
    assert (refused, of_others) == ([401, 401], [])
    assert posted.status_code == 404
