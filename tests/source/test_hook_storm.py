"""Hundreds of hooks at once on a machine that is busy: each event arrives whole, and once."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from random import Random
from typing import Final, TypeAlias
from zlib import crc32

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW
from tests.source.firing import PYTHON, SCRIPT, pieces, shell
from unspool.engine.indexing.indexer import Indexer
from unspool.source.spool import SPOOL
from unspool.store.sqlite.store import SqliteStore

KIB: Final = 1024
MIB: Final = 1024 * KIB
LIMIT: Final = 600
FRAME: Final = re.compile(rb"~1 ([0-9a-f]{8}) (([0-9a-f]{8}) [0-9]{13} (.*))", re.DOTALL)
NUMBER: Final = re.compile(rb'"tool_use_id":"toolu_(\d+)"')

Hook: TypeAlias = "subprocess.Popen[bytes]"


@contextmanager
def busy() -> Iterator[None]:
    """Two processes that want all the time there is."""
    with ExitStack() as stack:
        for _ in range(2):
            loop = subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        yield


class Storm:
    """Events of some sizes, no two alike, and what became of them."""

    def __init__(self, place: Path, sizes: tuple[int, ...]) -> None:
        self.place, self.sizes = place, sizes
        self.spool = place / "home" / SPOOL
        self.spool.mkdir(parents=True)
        self._gate = place / "gate"
        os.mkfifo(self._gate)
        # Each event is a window of its own into the same noise.
        noise = Random(7).randbytes((max(sizes) + len(sizes)) // 2 + 1).hex().encode()
        self._noise = memoryview(noise)

    def payload(self, number: int) -> bytes:
        """What event `number` says."""
        return b"".join(self._parts(number))

    def _parts(self, number: int) -> tuple[bytes, memoryview, bytes]:
        head = b'{"hook_event_name":"PreToolUse","session_id":"s1","tool_name":"Write",'
        head += b'"tool_use_id":"toolu_%d","tool_input":{"content":"' % number
        rest = self.sizes[number] - len(head) - 3
        return head, self._noise[number : number + rest], b'"}}'

    def from_files(self) -> None:
        """Every hook reads a file."""
        for number in range(len(self.sizes)):
            (self.place / str(number)).write_bytes(self.payload(number))
        self._run([self._start(self.place / str(number)) for number in range(len(self.sizes))])

    def from_pipes(self) -> None:
        """Every hook reads a pipe, and all of them are written to."""
        self._run([self._start(None) for _ in self.sizes])

    def _start(self, path: Path | None) -> Hook:
        command = [*shell(f'exec 9<"{self._gate}" 9<&-; exec "$@"'), PYTHON, "-I", "-S", SCRIPT]
        pipe = subprocess.PIPE
        with path.open("rb") if path else nullcontext(pipe) as stdin:
            return subprocess.Popen(
                [*command, str(self.spool)], stdin=stdin, stdout=pipe, stderr=subprocess.STDOUT
            )

    def _run(self, hooks: list[Hook]) -> None:
        """Open the gate that all of them wait at, and write to those that read a pipe."""
        with busy(), ThreadPoolExecutor(len(hooks)) as threads:
            gate = os.open(self._gate, os.O_RDWR)
            ends = list(threads.map(self._end, hooks, range(len(hooks))))
        os.close(gate)

        assert ends == [(b"", 0)] * len(hooks)

    def _end(self, hook: Hook, number: int) -> tuple[bytes, int]:
        if hook.stdin:
            with suppress(BrokenPipeError), hook.stdin as pipe:
                # One process writes to all of them: it must not copy what is large.
                for part in self._parts(number):
                    pipe.write(part)
            hook.stdin = None
        return hook.communicate(timeout=LIMIT)[0], hook.returncode

    def whole(self, payloads: Iterator[bytes]) -> Counter[int]:
        """How often each event is there, byte for byte; -1 is anything else."""
        count: Counter[int] = Counter()
        for payload in payloads:
            found = NUMBER.search(payload)
            number = int(found[1]) if found else -1
            count[number if found and payload == self.payload(number) else -1] += 1
        return count

    @property
    def each_once(self) -> Counter[int]:
        """Every event whole, none twice, and nothing else."""
        return Counter(range(len(self.sizes)))


def parsed(spool: Path) -> Iterator[bytes]:
    """The payloads of a spool, read without any of the product's code."""
    for path in spool.iterdir():
        for line in path.read_bytes().split(b"\n"):
            if frame := FRAME.fullmatch(line):
                sums = crc32(frame[2]), len(frame[4])
                yield frame[4] if sums == (int(frame[1], 16), int(frame[3], 16)) else b""
            elif line:
                yield b""


SOURCES: Final = {"files": Storm.from_files, "pipes": Storm.from_pipes}
STORMS: Final = [
    pytest.param((4 * KIB,) * 200, id="200 of 4 KiB", marks=pytest.mark.slow),
    pytest.param((64 * KIB,) * 200, id="200 of 64 KiB", marks=pytest.mark.slow),
    pytest.param((MIB,) * 200, id="200 of 1 MiB", marks=pytest.mark.slow),
    pytest.param((8 * MIB,) * 8, id="8 of 8 MiB"),
    pytest.param((8 * MIB,) * 200, id="200 of 8 MiB", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("send", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("sizes", STORMS)
def test_each_event_of_a_storm_arrives_whole_and_once(
    tmp_path: Path, sizes: tuple[int, ...], send: Callable[[Storm], None]
) -> None:
    storm = Storm(tmp_path, sizes)
    send(storm)

    assert storm.whole(parsed(storm.spool)) == storm.each_once
    read = list(pieces(storm.spool))
    events = (event.payload for piece in read for event in piece.events)
    assert storm.whole(events) == storm.each_once
    assert [gap for piece in read for gap in piece.gaps] == []


@pytest.mark.parametrize("send", SOURCES.values(), ids=SOURCES)
def test_each_event_of_a_storm_is_in_the_index_once(
    tmp_path: Path, send: Callable[[Storm], None]
) -> None:
    storm = Storm(tmp_path, (300, 4 * KIB, 64 * KIB) * 30 + (MIB,) * 10)
    send(storm)
    assert storm.whole(parsed(storm.spool)) == storm.each_once
    store = SqliteStore(storm.spool.parent)
    Indexer(store, [], TABLE, spool=str(storm.spool)).sweep(NOW)
    rows = store.sql("SELECT tool_use_id, count(*) FROM hook_events GROUP BY 1")[1]

    assert sorted(rows) == sorted((f"toolu_{number}", 1) for number in range(100))
