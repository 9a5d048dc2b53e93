"""Everything live of one server, and the tasks that keep it so."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

from litestar import Litestar

from unspool.engine.hooks.intake import EventIntake
from unspool.engine.timeline.pages import Timelines
from unspool.errors import NotFound
from unspool.model.query import SessionKey
from unspool.serve.context import ServerContext
from unspool.serve.live.feed import Feed
from unspool.serve.problems import place
from unspool.source.listener import Listener

log = logging.getLogger("unspool.serve")
_POLL: Final = 0.25
_IDLE_POLL: Final = 1.0  # without clients there is no hurry, and a database is asked, not a file
_CLIENT_POLL: Final = 0.2
_LONGEST_REST: Final = 0.1
_LOG: Final = "index.db-wal"


class Live:
    """Made once for an app."""

    def __init__(self, context: ServerContext) -> None:
        config = context.config
        self._context = context
        self.timelines = Timelines(config.store, config.roots, config.redactor)
        inbox = config.inbox or (Path(config.spool) if config.has_files else None)
        self.intake = EventIntake(inbox, config.now, config.store) if inbox else None
        self.feed = Feed(context, self.timelines)
        context.renewal.add(self.timelines.clear)
        self._home, self._has_files, self._listen = (
            str(config.home),
            config.has_files,
            config.listen,
        )

    def name(self, session_id: str, project: str = "") -> SessionKey:
        """The session of an id; of several the newest, unless a project is given."""
        for row in self._context.scope.sessions(session_id):
            if project in ("", row.project_id):
                return row.project_id, row.session_id
        raise NotFound("There is no such session.")

    def name_on_disk(self, session_id: str, project: str = "") -> SessionKey:
        """The same, also for one that is not in the index yet."""
        try:
            return self.name(session_id, project)
        except NotFound:
            return self._context.open_sessions.newest_project(session_id, project), session_id

    @asynccontextmanager
    async def running(self, _: Litestar | None = None) -> AsyncIterator[None]:
        """Send what is new for as long as the server, or somebody who looks at it, is there."""
        woken, news = asyncio.Event(), asyncio.Event()
        stop, loop = Event(), asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop may end first
                loop.call_soon_threadsafe(woken.set)
                if not self._has_files:  # boards of other machines come the same way
                    loop.call_soon_threadsafe(news.set)

        end = self._watch(wake, stop)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one) for one in (self._send(woken), self._poll(news))]
                yield
                for task in tasks:
                    task.cancel()
        finally:
            stop.set()
            end()

    def _watch(self, wake: Callable[[], None], stop: Event) -> Callable[[], None]:
        """Have the feed woken until `stop` is set, and what is returned was called."""
        if self._has_files:
            given = self._home, wake, lambda: self.feed.has_clients, stop
            Thread(target=_watch, args=given, daemon=True).start()
        elif self._listen is not None:
            return self._listen(wake)
        return lambda: None

    async def _send(self, woken: asyncio.Event) -> None:
        while True:
            await self._wait(woken)
            begun = monotonic()
            async with _logged():
                while await self.feed.tick():
                    pass
            # As long a rest as the work took: what is written meanwhile is sent together.
            await asyncio.sleep(min(monotonic() - begun, _LONGEST_REST))

    async def _poll(self, news: asyncio.Event) -> None:
        while True:
            await self._wait(news)
            if self.feed.has_clients:
                async with _logged():
                    if await self.feed.poll() and not self._has_files:
                        await asyncio.sleep(_POLL)
                        news.set()

    async def _wait(self, event: asyncio.Event) -> None:
        """Wait for an event, but not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pause):
                await event.wait()
        event.clear()

    @property
    def _pause(self) -> float:
        is_urgent = self._has_files and self.feed.has_clients
        return _POLL if is_urgent else _IDLE_POLL


@asynccontextmanager
async def _logged() -> AsyncIterator[None]:
    """One error must not end all that follows."""
    try:
        yield
    except Exception as error:
        log.error("live: %s", place(error))
        await asyncio.sleep(1)


def _watch(
    home: str, wake: Callable[[], None], has_clients: Callable[[], bool], stop: Event
) -> None:
    """Wake the feed when the index was written; without system notices, polling has to do."""
    listener, last = Listener(lambda _: None), monotonic()
    try:
        while not stop.is_set():
            if not has_clients():
                stop.wait(_CLIENT_POLL)
                continue
            if listener.tune([home]):
                wake()  # a client that came a moment ago may have missed something
            changed = list(listener.wait(1.0, stop, quiet=monotonic() - last))
            if any(path.endswith(_LOG) for _, path in changed):
                last = monotonic()
                wake()
    finally:
        listener.close()
