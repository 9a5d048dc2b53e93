"""Messages to one reader: a queue with an end; whoever is too slow is told to look again."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from unspool.serve.live.messages import Written

MOST: Final = 1_000
MOST_BYTES: Final = 4 * 1024 * 1024


class Channel:
    """Used from one event loop. `anew` makes what replaces all that had to be dropped."""

    def __init__(
        self,
        anew: Callable[[], Iterable[Written]],
        *,
        most: int = MOST,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._anew = anew
        self._most, self._most_bytes = most, most_bytes
        self._queue: deque[Written] = deque()
        self._bytes = 0
        self._filled = asyncio.Event()

    def put(self, message: Written) -> None:
        """Add a message, or drop all where it is one too many."""
        is_full = len(self._queue) >= self._most or self._bytes + message.size > self._most_bytes
        if is_full and self._queue:
            self._queue.clear()
            self._bytes = 0
            for one in self._anew():
                self._add(one)
        else:
            self._add(message)

    async def get(self) -> Written:
        """The next message, as soon as there is one."""
        while not self._queue:
            self._filled.clear()
            await self._filled.wait()
        message = self._queue.popleft()
        self._bytes -= message.size
        return message

    def _add(self, message: Written) -> None:
        self._queue.append(message)
        self._bytes += message.size
        self._filled.set()
