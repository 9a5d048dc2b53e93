"""A listening hub, and machines that keep a socket open to it, as a test speaks for them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.hub.machines import HubDatabase
from tests.hub.serving import Clock, listening
from tests.waiting import ENOUGH
from unspool.hub.machines import machine_rows
from unspool.hub.pages import HubView
from unspool.model.secondary import PATH
from unspool.model.session import BoardRow


class LinkedHub:
    """A listening hub with two machines of one person, and what its board shows."""

    def __init__(self, database: HubDatabase, url: str, clock: Clock) -> None:
        self.database, self.url, self.clock = database, url, clock
        for name in ("laptop", "other"):
            database.machine(name)
        self.view = HubView(database.pool, 1, weeks_ahead=0)

    @contextmanager
    def machine(self, name: str = "laptop", **hello: Any) -> Iterator["TalkingMachine"]:
        """A machine that has said hello."""
        with self.socket(self.database.keys[name]) as socket:
            machine = TalkingMachine(socket, self.clock)
            machine.say("hello", version="1.2", platform="Linux", mode="redacted", **hello)
            assert machine.hear("policy")["board_every_ms"] == 500
            yield machine

    def socket(self, key: str) -> ClientConnection:
        address = self.url.replace("http", "ws") + PATH
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return connect(
            address, additional_headers=headers, proxy=None, compression=None, max_size=None
        )

    def rows(self) -> list[BoardRow]:
        self.view.refresh()
        return self.view.board_rows(self.view.owners, self.clock())

    def names(self) -> set[tuple[str, str]]:
        return {(row.session.project_id, row.session.id) for row in self.rows()}

    def about(self, name: str = "laptop") -> Any:
        rows = machine_rows(self.database.people, self.clock())
        return next(row for row in rows if row.name == name)


class TalkingMachine:
    """The other end of a socket."""

    def __init__(self, socket: ClientConnection, clock: Clock) -> None:
        self.socket, self.clock = socket, clock

    def say(self, type: str, **given: Any) -> None:
        self.socket.send(json.dumps({"type": type, **given}))

    def hear(self, type: str) -> Any:
        """The next message of this type; others, such as pings, are passed over."""
        deadline = monotonic() + ENOUGH
        while (left := deadline - monotonic()) > 0:
            message = json.loads(self.socket.recv(timeout=left))
            if message["type"] == type:
                return message
        raise AssertionError(f"The hub did not say {type!r}.")

    def board(self, *rows: dict[str, Any], **given: Any) -> None:
        self.say("board", rows=rows, **given)

    def ending(self) -> tuple[int, str]:
        """With which code and reason the hub closes the socket."""
        with pytest.raises(ConnectionClosed) as closed:
            self.hear("nothing")
        assert closed.value.rcvd is not None
        return closed.value.rcvd.code, closed.value.rcvd.reason


def row(session: str = "s1", project: str = "-repo", state: str = "working", **more: Any) -> Any:
    info = {"id": session, "projectId": project, "status": {"state": state}}
    return {"session": {**info, **more}}


@pytest.fixture
def site(hub: HubDatabase) -> Iterator[LinkedHub]:
    clock = Clock()
    with listening(hub, clock) as url:
        yield LinkedHub(hub, url, clock)
