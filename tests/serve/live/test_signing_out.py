"""A live channel ends with the cookie it was opened by."""

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving, signed_in
from tests.plain_http import NO_TLS


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(root(tmp_path / "claude", talk())) as made:
        yield made


def joined(server: Serving, **headers: str) -> ClientConnection:
    """A socket of a page at the server's name; programs may not find that name."""
    site = server.site.partition("://")[2]
    return connect(
        f"ws://{site}/api/dashboard",
        sock=socket.create_connection(("127.0.0.1", int(site.rpartition(":")[2]))),
        origin=Origin(server.site),
        additional_headers=headers,
        open_timeout=60,
        max_size=None,
    )


def consume(one: ClientConnection) -> None:
    """Read all there is."""
    while True:
        one.recv(timeout=60)


def test_signing_out_closes_the_sockets_of_that_browser_and_no_others(server: Serving) -> None:
    mine, other = (
        signed_in(server, server.token).headers["set-cookie"].partition(";")[0] for _ in range(2)
    )
    bearer = f"Bearer {server.token}"
    with (
        joined(server, cookie=mine) as closes,
        joined(server, cookie=other) as stays,
        joined(server, authorization=bearer) as program,
    ):
        for one in (closes, stays, program):
            one.recv(timeout=60)
        given = {"host": server.site.partition("://")[2], "cookie": mine, "origin": server.site}
        answer = httpx.post(f"{server.url}/logout", headers=given, timeout=60, verify=NO_TLS)
        assert answer.status_code == 200

        with pytest.raises(ConnectionClosed):
            consume(closes)
        assert closes.close_code == 4401
        for one in (stays, program):
            assert one.ping().wait(60)
