"""A line written -> the same line at every page that listens: 200 of them, 50 sessions.

`python -m benchmarks.listening`
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import gmtime, monotonic, strftime
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from benchmarks.budgets import Figure, table
from unspool.demo import Transcript

_PAGES, _SESSIONS, _ROUNDS = 200, 50, 10
_PATIENCE = 60.0


class Session:
    """A transcript that grows."""

    def __init__(self, root: Path, number: int) -> None:
        start = strftime("%FT%TZ", gmtime())
        self.name = f"listened-{number:03}"
        self._made = Transcript(self.name, start=start, uuid_prefix=f"{self.name}-")
        self._path = self._made.path_in(root)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._size = 0

    def write(self) -> None:
        """Add a line that says when it was written."""
        data = self._made.user(f"at {monotonic()}").bytes()
        with self._path.open("ab") as file:
            file.write(data[self._size :])
        self._size = len(data)


class Page:
    """One that listens to one session, and how late it was told of each line."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.late: list[float] = []

    async def listen(self, session: str) -> None:
        """Read until every line was told."""
        await self._socket.send(json.dumps({"type": "subscribe", "sessionId": session}))
        async with asyncio.timeout(_PATIENCE):
            while len(self.late) < _ROUNDS:
                message = json.loads(await self._socket.recv())
                if message["type"] == "event_added":
                    events = message["data"]["events"]
                    self.late += [_since(event["preview"]) for event in events]


def _since(said: str) -> float:
    return monotonic() - float(said.removeprefix("at "))


async def _told(runtime: dict[str, Any], sessions: list[Session]) -> list[float]:
    async with AsyncExitStack() as stack:
        pages = [Page(await stack.enter_async_context(_listening(runtime))) for _ in range(_PAGES)]
        async with asyncio.TaskGroup() as group:
            for n, page in enumerate(pages):
                group.create_task(page.listen(sessions[n % _SESSIONS].name))
            for _ in range(_ROUNDS):
                for session in sessions:
                    session.write()
                    await asyncio.sleep(0.02)
        return [late for page in pages for late in page.late]


def _listening(runtime: dict[str, Any]) -> connect:
    return connect(
        runtime["url"].replace("http", "ws", 1) + "/api/dashboard",
        origin=Origin(runtime["url"]),
        additional_headers={"Authorization": f"Bearer {runtime['token']}"},
        max_size=None,
    )


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def measured(place: Path) -> list[Figure]:
    """How late lines are told, and what the server holds in memory meanwhile."""
    root = place / "root"
    sessions = [Session(root, number) for number in range(_SESSIONS)]
    (root / "projects").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "unspool", "serve", "--no-browser", "--json", "--port", "0"]
    around = {**os.environ, "UNSPOOL_HOME": str(place / "unspool"), "CLAUDE_CONFIG_DIR": str(root)}
    with subprocess.Popen(  # noqa: S603 - our own command
        [*command, "--root", str(root)], env=around, stdout=subprocess.PIPE
    ) as server:
        try:
            said = server.stdout.readline() if server.stdout else b""
            late = asyncio.run(_told(json.loads(said), sessions))
            resident = _resident(server.pid)
        finally:
            server.send_signal(signal.SIGTERM)
    cuts = quantiles(late, n=100)
    about = f"{_PAGES} pages, {_SESSIONS} sessions, 50 lines a second"
    return [
        Figure("append -> 200 pages, median", cuts[49] * 1_000, "ms", note=about),
        Figure("append -> 200 pages, p99", cuts[98] * 1_000, "ms", aim=250),
        Figure("server with 200 pages, RSS", resident, "MB", must=200),
        Figure("lines told", len(late), "", must=_PAGES * _ROUNDS, more_is_better=True),
    ]


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        for name in ("HOME", "CLAUDE_CONFIG_DIR"):
            os.environ[name] = str(Path(scratch, name.lower()))
        print(table(measured(Path(scratch))))
