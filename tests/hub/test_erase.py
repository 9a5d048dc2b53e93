"""A person who is erased: nothing of theirs is in any table, and others keep what they have."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx
import pytest
from msgspec.structs import replace

from tests.cli.made import talk
from tests.engine.forgetting.planted import PROJECT, SESSION, WORDS, indexed, planted
from tests.hub.collector.machine import FaultyLink, LocalMachine, seen, service
from tests.hub.machines import HubDatabase
from tests.hub.made import envelope, shipment
from tests.hub.processes import HubProcess
from tests.plain_http import NO_TLS
from tests.store.made import START, Source
from tests.waiting import until
from unspool.cli import config, main
from unspool.model.api import MarksUpdate
from unspool.model.secondary import Hello
from unspool.model.shipping import (
    EnrolAnswer,
    EnrolRequest,
    MachineIdentity,
    PersonIdentity,
    Role,
    ShippedTombstone,
)
from unspool.serve.runtime import Runtime
from unspool.store.postgres.audit import AuditTable
from unspool.store.postgres.erasing import PersonEraser
from unspool.store.postgres.live import LiveTable, OpenLink
from unspool.store.postgres.logins import LoginTable
from unspool.store.shipping import tombstone_name

PROMISED = "zqtitlezq"
# Words and texts wait there for a moment, and machines send no state of a fold.
EMPTY = {"stale_word", "new_text", "fold"}
PAGES = (
    *("/api/projects", "/api/sessions", "/api/machines", "/api/search?q=alpha", "/projects"),
    *("/sessions", "/machines", "/search?q=alpha", "/spend?range=all", "/files"),
)


def is_partition(table: str) -> bool:
    return any(table.startswith(f"{name}_") for name in ("line", "hook", "body", "segment"))


def bobs_machine(hub: HubDatabase, place: Path) -> MachineIdentity:
    """A machine with a copy of a session that the other person has, too."""
    machine, desk = LocalMachine(place), hub.machine("desk", "bob")
    talk("session-kept", 2).save(place)
    machine.sweep()
    link = FaultyLink(service(hub), hub.keys["desk"], Random(0), 0)
    machine.collector(lambda: link).run(once=True)
    return desk


def leave_traces(hub: HubDatabase, ada: PersonIdentity, bob: PersonIdentity, lea: int) -> None:
    """What no machine sends: marks, browsers, codes, a board, what could not be read, the audit."""
    owners = [ada.owner, bob.owner]
    for viewer, machine in ((lea, "laptop"), (ada.owner, "laptop"), (ada.owner, "desk")):
        store = hub.store(viewer)
        store.marks._database.visible[:] = owners
        session = SESSION if machine == "laptop" else "session-kept"
        store.marks.change(f"{machine}~{PROJECT}", session, MarksUpdate(title=PROMISED))
    logins = LoginTable(hub.pool)
    logins.new_code(ada.owner, START)
    logins.sign_in(ada, START, "192.0.2.7")
    hub.people.new_code(ada.owner, START)
    asked = EnrolRequest(code=hub.people.rotate("laptop", START, by=lea), name="laptop")
    answer = hub.people.enrol(asked, START)
    assert isinstance(answer, EnrolAnswer)
    sender = hub.people.by_key(answer.key, START)
    assert sender is not None
    live, of = LiveTable(hub.pool), OpenLink(sender, "link")
    live.opened(of, Hello(version="1", mode="raw"), START)
    live.put(of, {(PROJECT, SESSION): WORDS[0].encode()}, whole=True, now=START)
    odd = Source(9, "odd").line("x").wonders().tells().batch()
    hub.accept(sender, shipment(odd, refused=WORDS[1].encode()))
    gone = [ShippedTombstone(tombstone_name("-repo", "gone"), 1)]
    hub.writer.accept(sender, replace(envelope(), forgotten=gone), START)
    audit = AuditTable(hub.pool)
    audit.note("revealed", f"laptop~{PROJECT}/{SESSION} 1.0.0", START, person=lea, address="::1")
    audit.note("read raw", f"laptop: {WORDS[2]}", START, person=ada.owner, address="192.0.2.7")
    with hub.pool.connection() as connection:
        connection.execute(
            "INSERT INTO stale_cause VALUES (%s, 0, 0, 1::bigint << 62)", [ada.owner]
        )
        connection.execute(_BREAK, [ada.owner])


_BREAK = "INSERT INTO cache_break VALUES (%s, 0, '-repo', 1, 'm', 1, 1, 1, 'a pause', '', 0)"


class Pair(NamedTuple):
    """A hub that runs, ada, whose machine left words everywhere, and bob, who has some of hers."""

    hub: HubDatabase
    runtime: Runtime
    tokens: dict[str, str]
    ada: PersonIdentity
    desk: MachineIdentity

    def ask(self, name: str, path: str) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.tokens[name]}", "accept": "text/html"}
        url = self.runtime.url + path
        return httpx.get(url, headers=headers, timeout=60, verify=NO_TLS)

    def answers(self) -> list[Any]:
        """What bob is told."""
        paths = ("/api/cost?by=session", "/api/search?q=alpha", "/api/projects")
        return [seen(self.hub.store(self.desk.owner), "desk")] + [
            self.ask("bob", path).json() for path in paths
        ]

    def shown(self) -> set[str]:
        """The pages on which the lead sees ada's machine."""
        return {path for path in PAGES if "laptop" in self.ask("lea", path).text}


@pytest.fixture
def pair(hub: HubDatabase, home: Path, tmp_path: Path) -> Iterator[Pair]:
    roles: dict[str, Role] = {"ada": "member", "lea": "lead", "bob": "member"}
    tokens = {name: hub.person(name, role) for name, role in roles.items()}
    ada, lea, bob = hub.people.people()
    planted(home / ".claude", home / "unspool")
    indexed(home / ".claude")
    desk = bobs_machine(hub, tmp_path / "desk")
    with HubProcess(hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        code = hub.people.new_code(ada.owner, config.now())
        send = ["collect", "--once", "--hub", runtime.url, "--mode", "raw"]
        assert main([*send, "--code", code, "--name", "laptop"]) == 0
        leave_traces(hub, ada, bob, lea.owner)
        assert until(lambda: not hub.tables()["new_text"])
        assert until(lambda: hub.rows_of(ada.owner)["session_cause"] > 0)
        yield Pair(hub, runtime, tokens, ada, desk)


def test_nothing_of_a_person_is_left_in_any_table(pair: Pair, home: Path) -> None:
    hub, owner = pair.hub, pair.ada.owner
    before = {table for table, rows in hub.rows_of(owner).items() if not rows}
    PersonEraser(hub.pool).erase("ada", config.now())

    assert {table for table in before if not is_partition(table)} == EMPTY
    assert {table for table, rows in hub.rows_of(owner).items() if rows} == {"person"}
    (left,) = [row for row in hub.tables()["person"] if row.startswith(f"({owner},")]
    assert re.fullmatch(rf'\({owner},0,"",0,[0-9]+,,member,,0,0\)', left)
    places = ["laptop", SESSION, "192.0.2.7", PROMISED, str(home), *WORDS]
    assert hub.holds(places) == set()
    noted = AuditTable(hub.pool).entries(None, 100)
    assert {"signed in", "revealed", "read raw", "person added"} <= {one.what for one in noted}
    assert [(one.what, one.about) for one in noted if "ada" in one.about] == [
        ("person erased", "ada")
    ]
    assert {one.person for one in noted if one.what in ("signed in", "read raw")} == {None}


def test_others_see_what_they_saw_and_nothing_of_her(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, shown = pair.answers(), pair.shown()
    capsys.readouterr()
    command = ["hub", "erase", "ada", "--yes", "--database-url", pair.hub.url]
    assert main(command) == 0
    assert "ada, 1 machine, 3 sessions" in capsys.readouterr().out

    assert shown == set(PAGES)
    assert until(lambda: not pair.shown())
    assert pair.answers() == mine
    assert pair.hub.store(pair.desk.owner).check(thorough=True) == []
    assert until(lambda: pair.ask("ada", "/api/sessions").status_code == 401)
    assert main(["collect", "--once"]) != 0
    assert "does not know this machine's key" in capsys.readouterr().err
