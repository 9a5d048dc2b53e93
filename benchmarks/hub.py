"""A hub under load: what it takes in, finds, adds up, opens, and tells 500 pages.

`python -m benchmarks.hub [ingest|search|spend|session|sockets ...]`; it needs the extra
`hub-embedded`. UNSPOOL_HUB_BENCH=full has it take in lines for a minute, search a million of
them, and add up ten million responses: that takes an hour or so, and 10 GB of disk.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import gmtime, monotonic, sleep, strftime
from typing import Final, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from benchmarks.budgets import Figure, table
from benchmarks.hub_rows import added_up, spent
from benchmarks.hub_site import (
    PATIENCE,
    PROJECT,
    WORDS,
    Growing,
    HubSite,
    Machine,
    bodies,
    hub_site,
    large_session,
)
from benchmarks.serving import rss
from unspool.demo import Transcript


class Sizes(NamedTuple):
    """How much of everything."""

    seconds: float  # of taking in
    lines: int  # that are searched
    searches: int  # of each kind
    responses: int  # that are added up
    told: float  # seconds in which pages are told of lines


SMALL: Final = Sizes(10, 40_000, 10, 100_000, 8)
FULL: Final = Sizes(60, 1_000_000, 30, 10_000_000, 60)
MACHINES: Final = 200
_SENDERS: Final = 16  # of the machines, those that send at once
_MOST_RATE: Final = 6_000  # lines a second: as many envelopes are made
_LAG: Final = 300.0
_OF_ONE: Final = 500_000  # responses in a year
_SOCKETS: Final = 500
_WATCHED: Final = 50  # machines, whose people have the sockets


def ingest(hub: HubSite, sizes: Sizes) -> list[Figure]:
    """Lines from 200 machines for a while, and what is left to do after it."""
    machines = len(hub.enrol(MACHINES))
    made = bodies(int(sizes.seconds * _MOST_RATE / machines))
    before = hub.cpu()
    sent = hub.send(made, threads=_SENDERS, until=monotonic() + sizes.seconds)
    used = [
        1e6 * (after - then) / sent.lines for then, after in zip(before, hub.cpu(), strict=True)
    ]
    note = f"{sent.lines:,} in {sent.took:.0f} s, {load()}"
    memory, lag = rss(hub.pid), hub.caught_up(2 * _LAG)
    late = [one * 1_000 for one in sent.seconds]
    rate = sent.lines / sent.took
    return [
        Figure("hub: lines acknowledged", rate, "/s", 3_000, None, True, note),
        Figure("hub: an envelope of 40, p50", median(late), "ms"),
        Figure("hub: an envelope of 40, p99", quantiles(late, n=100)[-1], "ms", 1_000),
        Figure("hub: CPU of the hub for a line", used[0], "us", note="with words for searches"),
        Figure("hub: CPU of PostgreSQL for a line", used[1], "us"),
        Figure("hub: memory, 200 machines", memory, "MB", 200),
        Figure("hub: searches find all after", lag, "s", _LAG, note=load()),
    ]


def search(hub: HubSite, sizes: Sizes) -> list[Figure]:
    """Words that are common, middling and rare, the newest and the best first."""
    machines = len(hub.enrol(MACHINES))
    hub.send(bodies(sizes.lines // machines), threads=_SENDERS)
    hub.caught_up(sizes.lines / 100)
    about = f"{hub.lines:,} lines"
    found = []
    for order, must in (("newest", 100), ("ranked", 250)):
        for kind, word in WORDS.items():
            path = f"/api/search?q={word}&order={order}"
            times = [hub.get(path)[0] * 1_000 for _ in range(sizes.searches + 1)][1:]
            name = f"hub: a {kind} word, {order}, p95"
            note = f"{about}, p50 {median(times):.0f} ms, {load()}"
            found.append(Figure(name, quantiles(times, n=20)[-1], "ms", must, note=note))
    return found


def spend(hub: HubSite, sizes: Sizes) -> list[Figure]:
    """The page of a year of responses."""
    people = max(1, sizes.responses // _OF_ONE)
    owners = [machine.owner for machine in hub.enrol(MACHINES)[:people]]
    spent(hub.pool, owners, sizes.responses)
    took = added_up(hub.pool)
    path = "/spend?range=365"
    first = hub.get(path)[0] * 1_000
    times = [hub.get(path)[0] * 1_000 for _ in range(5)]
    note = f"{sizes.responses:,} responses, first {first:.0f} ms, {load()}"
    return [
        Figure("hub: /spend of a year", median(times), "ms", 300, note=note),
        Figure("hub: causes of that year added up in", took, "s"),
        Figure("hub: memory after it", rss(hub.pid), "MB", 200),
    ]


def session(hub: HubSite, _: Sizes) -> list[Figure]:
    """A session of 20 MB, opened for the first time and again."""
    machine = hub.enrol(MACHINES)[0]
    made = large_session()
    for body in made:
        hub.post(machine, body.data)
    size = sum(body.size for body in made) / 1e6
    path = f"/s/{machine.name}~{PROJECT}/large"
    hub.caught_up(_LAG)
    hub.get("/sessions")  # this person has looked at something before
    first = hub.get(path)[0]
    rest = hub.get(path.replace("/s/", "/part/rest/", 1))[0]  # as the page asks for it by itself
    again = min(hub.get(path)[0] for _ in range(5))
    about = f"{size:.1f} MB, {sum(body.lines for body in made):,} lines, {load()}"
    return [
        Figure("hub: a session of 20 MB, first window", first, "s", 1.2, note=about),
        Figure("hub: the same, its rest", rest, "s"),
        Figure("hub: the same, again", again * 1_000, "ms", 40),
    ]


class Page:
    """A browser of somebody who follows a session: how late each line came."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.late: list[float] = []

    async def subscribe(self, name: str) -> None:
        await self._socket.send(json.dumps({"type": "subscribe", "sessionId": name}))
        await self._socket.send("?")  # answered when that is done
        while json.loads(await self._socket.recv())["type"] != "error":
            pass

    async def listen(self) -> None:
        while True:
            try:
                message = json.loads(await self._socket.recv())
            except ConnectionClosed:
                return
            if message["type"] == "event_added":
                now = monotonic()
                said = (event["preview"].split()[1] for event in message["data"]["events"])
                self.late += [now - float(at) for at in said]


class Writers:
    """Machines that send a line each in every second, of a session of their own."""

    def __init__(self, hub: HubSite, machines: list[Machine]) -> None:
        self._hub, self._machines = hub, machines
        self._sources = {one.name: Growing(2_000_000, watched(one)) for one in machines}
        self._lines = 0
        for machine in machines:
            self._write(machine)
        self._first = self._lines

    def run(self, stop: Event) -> None:
        begun = monotonic()
        while not stop.is_set():
            self._write(self._machines[self._lines % len(self._machines)])
            sleep(max(0.0, begun + self._lines / len(self._machines) - monotonic()))

    @property
    def told(self) -> int:
        """How many times pages had to be told of a line."""
        return (self._lines - self._first) * _SOCKETS // len(self._machines)

    def _write(self, machine: Machine) -> None:
        self._lines += 1
        start = strftime("%FT%TZ", gmtime())
        made = Transcript(watched(machine), start=start, uuid_prefix=f"{self._lines}-")
        line = made.user(f"at {monotonic()} words enough to be one line")
        self._hub.post(machine, self._sources[machine.name].body(line.bytes()).data)


def watched(machine: Machine) -> str:
    return f"watched-{machine.name}"


def sockets(hub: HubSite, sizes: Sizes) -> list[Figure]:
    """500 pages of 50 people, who follow what their machines do."""
    machines = hub.enrol(MACHINES)[:_WATCHED]
    pages, wanted = asyncio.run(_told(hub, machines, sizes.told))
    late = [one * 1_000 for page in pages for one in page.late]
    cuts = quantiles(late or [PATIENCE * 1_000] * 2, n=100)
    note = f"{_SOCKETS} pages of {_WATCHED} people, {load()}"
    return [
        Figure("hub: lines that pages were told", len(late), "", wanted, None, True, note),
        Figure("hub: a line sent to a page told, p50", cuts[49], "ms"),
        Figure("hub: a line sent to a page told, p95", cuts[94], "ms", 1_000),
        Figure("hub: memory with 500 pages", rss(hub.pid), "MB"),
    ]


async def _told(hub: HubSite, machines: list[Machine], seconds: float) -> tuple[list[Page], int]:
    stop, writers = Event(), await asyncio.to_thread(Writers, hub, machines)
    async with AsyncExitStack() as stack:
        pages = []
        for number in range(_SOCKETS):
            machine = machines[number % len(machines)]
            page = Page(await stack.enter_async_context(_connected(hub, machine)))
            await page.subscribe(watched(machine))
            pages.append(page)
        tasks = [asyncio.ensure_future(page.listen()) for page in pages]
        thread = Thread(target=writers.run, args=(stop,))
        thread.start()
        await asyncio.sleep(seconds)
        stop.set()
        await asyncio.to_thread(thread.join)
        deadline = monotonic() + PATIENCE
        while sum(len(page.late) for page in pages) < writers.told and monotonic() < deadline:
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
    return pages, writers.told


def _connected(hub: HubSite, machine: Machine) -> connect:
    return connect(
        hub.url.replace("http", "ws", 1) + "/api/dashboard",
        origin=Origin(hub.url),
        additional_headers={"Authorization": f"Bearer {machine.token}"},
        max_size=None,
        open_timeout=PATIENCE,
    )


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


PARTS: Final[dict[str, Callable[[HubSite, Sizes], list[Figure]]]] = {
    "ingest": ingest,
    "search": search,
    "spend": spend,
    "session": session,
    "sockets": sockets,
}


def measured(place: Path, parts: Iterable[str] = PARTS) -> list[Figure]:
    """Some parts, of one hub, one after the other."""
    sizes = FULL if os.environ.get("UNSPOOL_HUB_BENCH") == "full" else SMALL
    with hub_site(place) as hub:
        return [figure for part in parts for figure in _shown(PARTS[part](hub, sizes))]


def _shown(figures: list[Figure]) -> list[Figure]:
    """Full sizes take long: each part is shown as soon as it is known."""
    print(table(figures), file=sys.stderr, flush=True)
    return figures


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        for name in ("HOME", "CLAUDE_CONFIG_DIR"):
            os.environ[name] = str(Path(scratch, name.lower()))
        figures = measured(Path(scratch), sys.argv[1:] or PARTS)
    sys.exit(not all(figure.holds for figure in figures))
