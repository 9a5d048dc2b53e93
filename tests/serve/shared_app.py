"""One app for all servers of a test run: making one takes a tenth of a second.

Each request says first which server it is for; what the app holds of it is looked up there.
"""

from functools import cache
from typing import Any, Protocol

import pytest
from litestar import Litestar
from litestar.types import Receive, Scope, Send

from unspool.serve.app import app
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.context import ServerContext
from unspool.serve.live import Live


class Server(Protocol):
    """What an app is made of."""

    @property
    def context(self) -> ServerContext: ...
    @property
    def policy(self) -> AccessPolicy: ...
    @property
    def live(self) -> Live: ...


_current: list[Server] = []


class _CurrentContext(ServerContext):
    def __init__(self) -> None:
        pass

    def __getattribute__(self, name: str) -> Any:
        return getattr(_current[0].context, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_current[0].context, name, value)


class _CurrentPolicy(AccessPolicy):
    def __init__(self) -> None:
        pass

    def __getattribute__(self, name: str) -> Any:
        return getattr(_current[0].policy, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_current[0].policy, name, value)


class _CurrentLive(Live):
    def __init__(self, _: ServerContext) -> None:
        pass

    def __getattribute__(self, name: str) -> Any:
        return getattr(_current[0].live, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_current[0].live, name, value)


@cache
def _app() -> Litestar:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unspool.serve.app.Live", _CurrentLive)
        return app(_CurrentContext(), _CurrentPolicy())


class SharedApp:
    """The app, for one server at a time."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        _current[:] = [self._server]
        await _app()(scope, receive, send)
