"""Real WebSockets, one more than there may be."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.cli.made import root, talk
from tests.cli.servings import Serving, serving
from tests.waiting import until


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return root(tmp_path_factory.mktemp("claude"), talk())


@pytest.fixture
def server(place: Path) -> Iterator[Serving]:
    with serving(place) as made:
        yield made


def joined(server: Serving) -> ClientConnection:
    where = server.url.replace("http", "ws", 1) + "/api/dashboard?lists=false"
    headers = {"authorization": f"Bearer {server.token}"}
    return connect(
        where, origin=Origin(server.url), additional_headers=headers, open_timeout=60, max_size=None
    )


def answered(server: Serving) -> int:
    """The status that one more socket gets."""
    try:
        with joined(server):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def open_sockets(server: Serving, stack: ExitStack, at_most: int) -> int:
    """Open as many as the server takes; how many those are."""
    for number in range(at_most):
        try:
            stack.enter_context(joined(server))
        except InvalidStatus:
            return number
    return at_most


def test_at_most_64_sockets_are_open_and_one_that_closes_makes_room(server: Serving) -> None:
    with ExitStack() as stack:
        assert open_sockets(server, stack, 120) == 64
        assert answered(server) == 503
        assert server.get("/api/health")["version"]  # nobody else notices
    assert until(lambda: answered(server) == 101)


def test_the_limit_is_what_the_option_says(place: Path) -> None:
    with serving(place, "--port", "0", "--sockets", "3") as server, ExitStack() as stack:
        assert open_sockets(server, stack, 10) == 3
