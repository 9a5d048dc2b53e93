"""All that is live about a server, and the task that keeps it so."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

from litestar import Litestar

from unspool.serve.desk import Desk
from unspool.serve.intake import Intake
from unspool.serve.live.feed import Feed
from unspool.serve.posted import Posted
from unspool.serve.problems import place
from unspool.serve.timeline import Timelines
from unspool.source.listen import Listener

log = logging.getLogger("unspool.serve")
_POLL: Final = 0.25
_LOG: Final = "index.db-wal"


class Live:
    """Made once for an app."""

    def __init__(self, desk: Desk) -> None:
        self.timelines = Timelines(desk.around, desk.ours)
        around = desk.around
        posted = Posted(around.store, around.spool)
        self.intake = Intake(Path(around.spool), around.now, posted)
        self.feed = Feed(desk, self.timelines)
        self._home = str(desk.around.home)

    @asynccontextmanager
    async def running(self, _: Litestar) -> AsyncIterator[None]:
        """Tell what is new for as long as the server runs."""
        woken, stop, loop = asyncio.Event(), Event(), asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop may end first
                loop.call_soon_threadsafe(woken.set)

        thread = Thread(target=_listen, args=(self._home, wake, stop), daemon=True)
        thread.start()
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one) for one in (self._tell(woken), self._look())]
                yield
                for task in tasks:
                    task.cancel()
        finally:
            stop.set()

    async def _tell(self, woken: asyncio.Event) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL):
                    await woken.wait()
            woken.clear()
            async with _patience():
                while await self.feed.tick():
                    pass

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_POLL)
            if self.feed.is_heard:
                async with _patience():
                    await self.feed.look()


@asynccontextmanager
async def _patience() -> AsyncIterator[None]:
    """One bad moment must not end all that follow."""
    try:
        yield
    except Exception as error:
        log.error("live: %s", place(error))
        await asyncio.sleep(1)


def _listen(home: str, wake: Callable[[], None], stop: Event) -> None:
    """Say when the index was written; where the system does not tell, the poll has to do."""
    listener, heard = Listener(lambda _: None), monotonic()
    try:
        while not stop.is_set():
            listener.tune([home])
            news = list(listener.wait(1.0, stop, quiet=monotonic() - heard))
            if any(path.endswith(_LOG) for _, path in news):
                heard = monotonic()
                wake()
    finally:
        listener.close()
