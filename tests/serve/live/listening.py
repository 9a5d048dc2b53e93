"""Pages that listen to a real server, and files that grow under it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.cli.servings import Serving
from tests.plain_http import NO_TLS
from tests.waiting import ENOUGH, until
from unspool.demo import Transcript


class Page:
    """One socket and all it was told."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.told: list[dict[str, Any]] = []

    def say(self, **message: Any) -> None:
        """Say something."""
        self.socket.send(json.dumps(message))

    def subscribe(self, session: str, **more: Any) -> None:
        """Ask for a session's events."""
        self.say(type="subscribe", sessionId=session, **more)

    def until(self, holds: Callable[["Page"], bool], seconds: float = ENOUGH) -> bool:
        """Read on until something holds; whether it came to that."""
        deadline = monotonic() + seconds
        while not holds(self):
            try:
                self.told.append(json.loads(self.socket.recv(timeout=deadline - monotonic())))
            except TimeoutError:
                return False
        return True

    def rest(self, seconds: float = 1.0) -> None:
        """Read whatever still comes."""
        self.until(lambda _: False, seconds)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Messages of a kind."""
        return [message for message in self.told if message["type"] == kind]

    @property
    def events(self) -> list[str]:
        """Ids of the events it was told of, in order, without those that became others."""
        news = [message["data"] for message in self.of("event_added")]
        gone = {id for one in news for id in one["removed"]}
        return [
            event["eventId"]
            for one in news
            for event in one["events"]
            if event["eventId"] not in gone
        ]

    @property
    def seq(self) -> int:
        """The last number it has seen."""
        return max((message["seq"] for message in self.told), default=0)


@contextmanager
def page(server: Serving, query: str = "", **options: Any) -> Iterator[Page]:
    """A page that listens while the block lasts; the list comes first."""
    address = server.url.replace("http", "ws", 1) + "/api/dashboard" + query
    headers = {"Authorization": f"Bearer {server.token}"}
    with connect(
        address,
        origin=Origin(server.url),
        additional_headers=headers,
        open_timeout=ENOUGH,
        max_size=None,
        **options,
    ) as socket:
        made = Page(socket)
        assert made.until(lambda it: bool(it.of("init")))
        yield made


def ids(server: Serving, session: str) -> list[str]:
    """Ids of all events of a session, as the routes tell."""
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = server.get(f"/api/sessions/{session}/events?limit=200&cursor={cursor}")
        found += [event["eventId"] for event in answer["items"]]
        cursor = answer["nextCursor"]
    return found


def known(server: Serving, session: str, events: int) -> bool:
    """Wait until the index has so many events of a session."""
    headers = {"authorization": f"Bearer {server.token}"}
    address = f"{server.url}/api/sessions/{session}/events?limit=1"

    def holds() -> bool:
        answer = httpx.get(address, headers=headers, timeout=ENOUGH, verify=NO_TLS)
        return answer.status_code == 200 and answer.json()["total"] >= events

    return until(holds)


def save(made: Transcript, place: Path) -> None:
    """Append to a transcript what it has more by now, as Claude Code would."""
    path = made.path_in(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    done = path.stat().st_size if path.exists() else 0
    with path.open("ab") as file:
        file.write(made.bytes()[done:])
