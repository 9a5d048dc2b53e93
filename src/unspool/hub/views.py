"""One view for each person who looks at a hub: made when they come, closed when they are gone."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final

from litestar.concurrency import sync_to_thread
from litestar.types import ASGIApp, Receive, Scope, Send

from unspool.errors import StoreError
from unspool.hub.pages import HubView, page_context
from unspool.hub.policy import DATABASE_AWAY, HubPolicy
from unspool.model.prices import PriceTable
from unspool.model.shipping import PersonIdentity
from unspool.serve.app import VIEW, View, app
from unspool.serve.auth.middleware import AuthMiddleware, refuse, refuse_websocket
from unspool.serve.auth.policy import VISITOR
from unspool.serve.context import ServerContext
from unspool.serve.live import Live
from unspool.serve.problems import place
from unspool.store.postgres.database import Pool

log = logging.getLogger("unspool.hub")
_MOST: Final = 64  # views that nobody uses right now are closed beyond that
_IDLE_SECONDS: Final = 600.0
_SOCKETS: Final = 2_000  # that pages of all people together keep open


class _Entry:
    """A view that is being made, used or kept for a while."""

    def __init__(self) -> None:
        self.ready: asyncio.Future[View] = asyncio.get_running_loop().create_future()
        self.closing = asyncio.Event()
        self.uses, self.used_at = 0, monotonic()
        self.task: asyncio.Task[None] | None = None


class PeopleViews:
    """Passes each request on to the app with the view of its visitor in the scope.

    A view is of a person and a role: another role is another view, with nothing that was cached
    for the old one. All of it runs in one event loop.
    """

    def __init__(
        self,
        app: ASGIApp,
        make: Callable[[PersonIdentity], ServerContext],
        *,
        most: int = _MOST,
        idle: float = _IDLE_SECONDS,
    ) -> None:
        self._app, self._make, self._most, self._idle = app, make, most, idle
        self._entries: OrderedDict[PersonIdentity, _Entry] = OrderedDict()
        self._tasks = asyncio.TaskGroup()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        kind: str = scope["type"]
        visitor = scope.get(VISITOR)
        if kind == "lifespan":
            async with self._tasks:
                await self._app(scope, self._closing(receive), send)
        elif isinstance(visitor, PersonIdentity):
            async with self._view(visitor) as view:
                if view is not None:
                    scope[VIEW] = view  # type: ignore[typeddict-unknown-key]
                    await self._app(scope, receive, send)
                elif kind == "http":
                    await refuse(send, DATABASE_AWAY, kind)
                else:
                    await refuse_websocket(scope, receive, send, DATABASE_AWAY)
        else:
            await self._app(scope, receive, send)  # signing in needs no view

    @property
    def people(self) -> list[PersonIdentity]:
        """Those who have a view, the one who was longest away first."""
        return list(self._entries)

    def _closing(self, receive: Receive) -> Receive:
        """Have all views closed before the app, once the server is told to stop."""

        async def next_message() -> Any:
            message: Any = await receive()
            if message["type"] == "lifespan.shutdown":
                tasks = [entry.task for entry in self._entries.values() if entry.task]
                for person, entry in list(self._entries.items()):
                    self._drop(person, entry)
                await asyncio.gather(*tasks)
            return message

        return next_message

    @asynccontextmanager
    async def _view(self, person: PersonIdentity) -> AsyncIterator[View | None]:
        """The view of a person; None while the database does not answer."""
        entry = self._entries.get(person)
        if entry is None:
            entry = self._entries[person] = _Entry()
            entry.task = self._tasks.create_task(self._keep(person, entry))
        self._entries.move_to_end(person)
        entry.uses += 1
        try:
            try:
                view = await asyncio.shield(entry.ready)
            except StoreError:
                view = None
            yield view
        finally:
            entry.uses -= 1
            entry.used_at = monotonic()
            self._trim()

    async def _keep(self, person: PersonIdentity, entry: _Entry) -> None:
        """Make a view and keep it until it is dropped; one that breaks ends no other."""
        try:
            context = await sync_to_thread(self._make, person)
        except Exception as error:
            self._drop(person, entry)
            entry.ready.set_exception(error)
            return
        try:
            await self._keep_alive(person, entry, View(context, Live(context)))
        except Exception as error:
            log.error("view: %s", place(error))
        finally:
            self._drop(person, entry)
            await sync_to_thread(context.close)

    async def _keep_alive(self, person: PersonIdentity, entry: _Entry, view: View) -> None:
        async with view.live.running():
            entry.ready.set_result(view)
            while not entry.closing.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(entry.closing.wait(), self._idle)
                if not entry.uses and monotonic() - entry.used_at >= self._idle:
                    self._drop(person, entry)

    def _trim(self) -> None:
        idle = [(person, one) for person, one in self._entries.items() if not one.uses]
        for person, entry in idle[: max(0, len(self._entries) - self._most)]:
            self._drop(person, entry)

    def _drop(self, person: PersonIdentity, entry: _Entry) -> None:
        if self._entries.get(person) is entry:
            del self._entries[person]
        entry.closing.set()


class HubPages:
    """Pages and API of a hub: `app` has every route, `guard` is what is served."""

    def __init__(
        self,
        pool: Pool,
        policy: HubPolicy,
        prices: PriceTable,
        *,
        home: Path,
        weeks_ahead: int = 8,
    ) -> None:
        self._view = HubView(pool, policy.local.owner, weeks_ahead=weeks_ahead)
        self._policy, self._prices, self._home = policy, prices, home
        self._common = self._context(policy.local)
        self.app = app(self._common, policy, is_shared=True)
        views = PeopleViews(self.app, self._context)
        self.guard = AuthMiddleware(views, policy, sockets=_SOCKETS)

    def close(self) -> None:
        """Close what is everybody's."""
        self._common.close()

    def _context(self, person: PersonIdentity) -> ServerContext:
        now = self._policy.now
        return page_context(self._view, person, self._prices, home=self._home, now=now)
