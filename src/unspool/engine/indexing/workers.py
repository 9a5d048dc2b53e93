"""Processes that read transcripts while the parent writes what they find.

They are forked before the parent has a connection or a thread, and end when it does.
"""

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Self

from msgspec import Struct
from msgspec.msgpack import Decoder, encode

from unspool.engine.indexing.survey import PendingFile
from unspool.engine.indexing.worker import IndexTask, WorkerResult, work
from unspool.system.forks import can_fork, fork_worker

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_LEAST, _MOST = 2, 4
# A worker is given so many bytes to read before it has finished any: while the parent writes a
# group, nobody gives out more.
_AHEAD = 16 * 1024 * 1024
_LOOK = 16 * 1024


class WorkerLost(Struct, frozen=True):
    """A source whose worker died."""

    found: PendingFile


_result_decoder = Decoder(list[WorkerResult])


def usual_count() -> int:
    """As many as keep the one that writes busy; none where a process cannot be forked."""
    if not can_fork():
        return 0
    return min(_MOST, max(_LEAST, (os.cpu_count() or 1) - 1))


class Workers:
    """Some processes, each with a pipe of its own."""

    def __init__(self, count: int) -> None:
        self._workers: list[_Worker] = []
        for _ in range(count):
            others = [worker.pipe for worker in self._workers]
            self._workers.append(_Worker(*fork_worker(work, others)))

    def run(
        self, found: Iterable[PendingFile], now: int
    ) -> Generator[WorkerResult | WorkerLost, None, None]:
        """Have all of these read, in this order; what they give comes as it is ready."""
        waiting = iter(found)
        for worker in self._workers:
            worker.give(waiting, now)
        try:
            while busy := [worker for worker in self._workers if worker.tasks]:
                ready = wait([worker.pipe for worker in busy])
                for worker in (worker for worker in busy if worker.pipe in ready):
                    yield from self._heard(worker, waiting, now)
        except GeneratorExit:
            self.close()  # nobody wants what they still have to say
            raise
        yield from map(WorkerLost, waiting)

    def _heard(
        self, worker: "_Worker", waiting: Iterator[PendingFile], now: int
    ) -> Iterator[WorkerResult | WorkerLost]:
        results = worker.receive()
        if results is None:
            self._workers.remove(worker)
            yield from map(WorkerLost, worker.tasks)
            return
        for result in results:
            yield result
            if result.batch is None:
                worker.finish()
        worker.give(waiting, now)

    @property
    def pids(self) -> list[int]:
        """Their process ids."""
        return [worker.process.pid or 0 for worker in self._workers]

    def close(self) -> None:
        """Let them end."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
            worker.process.join()
        self._workers = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Worker:
    """One process, as the parent sees it."""

    def __init__(self, process: "BaseProcess", pipe: "Connection[bytes, bytes]") -> None:
        self.process = process
        self.pipe = pipe
        self.tasks: deque[PendingFile] = deque()
        self._ahead = 0

    def give(self, waiting: Iterator[PendingFile], now: int) -> None:
        """Send sources where it has too little to do."""
        tasks = []
        while self._ahead < _AHEAD and (found := next(waiting, None)) is not None:
            self.tasks.append(found)
            self._ahead += _weight(found)
            tasks.append(IndexTask(found, now))
        if tasks:
            with suppress(OSError):  # it died: reading from it will say so
                self.pipe.send_bytes(encode(tasks))

    def finish(self) -> None:
        """Note that its oldest source is done."""
        self._ahead -= _weight(self.tasks.popleft())

    def receive(self) -> list[WorkerResult] | None:
        """The next message; None where the process is gone."""
        try:
            return _result_decoder.decode(self.pipe.recv_bytes())
        except (EOFError, OSError):
            return None


def _weight(found: PendingFile) -> int:
    """How much work a source is; looking at one is some, too."""
    return found.new_bytes + _LOOK
