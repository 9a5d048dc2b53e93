"""A reader that does not read, beside one that does; and one that comes and goes."""

import json
import os
import socket
import struct
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cli.made import root
from tests.cli.servings import Serving, serving
from tests.serve.live.listening import ids, known, page, save
from unspool.demo import Transcript

SESSIONS, ROUNDS, LINES = 16, 25, 20
LETTERS = "語" * 600


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return root(tmp_path / "claude")


@pytest.fixture
def server(place: Path) -> Iterator[Serving]:
    with serving(place) as made:
        assert known(made, "session-one", 5)
        yield made


class Sleeper:
    """A socket in bytes, with hardly any room for what it does not read."""

    def __init__(self, server: Serving) -> None:
        where = urlsplit(server.url)
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self._socket.settimeout(20)
        self._socket.connect(("127.0.0.1", where.port or 0))
        key = b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET /api/dashboard HTTP/1.1\r\nhost: {where.netloc}\r\norigin: {server.url}\r\n"
            f"authorization: Bearer {server.token}\r\nconnection: upgrade\r\n"
            f"upgrade: websocket\r\nsec-websocket-version: 13\r\n"
            f"sec-websocket-key: {key}\r\n\r\n".encode()
        )
        self._read = self._socket.makefile("rb")
        while self._read.readline() != b"\r\n":
            pass

    def say(self, **message: Any) -> None:
        data = json.dumps(message).encode()
        length = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        self._socket.sendall(length + bytes(4) + data)  # a mask of zeros

    def hear(self) -> dict[str, Any]:
        """The next message; whatever else comes between is passed over."""
        while True:
            kind, length = self._read.read(2)
            if length >= 126:
                wide = ("!H", 2) if length == 126 else ("!Q", 8)
                (length,) = struct.unpack(wide[0], self._read.read(wide[1]))
            data = self._read.read(length)
            if kind & 0x0F == 1:
                found: dict[str, Any] = json.loads(data)
                return found

    def close(self) -> None:
        self._read.close()
        self._socket.close()


@contextmanager
def sleeping(server: Serving) -> Iterator[Sleeper]:
    made = Sleeper(server)
    try:
        yield made
    finally:
        made.close()


def resident(pid: int) -> float:
    """Megabytes a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def write(place: Path, rounds: int = ROUNDS, lines: int = LINES) -> None:
    """Sixteen megabytes of messages, in pieces that are told as they come."""
    made = [Transcript(f"busy-{n}", uuid_prefix=f"{n}-") for n in range(SESSIONS)]
    for _ in range(rounds):
        for one in made:
            for _ in range(lines):
                one.user(LETTERS)
            save(one, place)
        sleep(0.1)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="it reads /proc")
def test_who_does_not_read_is_told_to_look_again_and_nobody_else_notices(
    server: Serving, place: Path
) -> None:
    names = [f"busy-{n}" for n in range(SESSIONS)]
    with sleeping(server) as sleeper, page(server) as awake:
        assert sleeper.hear()["type"] == "init"
        for name in names:
            sleeper.say(type="subscribe", sessionId=name)
            awake.subscribe(name)
        before = resident(server.process.pid)
        writer = Thread(target=write, args=(place,))
        writer.start()
        assert awake.until(lambda it: len(it.events) == SESSIONS * ROUNDS * LINES, seconds=120)
        writer.join()
        grown = resident(server.process.pid) - before
        told = [sleeper.hear()]
        while told[-1]["data"] != {"reason": "overflow"}:
            told.append(sleeper.hear())
        anew = {told[-1]["sessionId"], *(sleeper.hear()["sessionId"] for _ in names[1:])}
        init = sleeper.hear()

    assert not awake.of("timeline_invalidation")
    assert (anew, init["type"]) == (set(names), "init")
    assert grown < 80


def test_who_comes_and_goes_misses_nothing_and_hears_nothing_twice(
    server: Serving, place: Path
) -> None:
    """Its number is that of the last message about the session itself."""
    made = Transcript("coming", uuid_prefix="c-")
    save(made.user("first"), place)
    assert known(server, "coming", 1)
    answer = server.get("/api/sessions/coming/events")
    seq, heard = answer["seq"], [one["eventId"] for one in answer["items"]]

    def grow() -> None:
        for n in range(150):
            save(made.user(f"line {n}"), place)
            sleep(0.02)

    writer = Thread(target=grow)
    writer.start()
    deadline = monotonic() + 300
    while (writer.is_alive() or len(heard) < 151) and monotonic() < deadline:
        with page(server) as it:
            it.subscribe("coming", seq=seq)
            it.rest(0.2)
            seq = max([seq, *(one["seq"] for one in it.of("event_added"))])
            heard += it.events
    writer.join()

    assert heard == ids(server, "coming")
    assert len(heard) == 151
