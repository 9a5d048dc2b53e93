"""The server under load: the list, a window of a session of 10,000 steps, a search; and at the same
time 200 pages that follow 50 sessions which are being written.

`python -m benchmarks.serving`; it needs `wrk`. UNSPOOL_LOAD_SECONDS says how long each takes (5).
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import gmtime, monotonic, sleep, strftime
from typing import Any, NamedTuple

from websockets.asyncio.client import connect
from websockets.typing import Origin

from benchmarks.budgets import Figure, table
from benchmarks.programs import wrk
from unspool.demo import Transcript, generate
from unspool.source.prices import bundled

_STEPS, _LIVE, _PAGES, _CONNECTIONS = 10_000, 50, 200, 16
_LARGEST_MB = 200
_UNITS = {"us": 0.001, "ms": 1.0, "s": 1_000.0}


class Site(NamedTuple):
    """A server that runs."""

    url: str
    token: str
    pid: int
    open: str  # what a browser opens, once

    @property
    def pages(self) -> str:
        """Where a browser finds it."""
        return self.open.partition("/enter#t=")[0]

    @property
    def bearer(self) -> str:
        """What opens it."""
        return f"Bearer {self.token}"


def measured(place: Path) -> list[Figure]:
    """Throughput, the slowest of a hundred answers, memory, and how many pages heard of news."""
    root = place / "root"
    generate(root, mb=20, seed=1, prices=json.loads(bundled()))
    long(root)
    with site(root, place) as here, _writing(root), _pages(here) as heard:
        figures = [figure for name, path in _ASKED for figure in _load(here, name, path)]
        memory = rss(here.pid)
    return [
        *figures,
        Figure("serve: memory", memory, "MB", must=_LARGEST_MB),
        Figure("serve: pages that heard of news", len(heard), "", must=_PAGES, more_is_better=True),
    ]


_ASKED = (
    ("the list", "/api/sessions?limit=50"),
    ("a window of 10,000 steps", "/api/sessions/-home-dev-long/long?from=100&limit=20"),
    ("a search", "/api/search?q=error"),
)


def long(root: Path) -> None:
    """A session of 10,000 steps."""
    made = Transcript(session="long", cwd="/home/dev/long")
    for step in range(_STEPS // 2):
        if step % 10 == 0:
            made.user(f"part {step}")
        made.calls("Bash", command=f"echo {step}").returns(f"line {step} " * 20)
    made.save(root)


@contextmanager
def site(root: Path, place: Path) -> Iterator[Site]:
    """A server over a root that it knows already."""
    with standing(root, place / "home") as found:
        yield found


@contextmanager
def standing(root: Path, home: Path) -> Iterator[Site]:
    """A server over a root and an index of it, which is made first where it is missing."""
    env = {**os.environ, "UNSPOOL_HOME": str(home), "CLAUDE_CONFIG_DIR": str(root)}
    _indexed(root, env)
    command = [sys.executable, "-m", "unspool", "serve", "--port", "0", "--json", "--no-browser"]
    command += ["--sockets", str(2 * _PAGES)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE) as running:  # noqa: S603
        try:
            told = json.loads(running.stdout.readline() if running.stdout else b"{}")
            yield Site(told["url"], told["token"], running.pid, told["open"])
        finally:
            running.terminate()


def _indexed(root: Path, env: Mapping[str, str]) -> None:
    command = [sys.executable, "-m", "unspool", "index", "build", "--root", str(root)]
    subprocess.run(command, env=env, check=True, capture_output=True)  # noqa: S603


@contextmanager
def _writing(root: Path) -> Iterator[None]:
    """Fifty sessions, a line each in every second."""
    stop = Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            name, number = f"live-{number % _LIVE}", number + 1
            at = strftime("%FT%TZ", gmtime())
            made = Transcript(name, cwd="/home/dev/live", start=at, uuid_prefix=f"{number}-")
            path = made.says("words enough to be one line " * 12, id=f"m{number}").path_in(root)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(made.bytes())
            sleep(1 / _LIVE)

    writer = Thread(target=write, daemon=True)
    writer.start()
    sleep(2.0)
    try:
        yield
    finally:
        stop.set()
        writer.join()


@contextmanager
def _pages(site: Site) -> Iterator[set[int]]:
    """Who follows: in a thread of their own; the numbers of those that heard of an event."""
    heard: set[int] = set()
    stop = Event()
    thread = Thread(target=lambda: asyncio.run(_follow(site, heard, stop)), daemon=True)
    thread.start()
    sleep(2.0)
    try:
        yield heard
    finally:
        stop.set()
        thread.join(10)


async def _follow(site: Site, heard: set[int], stop: Event) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(_PAGES):
            group.create_task(_page(site, number, heard, stop))


async def _page(site: Site, number: int, heard: set[int], stop: Event) -> None:
    address = site.url.replace("http", "ws", 1) + "/api/dashboard"
    headers = {"authorization": site.bearer}
    asked = json.dumps({"type": "subscribe", "sessionId": f"live-{number % _LIVE}"})
    async with connect(
        address,
        origin=Origin(site.url),
        additional_headers=headers,
        max_size=None,
    ) as socket:
        await socket.send(asked)
        while not stop.is_set():
            try:
                said: Any = json.loads(await asyncio.wait_for(socket.recv(), 1.0))
            except TimeoutError:
                continue
            if said["type"] == "event_added":
                heard.add(number)


def _load(site: Site, name: str, path: str) -> list[Figure]:
    seconds = os.environ.get("UNSPOOL_LOAD_SECONDS", "5")
    command = [
        wrk(), "-t1", f"-c{_CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "30s",
        "-H", f"Authorization: {site.bearer}", site.url + path,
    ]  # fmt: skip
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    if "Non-2xx" in said:
        raise RuntimeError(said)
    speed = re.search(r"Requests/sec:\s+([\d.]+)", said)
    slow = re.search(r"99%\s+([\d.]+)(us|ms|s)", said)
    return [
        Figure(f"serve: {name}", float(speed[1]) if speed else 0, "/s", more_is_better=True),
        Figure(f"serve: {name}, p99", float(slow[1]) * _UNITS[slow[2]] if slow else 0, "ms"),
    ]


def rss(pid: int) -> float:
    """Megabytes a process holds."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    begun = monotonic()
    with TemporaryDirectory(prefix="unspool-serving-") as scratch:
        for variable in ("HOME", "CLAUDE_CONFIG_DIR", "UNSPOOL_HOME"):
            os.environ[variable] = str(Path(scratch, variable.lower()))
        print(table(measured(Path(scratch))))
    print(f"{monotonic() - begun:.0f} s", file=sys.stderr)
