"""A real socket that brings no token: its first words are the token, or it goes again."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.cli.made import root, talk
from tests.serve.served import INGEST, TOKEN
from tests.serve.standing import standing


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place: Path = root(tmp_path_factory.mktemp("words") / "claude", talk())
    with standing(place) as made:
        yield made


def knocked(address: str, **headers: str) -> ClientConnection:
    where = address.replace("http", "ws", 1) + "/api/dashboard"
    return connect(
        where, origin=Origin(address), additional_headers=headers, open_timeout=60, max_size=None
    )


def closed(socket: ClientConnection) -> int | None:
    """What a socket is told on its way out; it must be told nothing else."""
    with pytest.raises(ConnectionClosed):
        socket.recv(timeout=60)
    return socket.close_code


def test_the_token_as_the_first_words_opens_the_channel(address: str) -> None:
    with knocked(address) as socket:
        socket.send(json.dumps({"type": "token", "token": TOKEN}))
        first = json.loads(socket.recv(timeout=60))
        socket.send(json.dumps({"type": "subscribe", "sessionId": "session-one", "seq": 10**9}))
        then = json.loads(socket.recv(timeout=60))

    assert (first["type"], then["type"]) == ("init", "timeline_invalidation")


@pytest.mark.parametrize(("size", "code"), [(4_096, 1000), (4_097, 4401)])
def test_the_first_words_are_four_kilobytes_at_most(address: str, size: int, code: int) -> None:
    said = json.dumps({"type": "token", "token": TOKEN})
    with knocked(address) as socket:
        socket.send(said.ljust(size))
        if code == 1000:
            assert json.loads(socket.recv(timeout=60))["type"] == "init"
            socket.close()
        else:
            closed(socket)

        assert socket.close_code == code


@pytest.mark.parametrize(
    "said",
    [
        json.dumps({"type": "token", "token": "wrong"}),
        json.dumps({"type": "token", "token": INGEST}),
        json.dumps({"type": "token", "token": ""}),
        json.dumps({"type": "token", "token": TOKEN, "pad": "x" * 5_000}),
        json.dumps({"type": "subscribe", "sessionId": "session-one"}),
        json.dumps({"token": TOKEN}),
        "nonsense",
        "[" * 4_000,
        b"\xff\xfe",
    ],
)
def test_any_other_first_words_close_it(address: str, said: str | bytes) -> None:
    with knocked(address) as socket:
        socket.send(said)

        assert closed(socket) == 4401


def test_who_says_nothing_is_shown_out_after_two_seconds(address: str) -> None:
    begun = monotonic()
    with knocked(address) as socket:
        assert closed(socket) == 4401

    assert monotonic() - begun > 1.9


@pytest.mark.parametrize("given", [{"authorization": "Bearer wrong"}, {"cookie": "wrong"}])
def test_who_brings_a_wrong_secret_does_not_get_so_far(address: str, given: dict[str, str]) -> None:
    port = address.rpartition(":")[2]
    headers = {name: value.replace("wrong", f"unspool-{port}=x") for name, value in given.items()}
    with pytest.raises(InvalidStatus) as refused, knocked(address, **headers):
        pass

    assert refused.value.response.status_code == 401


def test_only_a_few_at_a_time_may_be_silent_and_nobody_else_notices(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.serve.auth.middleware._TOKEN_SECONDS", 60.0)
    with ExitStack() as silent:
        for _ in range(16):
            silent.enter_context(knocked(address))
        with pytest.raises(InvalidStatus) as refused, knocked(address):
            pass
        with knocked(address, authorization=f"Bearer {TOKEN}") as known:
            assert json.loads(known.recv(timeout=60))["type"] == "init"

    assert refused.value.response.status_code == 503
