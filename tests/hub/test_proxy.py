"""Forwarded headers are believed from the proxy alone."""

import asyncio
from typing import Any

import pytest

from tests.hub.machines import HubDatabase
from unspool.cli import main
from unspool.hub.proxy import behind_proxy

PROXY = "10.1.2.3"
SAID = [
    (b"host", b"127.0.0.1:4200"),
    (b"x-forwarded-for", b"198.51.100.7"),
    (b"x-forwarded-proto", b"https"),
    (b"x-forwarded-host", b"hub.example.com"),
]


def seen(address: str, trusted: str, headers: list[tuple[bytes, bytes]]) -> tuple[str, str, str]:
    """The client, scheme and host that an app behind a proxy sees."""
    found: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        found.append(scope)

    scope = {"type": "http", "scheme": "http", "client": (address, 5), "headers": headers}
    asyncio.run(behind_proxy(app, trusted)(scope, None, None))  # type: ignore[arg-type]
    (scope,) = found
    (host,) = [value.decode() for name, value in scope["headers"] if name == b"host"]
    return scope["client"][0], scope["scheme"], host


@pytest.mark.parametrize("trusted", [PROXY, "10.0.0.0/8"])
def test_the_proxy_says_who_asks_and_how(trusted: str) -> None:
    assert seen(PROXY, trusted, SAID) == ("198.51.100.7", "https", "hub.example.com")


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.4", "198.51.100.7"])
def test_nobody_else_does(address: str) -> None:
    assert seen(address, PROXY, SAID) == (address, "http", "127.0.0.1:4200")


def test_two_hosts_are_none() -> None:
    twice = [*SAID, (b"x-forwarded-host", b"evil.example.com")]
    assert seen(PROXY, PROXY, twice)[2] == "127.0.0.1:4200"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "--behind-proxy"),  # noqa: S104
        (["--behind-proxy", PROXY], "--public-url"),
        (["--behind-proxy", "proxy.example.com"], "is neither an address nor a network"),
        (["--insecure"], "insecure"),
    ],
)
def test_beyond_loopback_it_wants_a_certificate_or_a_proxy(
    hub: HubDatabase, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    try:
        code = main(["hub", "serve", "--database-url", hub.url, *options])
    except SystemExit as error:
        code = int(str(error.code))

    assert code != 0
    assert said in capsys.readouterr().err
