"""Requests to a hub over TLS: its certificate has to be one that this machine trusts."""

import random
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.certificates import certificate
from unspool.hub.collector.link import HubAnswer, HubLink, pause
from unspool.model.shipping import StatePage


class Hub(BaseHTTPRequestHandler):
    """Answers that it has nothing, and notes which keys it was shown."""

    keys: list[str | None]

    def do_GET(self) -> None:
        self.keys.append(self.headers["Authorization"])
        body = b'{"sources": [], "next": null}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def listening(cert: str, key: str) -> Iterator[tuple[str, list[str | None]]]:
    """The address of such a hub, and the keys that it was shown."""
    keys: list[str | None] = []
    server = HTTPServer(("127.0.0.1", 0), type("OneHub", (Hub,), {"keys": keys}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"https://localhost:{server.server_port}", keys
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_hub_with_a_trusted_certificate_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, key = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", cert)
    with listening(cert, key) as (url, keys):
        link = HubLink(url, "uk_right")
        page = link.states(-1)
        link.close()

    assert isinstance(page, StatePage)
    assert keys == ["Bearer uk_right"]


def test_a_hub_that_nobody_trusts_is_shown_no_key(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    with listening(cert, key) as (url, keys):
        answer = HubLink(url, "uk_right").states(-1)

    assert isinstance(answer, HubAnswer)
    assert (answer.status, keys) == (0, [])
    assert "CERTIFICATE_VERIFY_FAILED" in answer.detail


def test_pauses_grow_up_to_the_longest_and_are_not_the_same_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[float, float]] = []
    drawn = random.uniform

    def noting(least: float, most: float) -> float:
        asked.append((least, most))
        return drawn(least, most)

    monkeypatch.setattr(random, "uniform", noting)
    found = [[pause(failures, 300.0) for _ in range(20)] for failures in range(12)]
    ends = [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]

    assert asked == [(0, end) for end in ends for _ in range(20)]
    assert all(0 <= one <= end for some, end in zip(found, ends, strict=True) for one in some)
    assert all(len(set(some)) > 10 for some in found)
    assert pause(10_000, 300.0) <= 300.0
