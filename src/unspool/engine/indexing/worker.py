"""What a worker does: read the sources it is told to, and send what they give."""

import gc
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Final

from msgspec import Struct
from msgspec.msgpack import Decoder, encode

from unspool.engine.indexing.intake import Intake
from unspool.engine.indexing.survey import PendingFile
from unspool.errors import UnspoolError
from unspool.model.rows import Batch, Segment

_MOST_WAITING: Final = 16 * 1024 * 1024
# Of packed bytes: to send a message takes as long as to read a short file.
_ONE_MESSAGE: Final = 16 * 1024


class IndexTask(Struct, frozen=True, array_like=True):
    """What a worker is told to read."""

    found: PendingFile
    now: int


class WorkerResult(Struct, frozen=True, array_like=True):
    """What it sends: a batch of its oldest source, or that it is done with that one."""

    segments: list[Segment] = []
    batch: Batch | None = None
    trouble: str = ""


_tasks: Final = Decoder(list[IndexTask])


def work(
    pipe: "Connection[bytes, bytes]",
    others: Iterable["Connection[bytes, bytes]"],
) -> None:
    """A worker's life, which ends when its pipe is closed; `others` belong to the parent."""
    # The parent decides what an interrupt means, and its death must close every pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    # Reading leaves no circles behind: looking for them takes a tenth of the time.
    gc.freeze()
    gc.disable()
    inbox, outbox = Inbox(pipe), Outbox(pipe)
    while (data := inbox.get()) is not None:
        for results in together(_tasks.decode(data)):
            outbox.put(results)
            gc.collect()


def together(tasks: Iterable[IndexTask]) -> Iterator[list[WorkerResult]]:
    """What sources give, in messages: short files come many at once, a large piece ends one."""
    results, size = list[WorkerResult](), 0
    for task in tasks:
        for result in read(task):
            results.append(result)
            size += sum(len(segment.packed) for segment in result.segments)
            if size >= _ONE_MESSAGE:
                yield results
                results, size = [], 0
    if results:
        yield results


def read(task: IndexTask) -> Iterator[WorkerResult]:
    """What one source gives, a piece at a time; the last says that it is done, or why not."""
    found = task.found
    try:
        for segments, batch in Intake(found.file, found.known).batches(task.now):
            yield WorkerResult(segments, batch)
    except UnspoolError as error:
        yield WorkerResult(trouble=str(error))
        return
    yield WorkerResult()


class Inbox:
    """Receives in the background, so that who sends never waits for who works."""

    def __init__(self, pipe: "Connection[bytes, bytes]") -> None:
        self._pipe = pipe
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        Thread(target=self._receive, daemon=True).start()

    def get(self) -> bytes | None:
        """The next message; None when there will be no more."""
        return self._waiting.get()

    def _receive(self) -> None:
        while True:
            try:
                data = self._pipe.recv_bytes()
            except (EOFError, OSError):
                self._waiting.put(None)
                return
            self._waiting.put(data)


class Outbox:
    """Sends in the background; holds so many bytes and no more."""

    def __init__(self, pipe: "Connection[bytes, bytes]", most: int = _MOST_WAITING) -> None:
        self._pipe = pipe
        self._most = most
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._changed = Condition()
        Thread(target=self._send, daemon=True).start()

    def put(self, results: list[WorkerResult]) -> None:
        """Add one message; waits while there are too many."""
        data = encode(results)
        with self._changed:
            self._changed.wait_for(lambda: self._bytes < self._most)
            self._waiting.append(data)
            self._bytes += len(data)
            self._changed.notify_all()

    def _send(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting))
                data = self._waiting.popleft()
            try:
                self._pipe.send_bytes(data)
            except OSError:
                os._exit(1)  # nobody listens any more
            with self._changed:
                self._bytes -= len(data)
                self._changed.notify_all()
