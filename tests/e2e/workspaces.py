"""A root with an index and a server, used in this process at a moment that stands still."""

import asyncio
import gc
import io
import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, Protocol, TypeAlias

import httpx
import pytest
from litestar import Litestar

from tests.serve.served import Served, policy, server_context
from unspool.cli import boards, config, main, paths, statusline
from unspool.cli.config import open_stores
from unspool.engine.indexing.backfill import build
from unspool.serve.app import app
from unspool.serve.context import ServerContext

Json: TypeAlias = dict[str, Any]

ROWS: Final = 100_000


class Asks(Protocol):
    """A server, wherever it runs."""

    def ask(self, path: str, method: str = "GET", **given: Any) -> httpx.Response:
        """One request with the token."""


class _CurrentContext(ServerContext):
    """The context of the current server: an app takes long to make."""

    def __init__(self) -> None:
        self.current: ServerContext | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.current, name)


_CONTEXT: Final = _CurrentContext()


@cache
def _app() -> Litestar:
    return app(_CONTEXT, policy())


class Site(Served):
    """A server of one context, one at a time: they share an app, and all requests a client."""

    def __init__(self, made: ServerContext) -> None:
        super().__init__(made)
        _CONTEXT.current = made
        self._runner, self._client = asyncio.Runner(), self.client()

    @cached_property
    def app(self) -> Litestar:
        """The one that all of them share."""
        return _app()

    def ask(self, path: str, method: str = "GET", **given: Any) -> httpx.Response:
        """One request with the token."""
        return self._runner.run(self._client.request(method, path, **given))

    def close(self) -> None:
        """Ask no more."""
        self._runner.run(self._client.aclose())
        self._runner.close()


class Workspace:
    """A root, a home for its index, and the moment at which everything is asked."""

    def __init__(self, root: Path, home: Path, now: int) -> None:
        self.root, self.home, self.now = root, home, now
        (root / "projects").mkdir(parents=True, exist_ok=True)
        home.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def here(self, home: Path | None = None) -> Iterator[None]:
        """In this workspace: its root is the user's own, and the clock stands still."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CLAUDE_CONFIG_DIR", str(self.root))
            patch.setenv("UNSPOOL_HOME", str(home or self.home))
            for clock in (config, paths, statusline):
                patch.setattr(clock, "now", lambda: self.now)
            yield

    def index(self) -> None:
        """Bring the index up to date."""
        with self.here():
            stores = open_stores()
            build(stores.writing, stores.roots, config.prices(), self.now, spool=stores.spool)

    @contextmanager
    def served(self, kind: type[Served] = Site) -> Iterator[Served]:
        """A server of what is indexed, as `unspool serve` sets it up.

        Timelines and events that are handed in need an app of their own: a `Served`.
        """
        with self.here():
            watching = boards.open_board([], lambda _: None).watching
            with server_context(self.root, watching=watching) as made:
                site = kind(made)
                try:
                    yield site
                finally:
                    if isinstance(site, Site):
                        site.close()

    def answering(self) -> AbstractContextManager[Asks]:
        """The same, for whoever only asks."""
        return self.served()

    def run(self, *args: str, home: Path | None = None, given: bytes = b"") -> str | None:
        """What a command prints that is given this to read; None where it fails."""
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        err = io.StringIO()
        with self.here(home), _reading(given), redirect_stdout(out), redirect_stderr(err):
            code = main(list(args))
        gc.unfreeze()  # commands keep what they have made from being collected: they end soon
        assert isinstance(out.buffer, io.BytesIO)
        return None if code else out.buffer.getvalue().decode()

    def json(self, *args: str, home: Path | None = None, given: bytes = b"") -> Any:
        """The document a command prints; None where it fails."""
        text = self.run(*args, home=home, given=given)
        return None if text is None else json.loads(text)

    def sql(self, query: str) -> list[Json]:
        """Rows of `unspool sql`."""
        found: list[Json] = self.json("sql", "--json", "--limit", str(ROWS), query)["items"]
        return found


@contextmanager
def _reading(data: bytes) -> Iterator[None]:
    """Have a command read this: some ask the file itself."""
    with TemporaryFile("w+b", buffering=0) as file, pytest.MonkeyPatch.context() as patch:
        file.write(data)
        file.seek(0)
        patch.setattr(sys, "stdin", file)
        yield
