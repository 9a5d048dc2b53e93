import socket
from collections.abc import Iterator
from typing import Any

import pytest

from unspool.errors import ConfigError, UsageError
from unspool.serve import places
from unspool.serve.places import ServerNames, server_names


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as held:
        yield held.getsockname()[1]


def closed(sockets: list[socket.socket]) -> list[socket.socket]:
    for one in sockets:
        one.close()
    return sockets


def test_this_machine_is_reached_by_both_its_addresses() -> None:
    made = places.listening("127.0.0.1", 0)
    names = {one.getsockname()[0] for one in made}
    ports = {one.getsockname()[1] for one in made}
    closed(made)

    assert "127.0.0.1" in names
    assert names <= {"127.0.0.1", "::1"}
    assert len(ports) == 1


def test_a_port_that_is_taken_gives_the_next(taken: int) -> None:
    made = places.listening("localhost", taken)
    port = places.port_of(made)
    closed(made)

    assert taken < port < taken + 100


def test_a_port_that_another_has_on_the_other_address_is_taken() -> None:
    try:
        other = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with other:
        port = other.getsockname()[1]
        made = places.listening("localhost", port)
        found = places.port_of(made)
        closed(made)

    assert found != port


def test_when_all_are_taken_it_is_said(monkeypatch: pytest.MonkeyPatch, taken: int) -> None:
    monkeypatch.setattr(places, "_TRIES", 1)

    with pytest.raises(ConfigError, match=f"No port from {taken} upwards is free"):
        places.listening("localhost", taken)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.test"])
def test_an_address_that_is_not_this_machines_is_told(host: str) -> None:
    with pytest.raises(ConfigError, match="Try another --host"):
        places.listening(host, 0)


LOOPBACK = {"localhost:4100", "127.0.0.1:4100", "[::1]:4100"}
OWN = "u-1.localhost:4100"


def names(host: str = "127.0.0.1", port: int = 4100, **given: Any) -> ServerNames:
    return server_names(host, port, name="u-1", **given)


def test_the_names_of_this_machine_and_of_the_home_are_all_it_answers_to() -> None:
    found = names()

    assert set(found.origins) == {*LOOPBACK, OWN}
    assert found.origins["[::1]:4100"] == "http://[::1]:4100"


def test_programs_call_it_localhost_and_browsers_by_the_name_of_the_home() -> None:
    found = names()

    assert (found.url, found.browser_url) == ("http://localhost:4100", f"http://{OWN}")
    assert found.sign_in_hosts == {OWN}


def test_a_browser_that_does_not_find_the_name_may_sign_in_on_localhost() -> None:
    found = names(is_plain=True)

    assert found.browser_url == found.url == "http://localhost:4100"
    assert found.sign_in_hosts == {*LOOPBACK, OWN}


def test_a_certificate_has_no_random_name_so_its_own_is_used() -> None:
    found = names(is_tls=True)

    assert found.browser_url == "https://localhost:4100"
    assert "localhost:4100" in found.sign_in_hosts


def test_a_tunnel_is_one_more_name_and_the_one_that_is_printed() -> None:
    found = names(public_url="http://localhost:8080")

    assert (found.url, found.browser_url) == ("http://localhost:4100", "http://localhost:8080")
    assert set(found.origins) == {*LOOPBACK, OWN, "localhost:8080"}
    assert found.sign_in_hosts == {OWN, "localhost:8080"}


def test_a_proxy_may_speak_tls_where_the_server_does_not() -> None:
    found = names(public_url="https://unspool.example")

    assert found.origins["unspool.example"] == "https://unspool.example"
    assert found.origins["localhost:4100"] == "http://localhost:4100"


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://LocalHost:8080/", "http://localhost:8080"),
        ("https://Unspool.Example:443", "https://unspool.example"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_a_public_address_is_what_a_browser_makes_of_it(given: str, origin: str) -> None:
    assert places.public_origin(given) == origin


@pytest.mark.parametrize(
    "given",
    ["localhost:8080", "ftp://x", "http://", "http://x/path", "http://x?q", "http://x#t", "http://a@x",
     "http://x:99999", "http://[::1", ""],
)  # fmt: skip
def test_what_is_no_address_of_a_server_is_wrong_usage(given: str) -> None:
    with pytest.raises(UsageError, match="--public-url"):
        places.public_origin(given)


def test_a_named_host_is_added_and_browsers_sign_in_there() -> None:
    found = names("Box.example", is_tls=True)

    assert found.url == found.browser_url == "https://Box.example:4100"
    assert {"box.example:4100"} <= set(found.origins) & found.sign_in_hosts
    assert "[2001:db8::1]:4100" in names("2001:db8::1", is_tls=True).origins


def test_a_usual_port_need_not_be_said() -> None:
    assert "localhost" in names(port=443, is_tls=True).origins
    assert "localhost" not in names(port=443).origins
    assert "u-1.localhost" in names(port=80).sign_in_hosts


def test_all_addresses_are_called_by_the_machines_name() -> None:
    found = names("0.0.0.0")  # noqa: S104 - what is meant

    assert f"{socket.gethostname().lower()}:4100" in found.origins
    assert "0.0.0.0:4100" not in found.origins
    assert found.browser_url == f"http://{OWN}"
    assert not LOOPBACK & found.sign_in_hosts


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("127.0.0.1", "localhost"),
        ("::", "localhost"),
        ("2001:db8::1", "[2001:db8::1]"),
        ("box.example", "box.example"),
    ],
)
def test_an_address_has_a_name_a_browser_takes(host: str, name: str) -> None:
    assert names(host).url == f"http://{name}:4100"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("/spend?range=7", "/spend?range=7"),
        ("//evil.test/", "/"),
        ("/\\evil.test", "/"),
        ("http://evil.test/", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\nb", "/"),
        ("http://[", "/"),
        ("", "/"),
    ],
)
def test_a_path_of_ours_leads_nowhere_else(given: str, path: str) -> None:
    assert places.own_path(given) == path
