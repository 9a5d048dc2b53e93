"""A line written -> the same line at every client of the live channel, however much there is.

`python -m benchmarks.channel [pages|long|many|soak ...]`; UNSPOOL_CHANNEL_SECONDS says for how
long the last of them writes 200 lines a second, two minutes if it says nothing.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import gmtime, monotonic, sleep, strftime
from typing import Any
from urllib.request import Request, urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from benchmarks.budgets import Figure, table
from unspool.demo import Transcript

_PATIENCE = 60.0
_TICK = 0.01
_USAGE = {"input_tokens": 3, "output_tokens": 50, "cache_read_input_tokens": 10_000}


class Session:
    """A transcript that grows: each line is opened for, written and closed."""

    def __init__(self, root: Path, number: int) -> None:
        self.name = f"channel-{number:03}"
        self._path = Transcript(self.name).path_in(root)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self.lines = 0

    def fill(self, events: int) -> None:
        """Write a history of calls and answers."""
        made = Transcript(self.name, uuid_prefix=f"{self.name}-")
        for n in range(events // 4):
            made.user(f"question {n}").says("an answer", usage=_USAGE, id=f"{self.name}-{n}")
            made.calls("Bash", {"command": "ls"}, id=f"{self.name}-t{n}").returns("a.txt")
        self._path.write_bytes(made.bytes())

    def write(self) -> None:
        """Add a line that says when it was written; every second one is an answer."""
        self.lines += 1
        place = f"{self.name}-{self.lines}-w"
        made = Transcript(self.name, start=strftime("%FT%TZ", gmtime()), uuid_prefix=place)
        said = f"at {monotonic()} " + "words enough to be one line " * 4
        line = made.says(said, usage=_USAGE, id=place) if self.lines % 2 else made.user(said)
        with self._path.open("ab") as file:
            file.write(line.bytes())


class Page:
    """A client, the sessions it listens to, and how late each line came."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.late: list[float] = []
        self.invalidations = 0

    async def subscribe(self, sessions: Iterable[Session]) -> None:
        for session in sessions:
            await self._socket.send(json.dumps({"type": "subscribe", "sessionId": session.name}))
        await self._socket.send("?")  # answered when all of that is done
        while json.loads(await self._socket.recv())["type"] != "error":
            pass

    async def listen(self) -> None:
        """Read whatever comes, until it is cancelled or the server goes."""
        while True:
            try:
                message = json.loads(await self._socket.recv())
            except ConnectionClosed:
                return
            self.invalidations += message["type"] == "timeline_invalidation"
            if message["type"] == "event_added":
                now = monotonic()
                for event in message["data"]["events"]:
                    self.late.append(now - float(event["preview"].split()[1]))


class Server:
    """`unspool serve` and the process that writes its index."""

    def __init__(self, running: "subprocess.Popen[bytes]", runtime: dict[str, Any], home: Path):
        self._running, self._runtime, self._home = running, runtime, home
        self.pid = running.pid
        self.writer = 0
        while not self.writer:
            sleep(_TICK)
            tasks = Path(f"/proc/{self.pid}/task").glob("*/children")
            self.writer = int(next((one for task in tasks for one in task.read_text().split()), 0))

    def connect(self) -> connect:
        return connect(
            self._runtime["url"].replace("http", "ws", 1) + "/api/dashboard",
            origin=Origin(self._runtime["url"]),
            additional_headers={"Authorization": f"Bearer {self._runtime['token']}"},
            max_size=None,
            open_timeout=_PATIENCE,
        )

    def get(self, path: str) -> tuple[float, bytes]:
        """Seconds and the answer of one request."""
        headers = {"Authorization": f"Bearer {self._runtime['token']}"}
        begun = monotonic()
        with urlopen(Request(self._runtime["url"] + path, headers=headers), timeout=60) as answer:  # noqa: S310 - our own
            data: bytes = answer.read()
        return monotonic() - begun, data

    def wait(self, sessions: Iterable[Session], events: int) -> None:
        """Wait until the index has all that is written so far."""
        for session in sessions:
            while _total(self, session) < events:
                sleep(0.1)

    def wal(self) -> float:
        """Megabytes of the logs of its databases."""
        return sum(path.stat().st_size for path in self._home.glob("*.db-wal")) / 1e6

    def stop(self) -> float:
        """Seconds from SIGTERM to the end of both processes."""
        begun = monotonic()
        self._running.send_signal(signal.SIGTERM)
        self._running.wait()
        while Path(f"/proc/{self.writer}").exists():
            sleep(_TICK)
        return monotonic() - begun


def _total(server: Server, session: Session) -> int:
    try:
        _, answer = server.get(f"/api/sessions/{session.name}/events?limit=1")
    except OSError:  # not there yet
        return -1
    total: int = json.loads(answer)["total"]
    return total


@contextmanager
def _serving(place: Path, root: Path) -> Iterator[Server]:
    (root / "projects").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "unspool", "serve", "--no-browser", "--json", "--port", "0"]
    command += ["--sockets", "400"]
    home = place / "unspool"
    around = {**os.environ, "UNSPOOL_HOME": str(home), "CLAUDE_CONFIG_DIR": str(root)}
    with subprocess.Popen(  # noqa: S603 - our own command
        [*command, "--root", str(root)], env=around, stdout=subprocess.PIPE
    ) as running:
        line = running.stdout.readline() if running.stdout else b""
        runtime = json.loads(line)
        try:
            yield Server(running, runtime, Path(runtime.get("home", home)))
        finally:
            if running.poll() is None:
                running.send_signal(signal.SIGTERM)


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1_000


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _load() -> str:
    return f"load {Path('/proc/loadavg').read_text().split()[0]}"


async def _write(sessions: Sequence[Session], rate: float, seconds: float) -> int:
    """Write lines to sessions by chance, so many a second; how many it were."""
    chance, begun, count = Random(3), monotonic(), 0  # noqa: S311 - seeded
    while (passed := monotonic() - begun) < seconds:
        for _ in range(int(passed * rate) - count):
            chance.choice(sessions).write()
            count += 1
        await asyncio.sleep(_TICK)
    return count


async def _until(holds: Callable[[], bool]) -> None:
    deadline = monotonic() + _PATIENCE
    while not holds() and monotonic() < deadline:
        await asyncio.sleep(_TICK)


async def _followed(
    server: Server, sessions: Sequence[Session], seconds: float
) -> tuple[Page, int]:
    """One client of all sessions, and seven lines a second."""
    async with server.connect() as socket:
        page = Page(socket)
        await page.subscribe(sessions)
        listening = asyncio.ensure_future(page.listen())
        count = await _write(sessions, 7, seconds)
        await _until(lambda: len(page.late) >= count)
        listening.cancel()
    return page, count


def _measured_followed(name: str, sessions: int, events: int, place: Path) -> list[Figure]:
    root, seconds = place / "root", 30.0
    every = [Session(root, number) for number in range(sessions)]
    for session in every:
        session.fill(events)
    with _serving(place, root) as server:
        server.wait(every, events)
        sleep(2.0)
        before = _cpu(server.pid)
        page, count = asyncio.run(_followed(server, every, seconds))
        cpu, resident, stop = _cpu(server.pid) - before, _resident(server.pid), server.stop()
    cuts = quantiles([late * 1_000 for late in page.late or [_PATIENCE] * 2], n=100)
    return [
        Figure(f"{name}: seen", len(page.late), "", count, more_is_better=True, note=_load()),
        Figure(f"{name}: p50", cuts[49], "ms", 60),
        Figure(f"{name}: p99", cuts[98], "ms", 250),
        Figure(f"{name}: CPU of the server for each", 1_000 * cpu / count, "ms"),
        Figure(f"{name}: RSS", resident, "MB", 250),
        Figure(f"{name}: SIGTERM", stop, "s", 2),
    ]


class Soak:
    """50 sessions, 20 clients, 200 lines a second."""

    def __init__(self, place: Path, seconds: float) -> None:
        self._place, self._seconds = place, seconds
        self._sessions = [Session(place / "root", number) for number in range(50)]
        self._asked: list[float] = []
        self._memory: list[tuple[float, float]] = []  # of server and writer
        self._wal: list[float] = []
        self._pages: list[Page] = []
        self._count = 0
        self._cpu = [0.0, 0.0]

    def measured(self) -> list[Figure]:
        for session in self._sessions:
            session.write()
        with _serving(self._place, self._place / "root") as server:
            server.wait(self._sessions, 1)
            before = _cpu(server.pid), _cpu(server.writer)
            stop = asyncio.run(self._run(server))
        self._cpu = [now - then for now, then in zip(self._cpu, before, strict=True)]
        return self._figures(stop)

    async def _run(self, server: Server) -> float:
        async with AsyncExitStack() as stack:
            for n in range(20):
                page = Page(await stack.enter_async_context(server.connect()))
                mine = [self._sessions[(n * 5 + k) % 50] for k in range(5)]
                await page.subscribe(mine if n else self._sessions)
                self._pages.append(page)
            async with asyncio.TaskGroup() as group:
                listening = [group.create_task(page.listen()) for page in self._pages]
                looking = [
                    group.create_task(one) for one in (self._ask(server), self._look(server))
                ]
                self._count = await _write(self._sessions, 200, self._seconds)
                await _until(lambda: len(self._pages[0].late) >= self._count)
                for task in looking:
                    task.cancel()
                self._cpu = [_cpu(server.pid), _cpu(server.writer)]
                stop = await asyncio.to_thread(server.stop)  # while all are connected
                for task in listening:
                    task.cancel()
        return stop

    async def _ask(self, server: Server) -> None:
        while True:
            await asyncio.sleep(2.0)
            seconds, _ = await asyncio.to_thread(server.get, "/")
            self._asked.append(seconds)

    async def _look(self, server: Server) -> None:
        while True:
            await asyncio.sleep(1.0)
            self._memory.append((_resident(server.pid), _resident(server.writer)))
            self._wal.append(server.wal())

    def _figures(self, stop: float) -> list[Figure]:
        page, count = self._pages[0], self._count
        late = quantiles([late * 1_000 for late in page.late or [_PATIENCE] * 2], n=100)
        lost = page.invalidations
        note = f"{count:,} lines in {self._seconds:.0f} s, {lost} invalidations, {_load()}"
        server, writer = ([pair[n] for pair in self._memory] for n in (0, 1))
        cpu = [1_000 * one / count for one in self._cpu]
        return [
            Figure("soak: seen by one of all", len(page.late), "", count, None, True, note),
            Figure("soak: p50", late[49], "ms"),
            Figure("soak: p99", late[98], "ms"),
            Figure("soak: CPU a line, server", cpu[0], "ms"),
            Figure("soak: CPU a line, writer", cpu[1], "ms"),
            Figure("soak: RSS of the server", max(server), "MB", 250, note=_course(server)),
            Figure("soak: RSS of the writer", max(writer), "MB", 250, note=_course(writer)),
            Figure("soak: server's growth in its second half", _growth(server), "%", 10),
            Figure("soak: writer's growth in its second half", _growth(writer), "%", 10),
            Figure("soak: WAL", max(self._wal), "MB", 150),
            Figure("soak: /, p95", 1_000 * quantiles(self._asked, n=20)[-1], "ms", 500),
            Figure("soak: SIGTERM", stop, "s", 2),
        ]


def _growth(sizes: Sequence[float]) -> float:
    """Percent from the third quarter of the time to the last."""
    quarter = max(len(sizes) // 4, 1)
    third, last = median(sizes[-2 * quarter : -quarter] or sizes), median(sizes[-quarter:])
    return 100 * (last - third) / third


def _course(sizes: Sequence[float]) -> str:
    steps = [sizes[n * (len(sizes) - 1) // 4] for n in range(5)]
    return " ".join(f"{size:.0f}" for size in steps)


async def _crowd(server: Server, sessions: Sequence[Session]) -> tuple[list[Page], int]:
    async with AsyncExitStack() as stack:
        pages = [Page(await stack.enter_async_context(server.connect())) for _ in range(200)]
        for n, page in enumerate(pages):
            await page.subscribe([sessions[n % len(sessions)]])
        tasks = [asyncio.ensure_future(page.listen()) for page in pages]
        count = await _write(sessions, 50, 10.0)
        wanted = sum(sessions[n % len(sessions)].lines - 1 for n in range(len(pages)))
        await _until(lambda: sum(len(page.late) for page in pages) >= wanted)
        for task in tasks:
            task.cancel()
    return pages, wanted if count else 0


def _measured_crowd(place: Path) -> list[Figure]:
    sessions = [Session(place / "root", number) for number in range(50)]
    for session in sessions:
        session.write()
    with _serving(place, place / "root") as server:
        server.wait(sessions, 1)
        pages, wanted = asyncio.run(_crowd(server, sessions))
        resident = _resident(server.pid)
    late = [one * 1_000 for page in pages for one in page.late]
    cuts, about = quantiles(late or [_PATIENCE] * 2, n=100), "200 clients, 50 lines a second"
    return [
        Figure("append -> 200 clients, median", cuts[49], "ms", note=f"{about}, {_load()}"),
        Figure("append -> 200 clients, p99", cuts[98], "ms", aim=250),
        Figure("append -> 200 clients, RSS", resident, "MB", must=200),
        Figure("append -> 200 clients, seen", len(late), "", wanted, more_is_better=True),
    ]


def _measured_soak(place: Path) -> list[Figure]:
    return Soak(place, float(os.environ.get("UNSPOOL_CHANNEL_SECONDS", "120"))).measured()


_PARTS: dict[str, Callable[[Path], list[Figure]]] = {
    "pages": _measured_crowd,
    "long": partial(_measured_followed, "1 x 40,000 events, 7 lines/s", 1, 40_000),
    "many": partial(_measured_followed, "60 x 1,000 events, 7 lines/s", 60, 1_000),
    "soak": _measured_soak,
}


def measured(place: Path, parts: Iterable[str] = tuple(_PARTS)) -> list[Figure]:
    """Every part in a place of its own."""
    found = []
    for part in parts:
        (place / part).mkdir(parents=True)
        found += _PARTS[part](place / part)
    return found


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        for name in ("HOME", "CLAUDE_CONFIG_DIR"):
            os.environ[name] = str(Path(scratch, name.lower()))
        figures = measured(Path(scratch), sys.argv[1:] or _PARTS)
    print(table(figures))
    sys.exit(not all(figure.holds for figure in figures))
