"""What is taken of machines at once: so many requests, each with its body, in threads of its own.

Threads that wait for the database while it commits nothing are not those that pages, sockets and
keys need. Used in one event loop.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

from unspool.hub.refusals import HubRefusal
from unspool.model.shipping import MachineIdentity

Answer = TypeVar("Answer")

# Requests that are being taken at once, of one machine and of all.
_OF_ONE: Final = 4
_OF_ALL: Final = 256
_THREADS: Final = 32


class RequestIntake:
    """Counts requests before their bodies are read, and says when there are too many."""

    def __init__(self) -> None:
        self._busy = Counter[int]()
        self._threads = ThreadPoolExecutor(_THREADS, "unspool-intake")

    @property
    def busy(self) -> int:
        """How many requests are being taken."""
        return self._busy.total()

    @contextmanager
    def taking(self, sender: MachineIdentity) -> Iterator[None]:
        """Count a request while it is taken; HubRefusal where there are too many."""
        if self._busy[sender.machine] >= _OF_ONE:
            raise HubRefusal(429, "This machine sends too much at once.", retry_after=1)
        if self.busy >= _OF_ALL:
            raise HubRefusal(503, "The hub is busy.", retry_after=5)
        self._busy[sender.machine] += 1
        try:
            yield
        finally:
            self._busy[sender.machine] -= 1
            if not self._busy[sender.machine]:
                del self._busy[sender.machine]

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Have something done by one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
