"""`WS /api/secondary`: a machine's key opens it, nothing in a message says whose it is, and
whatever cannot be read closes it with a code and a reason.
"""

import json
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tests.hub.machines import HubDatabase
from tests.hub.serving import Clock, listening
from tests.hub.sockets import LinkedHub, TalkingMachine, row
from tests.hub.sockets import site as site
from tests.waiting import until
from unspool.derive.reading.clock import iso
from unspool.hub import secondary
from unspool.model.document import Status
from unspool.model.secondary import MOST_MESSAGE, MOST_ROWS, PATH
from unspool.store.postgres.live import DROPPED_MS, UNKNOWN_MS, LiveTable


def test_a_board_is_taken_whole_and_then_by_what_changed(site: LinkedHub) -> None:
    with site.machine() as laptop, site.machine("other") as other:
        laptop.board(row("s1"), row("s2"), whole=True)
        other.board(row("s1"), whole=True)
        both = {("laptop~-repo", "s1"), ("laptop~-repo", "s2"), ("other~-repo", "s1")}
        assert until(lambda: site.names() == both)

        laptop.board(row("s1", state="waiting_for_approval"), gone=[["-repo", "s2"]])
        assert until(lambda: site.names() == {("laptop~-repo", "s1"), ("other~-repo", "s1")})
        states = {one.session.project_id: one.session.status.state for one in site.rows()}
        assert states == {"laptop~-repo": "waiting_for_approval", "other~-repo": "working"}

        laptop.board(row("s3"), whole=True)
        assert until(lambda: ("laptop~-repo", "s3") in site.names())
        assert site.names() == {("laptop~-repo", "s3"), ("other~-repo", "s1")}


def test_nothing_in_a_row_says_whose_it_is(site: LinkedHub) -> None:
    """The other machine's project, a path, a group, links to strangers, a time of its own."""
    forged = row("s1", "other~-repo", projectGroup={"id": "x", "name": "other", "path": "/"})
    forged["process"] = {"pid": 1, "host": "other"}
    forged["unknownSince"] = "2020-01-01T00:00:00.000Z"
    bad = [row("../s"), row("s1", "a/b"), row("", "-repo"), row("s1", "")]
    with site.machine() as laptop:
        laptop.board(forged, *bad, row("s\0"), whole=True)
        assert until(site.rows)
        found, cleaned = sorted(site.rows(), key=lambda one: one.session.id)

    assert (found.session.project_id, found.session.id) == ("laptop~other~-repo", "s1")
    assert found.process is not None
    assert (found.process.host, found.session.project_group) == ("laptop", None)
    assert found.unknown_since is None
    assert cleaned.session.id == "s\ufffd"


def test_only_a_good_key_opens_it(site: LinkedHub) -> None:
    revoked, person = site.database.keys["other"], site.database.person("eve")
    site.database.people.revoke("other", site.clock())
    for key in ("", "uk_made-up", revoked, person):
        with pytest.raises(InvalidStatus) as refused, site.socket(key):
            pass
        assert refused.value.response.status_code == 401
    answer = httpx.get(site.url + PATH, headers={"Authorization": "Bearer x"}, timeout=60)
    assert answer.status_code == 404


def test_a_revoked_key_closes_its_socket_and_its_rows_go(site: LinkedHub) -> None:
    with site.machine() as laptop:
        laptop.board(row(), whole=True)
        assert until(site.rows)
        site.database.people.revoke("laptop", site.clock())
        laptop.hear("revoked")

        assert laptop.ending() == (4401, "This machine's key was revoked.")
    assert site.rows() == []


def test_a_revoked_key_closes_its_socket_also_while_nothing_is_committed(
    site: LinkedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secondary, "_TICK", 0.05)
    looks, good_keys = list[int](), LiveTable.good_keys

    def noting(*given: Any) -> set[bytes]:
        looks.append(len(looks))
        return good_keys(*given)

    monkeypatch.setattr(LiveTable, "good_keys", noting)
    with site.machine() as laptop, site.machine("other") as other:
        with site.database.pool.connection() as held, held.transaction():
            held.execute("SELECT 1 FROM machine WHERE name = 'laptop' FOR UPDATE")
            laptop.board(row(), whole=True)
            seen = len(looks)
            assert until(lambda: len(looks) > seen + 2)
            site.database.people.revoke("other", site.clock())
            other.hear("revoked")
            assert site.rows() == []
        assert until(site.rows)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("nonsense", 4400),
        ('{"type": "board", "rows": [{"session": {}}]}', 4400),
        ('{"type": "drop_table"}', 4400),
        (b"\xff\x00", 4400),
        ("[" * 100_000, 4400),
        (json.dumps({"type": "board", "rows": [row()] * (MOST_ROWS + 1)}), 4400),
        ('{"type": "pong", "at": -1, "clock": 0}', 4400),
        ("x" * (MOST_MESSAGE + 1), 1009),
    ],
    ids=["nonsense", "row", "type", "bytes", "depth", "rows", "number", "size"],
)
def test_what_cannot_be_read_closes_the_socket(
    site: LinkedHub, data: str | bytes, code: int
) -> None:
    with site.machine() as laptop:
        laptop.socket.send(data)
        ended = laptop.ending()
    assert ended[0] == code
    assert ended[1]
    with site.machine() as again:  # and nothing else
        again.board(row(), whole=True)
        assert until(site.rows)


def test_the_first_message_is_hello(site: LinkedHub) -> None:
    with site.socket(site.database.keys["laptop"]) as socket:
        machine = TalkingMachine(socket, site.clock)
        machine.board(row(), whole=True)
        assert machine.ending() == (4408, "Send hello first.")
    assert site.rows() == []


def test_too_many_messages_close_the_socket(
    site: LinkedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secondary, "_PER_SECOND", 0.0)
    with site.machine() as laptop:
        for _ in range(int(secondary._BURST)):
            laptop.say("queue", bytes=1)
        assert laptop.ending()[0] == 4429


def test_a_machine_has_one_socket(site: LinkedHub) -> None:
    with site.machine() as old:
        old.board(row("s1"), whole=True)
        assert until(site.rows)
        with site.machine() as new:
            assert old.ending() == (4409, "This machine has opened another socket.")
            new.board(row("s2"), whole=True)
            assert until(lambda: site.names() == {("laptop~-repo", "s2")})
            assert site.about().connected_at is not None
    assert until(lambda: site.about().connected_at is None)


def test_another_hub_process_takes_over(site: LinkedHub) -> None:
    """What the socket of before still says there is not taken."""
    with listening(site.database, site.clock) as url, site.machine() as old:
        elsewhere = LinkedHub.__new__(LinkedHub)
        elsewhere.database, elsewhere.url, elsewhere.clock = site.database, url, site.clock
        with elsewhere.machine() as new:
            new.board(row("s2"), whole=True)
            assert until(site.rows)
            old.board(row("s1"), whole=True)
            assert old.ending()[0] == 4409
            assert site.names() == {("laptop~-repo", "s2")}


def test_presence_queue_and_clock_come_through_the_socket(site: LinkedHub) -> None:
    assert site.about().connected_at is None
    with site.machine() as laptop:
        ping = laptop.hear("ping")
        site.clock.at += 1_000  # there and back; its clock is seven seconds ahead
        laptop.say("pong", at=ping["at"], clock=ping["at"] + 500 + 7_000)
        laptop.say("queue", bytes=123, newest=site.clock.at)
        assert until(lambda: site.about().skew_ms == -7_000)
        about = site.about()
        assert (about.queue_bytes, about.version, about.mode) == (123, "1.2", "redacted")
        assert about.connected_at is not None
        assert about.seen_at == site.clock.at
    assert until(lambda: site.about().connected_at is None)


def test_without_a_sign_of_life_a_session_is_unknown_and_then_gone(site: LinkedHub) -> None:
    with site.machine() as laptop:
        asked = {**row(state="waiting_for_approval"), "asks": "rm -rf /", "waitsFor": "rm"}
        laptop.board(asked, row("s2", state="ended"), whole=True)
        assert until(site.rows)
        since = site.clock.at
    site.clock.at = since + UNKNOWN_MS
    first, ended = site.rows()

    assert first.unknown_since == iso(since)
    assert first.session.status == Status("idle", iso(since))
    assert (first.asks, first.waits_for) == ("", "")
    assert (ended.unknown_since, ended.session.status.state) == (None, "ended")
    site.clock.at = since + DROPPED_MS
    assert site.rows() == []


def test_names_of_the_monitor_are_understood(site: LinkedHub) -> None:
    """`session_metadata`, `events_added` and `events_inserted` of claude-code-monitor."""
    with site.machine() as laptop:
        laptop.say(
            "session_metadata",
            sessionId="s1",
            cwd="/home/ada/app",
            status="waiting",
            waitingState={"type": "permission", "since": site.clock()},
            eventCount=3,
        )
        laptop.say("events_added", sessionId="s1")
        laptop.say("events_inserted", sessionId="s1")
        assert until(site.rows)
        (found,) = site.rows()
        assert found.session.project_id == "laptop~-home-ada-app"
        assert found.session.status.state == "waiting_for_approval"
        laptop.say("session_metadata", sessionId="s1", cwd="/home/ada/app", status="ended")
        assert until(lambda: site.rows()[0].session.status.state == "ended")


def test_a_database_that_is_away_closes_the_socket(
    site: LinkedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site.machine() as laptop:
        monkeypatch.setattr(site.database.pool, "timeout", 0.2)
        held = [site.database.pool.getconn(timeout=60) for _ in range(8)]
        try:
            laptop.board(row(), whole=True)
            ended = laptop.ending()
        finally:
            for one in held:
                site.database.pool.putconn(one)
    assert ended == (1013, "The database does not answer.")


@pytest.mark.parametrize(("mode", "shown"), [("metadata", True), ("redacted", False)])
def test_a_board_in_a_fuller_mode_than_the_hub_takes_is_left_alone(
    hub: HubDatabase, mode: str, shown: bool
) -> None:
    clock = Clock()
    with listening(hub, clock, "metadata") as url:
        site = LinkedHub(hub, url, clock)
        with site.socket(hub.keys["laptop"]) as socket:
            machine = TalkingMachine(socket, clock)
            machine.say("hello", version="1.2", mode=mode)
            most = machine.hear("policy")["most_rows"]
            machine.board(row("s1"), whole=True)
            machine.say("queue", bytes=7)
            assert until(lambda: site.about().queue_bytes == 7)

        assert (most > 0, site.names() != set()) == (shown, shown)
