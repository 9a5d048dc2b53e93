"""A real server on loopback, in a thread: what a stranger's client may speak to."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Thread

from tests.serve.served import INGEST, NAME, TOKEN, indexed, server_context
from tests.waiting import ENOUGH, until
from unspool.serve import places
from unspool.serve.app import guarded
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.auth.tokens import ServerTokens
from unspool.serve.running import server


@contextmanager
def standing(root: Path) -> Iterator[str]:
    """The address of a root's server. Its policy's clock runs fast: it counts no attempts."""
    indexed(root)
    sockets = places.listening("localhost", 0)
    port = places.port_of(sockets)
    hurried = count(0, 61_000)
    policy = AccessPolicy(
        ServerTokens(TOKEN, INGEST, port),
        places.server_names("localhost", port, name=NAME),
        now=lambda: next(hurried),
    )
    with server_context(root) as made:
        running = server(guarded(made, policy), started=_nothing, stopping=_nothing)
        thread = Thread(target=running.run, args=(sockets,), name="standing")
        thread.start()
        try:
            assert until(lambda: running.started)
            yield f"http://localhost:{port}"
        finally:
            running.should_exit = True
            thread.join(ENOUGH)


def _nothing() -> None:
    pass
