"""Real connections that dawdle: they are closed in time, and nobody else has to wait for them."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.made import root, talk
from tests.plain_http import NO_TLS
from tests.serve.served import TOKEN
from tests.serve.standing import standing
from unspool.serve.auth.middleware import AuthMiddleware
from unspool.serve.auth.timeouts import HttpConnection

HEAD = f"GET /api/health HTTP/1.1\r\nhost: {{}}\r\nauthorization: Bearer {TOKEN}\r\n"


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server with less patience than usual."""
    monkeypatch.setattr(HttpConnection, "head_timeout", 1.0)
    monkeypatch.setattr(HttpConnection, "write_timeout", 1.0)
    monkeypatch.setattr(HttpConnection, "max_connections", 20)
    monkeypatch.setitem(AuthMiddleware.__init__.__kwdefaults__ or {}, "seconds", 1.0)
    with standing(root(tmp_path / "claude", talk())) as made:
        yield made


def connected(address: str) -> socket.socket:
    where = urlsplit(address)
    return socket.create_connection(("127.0.0.1", where.port or 0), timeout=60)


def rest(one: socket.socket) -> bytes:
    """All that still comes, up to the end."""
    found = b""
    try:
        while data := one.recv(65_536):
            found += data
    except ConnectionError:
        pass
    return found


def is_well(address: str) -> bool:
    headers = {"authorization": f"Bearer {TOKEN}"}
    return (
        httpx.get(f"{address}/api/health", headers=headers, timeout=60, verify=NO_TLS).status_code
        == 200
    )


def test_who_connects_and_says_nothing_is_let_go_without_a_word(address: str) -> None:
    with connected(address) as one:
        assert rest(one) == b""


def test_a_head_that_trickles_in_is_not_waited_for(address: str) -> None:
    said = b""
    deadline = monotonic() + 60
    with connected(address) as one:
        one.settimeout(0.1)
        while not said and monotonic() < deadline:
            try:
                one.sendall(b"x")
                said = one.recv(65_536)
            except TimeoutError:
                continue
            except ConnectionError:
                break

    assert said.startswith(b"HTTP/1.1 408 ")


def test_nor_is_the_second_head_of_a_connection(address: str) -> None:
    with connected(address) as one:
        one.sendall((HEAD.format(urlsplit(address).netloc) + "\r\n").encode())
        first = one.recv(65_536)
        one.sendall(b"GET /api/he")

        assert first.startswith(b"HTTP/1.1 200 ")
        assert b"HTTP/1.1 408 " in rest(one)


def test_a_request_in_two_pieces_is_answered(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HttpConnection, "head_timeout", 60.0)
    head = HEAD.format(urlsplit(address).netloc).encode()
    with connected(address) as one:
        one.sendall(head[:20])
        one.sendall(head[20:] + b"connection: close\r\n\r\n")

        assert rest(one).startswith(b"HTTP/1.1 200 ")


def test_a_body_that_does_not_come_is_not_waited_for(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpConnection, "head_timeout", 60.0)
    head = HEAD.replace("GET /api/health", "POST /api/events").format(urlsplit(address).netloc)
    with connected(address) as one:
        one.sendall(f"{head}content-length: 100\r\n\r\n{{".encode())
        assert is_well(address)

        assert rest(one).startswith(b"HTTP/1.1 408 ")


def test_many_who_dawdle_make_room_for_who_asks(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpConnection, "head_timeout", 3_600.0)
    with ExitStack() as crowd:
        first = crowd.enter_context(connected(address))
        for _ in range(60):
            one = crowd.enter_context(connected(address))
            one.sendall(b"GET / HT")

        assert is_well(address)
        assert rest(first) == b""


def test_an_answer_that_nobody_reads_is_not_kept_for_ever(address: str) -> None:
    asked = (HEAD.format(urlsplit(address).netloc) + "\r\n").encode()
    asked = asked.replace(b"/api/health", b"/schema")
    with connected(address) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        try:
            while True:
                one.sendall(asked * 50)  # never read: sooner or later it cannot be sent either
        except ConnectionError:
            pass

        assert is_well(address)
