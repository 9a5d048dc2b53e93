import socket
from collections.abc import Iterator

import pytest

from unspool.errors import ConfigError
from unspool.serve import places


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

    with pytest.raises(ConfigError, match=f"No port from {taken} on is free"):
        places.listening("localhost", taken)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.test"])
def test_an_address_that_is_not_this_machines_is_told(host: str) -> None:
    with pytest.raises(ConfigError, match="Try another --host"):
        places.listening(host, 0)


def test_the_names_of_this_machine_are_all_it_answers_to() -> None:
    assert places.hosts("127.0.0.1", 4100, is_tls=False) == {
        "localhost:4100", "127.0.0.1:4100", "[::1]:4100"
    }  # fmt: skip


def test_a_named_host_is_added() -> None:
    assert "box.example:4100" in places.hosts("Box.example", 4100, is_tls=True)
    assert "[2001:db8::1]:4100" in places.hosts("2001:db8::1", 4100, is_tls=True)


def test_a_usual_port_need_not_be_said() -> None:
    assert "localhost" in places.hosts("localhost", 443, is_tls=True)
    assert "localhost" not in places.hosts("localhost", 443, is_tls=False)


def test_all_addresses_are_called_by_the_machines_name() -> None:
    found = places.hosts("0.0.0.0", 4100, is_tls=True)  # noqa: S104 - what is meant

    assert f"{socket.gethostname().lower()}:4100" in found
    assert "0.0.0.0:4100" not in found


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
    assert places.name(host) == name
