"""A server for tests: a root, its index, a context, a policy, and clients to ask it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
from litestar import Litestar

from tests.cli.runs import stores_of
from tests.serve.shared_app import SharedApp
from unspool.cli import config
from unspool.cli.index import index_status
from unspool.engine.indexing.backfill import build
from unspool.engine.sessions.options import BoardOptions
from unspool.model.health import Finding
from unspool.redact import Redactor
from unspool.serve import places
from unspool.serve.app import app
from unspool.serve.auth.middleware import AuthMiddleware
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.auth.tokens import ServerTokens
from unspool.serve.context import ServerConfig, ServerContext
from unspool.serve.live import Live
from unspool.store.sqlite.store import SqliteStore

TOKEN, INGEST = "right-token", "ingest-token"
PORT = 4100
HOST = f"localhost:{PORT}"
ORIGIN = f"http://{HOST}"
NAME = "u-0123456789abcdef"
NAMED = f"{NAME}.localhost:{PORT}"  # where browsers sign in


def policy(now: Callable[[], int] = lambda: 0) -> AccessPolicy:
    """A policy that knows the tokens above; with a clock that runs fast, it counts no attempts."""
    names = places.server_names("localhost", PORT, name=NAME)
    return AccessPolicy(ServerTokens(TOKEN, INGEST, PORT), names, now=now)


def indexed(*roots: Path) -> None:
    """Have an index of some roots."""
    stores = stores_of(*roots)
    build(stores.writing, stores.roots, config.prices(), config.now(), _silent)


def _silent(_: int, __: int) -> None:
    pass


@contextmanager
def server_context(
    *roots: Path,
    watching: BoardOptions = BoardOptions(),  # noqa: B008 - frozen
    checks: Callable[[], Sequence[Finding]] = tuple,
) -> Iterator[ServerContext]:
    """A context of some roots and of this test's own home."""
    stores = stores_of(*roots)
    made = ServerContext(
        ServerConfig(
            home=stores.home,
            roots=stores.roots,
            prices=config.prices(),
            store=SqliteStore(stores.home, mode="ro"),
            search_store=lambda text: SqliteStore(stores.home, mode="ro", bodies=text),
            now=config.now,
            user_home=Path.home(),
            groups=stores.groups,
            index=lambda: index_status(stores),
            redactor=Redactor(),
            watching=watching,
            checks=checks,
        )
    )
    try:
        yield made
    finally:
        made.close()


class Served:
    """An app and ways to ask it."""

    def __init__(self, made: ServerContext) -> None:
        self.context, self.policy = made, policy()

    @cached_property
    def app(self) -> Litestar:
        """An app of its own, for tests that look into it or add to it: from now on it answers."""
        vars(self).pop("guard", None)
        return app(self.context, self.policy)

    @cached_property
    def live(self) -> Live:
        """What an app would make of the context."""
        return Live(self.context)

    @cached_property
    def guard(self) -> AuthMiddleware:
        """What is served: an app of its own where there is one."""
        inner = self.app if "app" in vars(self) else SharedApp(self)
        return AuthMiddleware(inner, self.policy)

    def client(self, **headers: str) -> httpx.AsyncClient:
        """Whoever asks with these headers; without any, somebody with the token."""
        given = headers or {"authorization": f"Bearer {TOKEN}"}
        transport = httpx.ASGITransport(app=self.guard)  # type: ignore[arg-type]
        return httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=given)

    def ask(self, path: str, method: str = "GET", **given: Any) -> httpx.Response:
        """One request with the token, or with exactly these `headers`."""

        async def asked() -> httpx.Response:
            async with self.client(**given.pop("headers", {})) as client:
                return await client.request(method, path, **given)

        return asyncio.run(asked())


@contextmanager
def served(root: Path) -> Iterator[Served]:
    """A root indexed and served."""
    indexed(root)
    with server_context(root) as made:
        yield Served(made)


def problem(answer: Any) -> Any:
    """A problem document, seen to be one."""
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.json()
