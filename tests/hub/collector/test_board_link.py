"""The socket of a machine: its own board, without secrets and private projects, opened again
whenever it is lost.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.indexing.roots import NOW
from tests.hub.collector.machine import LocalMachine
from tests.hub.machines import HubDatabase
from tests.hub.serving import listening
from tests.waiting import until
from unspool.demo import Transcript
from unspool.hub.collector import board_link
from unspool.hub.collector.board_link import BoardLink, LinkParts, SentRows
from unspool.hub.collector.private import PrivateProjects
from unspool.hub.pages import HubView
from unspool.model.document import SessionInfo
from unspool.model.secondary import MOST_ROW, Hello
from unspool.model.session import Board, BoardRow
from unspool.model.shipping import MachineReport

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def row(id: str = "s1", cwd: str = "/work", **more: Any) -> BoardRow:
    return BoardRow(session=SessionInfo(id=id, project_id="-work", project_path=cwd), **more)


def board(*rows: BoardRow) -> Board:
    return Board(at=NOW, rows=rows)


class Boards:
    """Boards that a test makes, one after the other."""

    def __init__(self) -> None:
        self.rows: tuple[BoardRow, ...] = ()

    def __call__(self, stop: Event) -> Iterator[Board]:
        while not stop.wait(0.02):
            yield board(*self.rows)


@contextmanager
def linked(hub: HubDatabase, url: str, boards: Boards, **more: Any) -> Iterator[BoardLink]:
    stop = Event()
    given: dict[str, Any] = {
        "url": url,
        "key": hub.keys["laptop"],
        "hello": Hello(version="1", platform="Linux", mode="redacted"),
        "boards": boards,
        "may_show": lambda _: True,
        "report": lambda: MachineReport(waiting_bytes=7),
        "lines": lambda _: iter(()),
        "now": lambda: NOW,
    }
    link = BoardLink(LinkParts(**{**given, **more}), stop)
    link.start()
    try:
        yield link
    finally:
        stop.set()
        link.join()


def test_changes_arrive_and_a_lost_socket_is_opened_again(
    hub: HubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_link, "_LONGEST_WAIT", 0.1)
    hub.machine()
    view, boards = HubView(hub.pool, 1, weeks_ahead=0), Boards()
    boards.rows = row("s1"), row("s2")

    def names() -> set[str]:
        return {one.session.id for one in view.board_rows([1], NOW)}

    with listening(hub) as url, linked(hub, url, boards):
        assert until(lambda: names() == {"s1", "s2"})
        boards.rows = (row("s2", waits_for="rm"),)
        assert until(lambda: [one.waits_for for one in view.board_rows([1], NOW)] == ["rm"])
        assert until(lambda: hub.people.machines(0, NOW, [1])[0].queue_bytes == 7)
        with hub.pool.connection() as connection:  # as a hub does that was restored
            connection.execute("DELETE FROM live")
            connection.execute("UPDATE machine SET link = 'another'")
        assert until(lambda: names() == {"s2"})  # noticed, and said again as a whole


def test_a_refused_key_is_not_tried_again(hub: HubDatabase) -> None:
    hub.machine()
    hub.people.revoke("laptop", NOW)
    with listening(hub) as url, linked(hub, url, Boards()) as link:
        assert until(lambda: not link._threads[1].is_alive())


def test_a_hub_that_is_away_stops_nothing(hub: HubDatabase) -> None:
    hub.machine()
    with socket() as nobody:  # holds the port, so that no other hub answers there
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with linked(hub, url, Boards()) as link:
            assert not link._stop.wait(0.1)
            assert link._threads[1].is_alive()


def test_secrets_are_covered_unless_the_mode_is_raw() -> None:
    asked = row(asks=f"curl -H 'Authorization: Bearer {SECRET}'", waits_for=SECRET)
    asked = replace(asked, session=replace(asked.session, title=f"use {SECRET}"))
    sent = {
        mode: SentRows(lambda _: True, mode).encoded(board(asked), 10)
        for mode in ("redacted", "raw", "metadata")
    }

    assert SECRET.encode() not in b"".join(sent["redacted"].values())
    assert SECRET.encode() in sent["raw"]["-work", "s1"]
    assert sent["metadata"] == {}


def test_a_row_is_as_long_as_the_hub_takes() -> None:
    long, endless = row("s1", asks="x" * MOST_ROW), row("s2", waits_for="x" * MOST_ROW)
    half = row("s3", waits_for="\ud800")
    sent = SentRows(lambda _: True, "raw").encoded(board(long, endless, half), 10)

    assert {id for _, id in sent} == {"s1", "s3"}
    assert json.loads(sent["-work", "s1"])["asks"] == ""
    assert len(SentRows(lambda _: True, "raw").encoded(board(row("a"), row("b")), 1)) == 1


def test_a_board_that_is_long_is_sent_in_parts() -> None:
    rows = {("-work", f"s{number}"): b"x" * 50_000 for number in range(25)}
    parts = list(board_link._changes(None, rows))

    assert [len(one.rows) for one in parts] == [10, 10, 5]
    assert [one.whole for one in parts] == [True, False, False]
    assert list(board_link._changes(rows, rows)) == []
    (less,) = board_link._changes(rows, {})
    assert (less.rows, len(less.gone), less.whole) == ([], 25, False)


def test_private_projects_are_not_on_the_board(tmp_path: Path) -> None:
    machine = LocalMachine(tmp_path / "root")
    Transcript("s1", cwd="/work/closed").user("hello").save(machine.path)
    machine.sweep(NOW)
    private = PrivateProjects(machine.store, ["/work/closed"], Path("/home/me"))
    (project,) = {one.project_id for one in machine.store.sources()}

    def may(id: str, cwd: str) -> bool:
        return private.may_show(SessionInfo(id=id, project_id=project, project_path=cwd))

    assert not may("s1", "/work/open")  # it has gone elsewhere
    assert not may("s9", "/work/closed")
    there = tmp_path / "repo"
    there.mkdir()
    elsewhere = SessionInfo(id="s9", project_id="-other", project_path=str(there))
    assert private.may_show(elsewhere)
    assert not private.may_show(SessionInfo(id="s9", project_id="-other"))
    (there / ".unspool-private").touch()
    assert not private.may_show(elsewhere)
