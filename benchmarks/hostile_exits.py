"""A session with a hostile text, and each way out of it: commands, pages, REST, the WebSocket.

Each starts with nothing in memory. The same text is in the session and in an agent of it.
"""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from threading import Event
from typing import Any, Final, TypeAlias
from unittest.mock import patch

import httpx
from litestar import Litestar
from msgspec import json

from benchmarks.scale import served_context
from unspool.cli import config, main
from unspool.demo import Transcript
from unspool.engine.timeline.pages import EventQuery
from unspool.serve.app import VIEW, View, app
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.auth.tokens import ServerTokens
from unspool.serve.live import Live
from unspool.serve.places import server_names

Work: TypeAlias = Callable[[], object]

SESSION, AGENT = "hostile", "a1"
_PROJECT: Final = "-home-dev-hostile"
_NAME: Final = f"{_PROJECT}/{SESSION}"
_PATIENCE: Final = 60.0
_FORMATS: Final = ("html", "md", "json", "jsonl")
_VIEWS: Final = ("turns", "context", "waterfall", "tools", "raw")
_PARTS: Final = ("", "/metrics", "/turns", "/tools", "/context", "/waterfall")

COMMANDS: Final = {
    "`index build`": ("index", "build"),
    "`ls`": ("ls", "--all"),
    "`ls --json`": ("ls", "--all", "--json"),
    "`top`": ("top", "--once"),
    "`top --json`": ("top", "--once", "--json"),
    "`tail`": ("tail", SESSION, "-n", "1000"),
    "`tail --json`": ("tail", SESSION, "-n", "1000", "--json"),
    "`search`": ("search", "a"),
    "`search --json`": ("search", "a", "--json"),
    "`search --regex`": ("search", "--regex", "a.?"),
    "`sql`, lines": ("sql", "SELECT * FROM lines"),
    "`sql`, events": ("sql", "SELECT * FROM events", "--csv"),
    "`show --turns`": ("show", SESSION, "--turns"),
    "`show --lines`": ("show", SESSION, "--lines"),
    "`show --agent`": ("show", SESSION, "--agent", AGENT),
    "`show --agent --json`": ("show", SESSION, "--agent", AGENT, "--json"),
    "export, jsonl": ("export", SESSION, "--format", "jsonl", "-o", "-"),
    **{
        f"export of an agent, {format}": (
            "export", SESSION, "--agent", AGENT, "--format", format, "-o", "-",
        )
        for format in _FORMATS
    },
}  # fmt: skip
ROUTES: Final = (
    *("/", "/sessions", "/search?q=a", "/files", "/tools", "/spend"),
    *(f"/s/{_NAME}?view={view}" for view in _VIEWS),
    *(f"/s/{_NAME}?agent={AGENT}&view={view}" for view in _VIEWS),
    *(
        f"/part/{part}/{_NAME}"
        for part in ("rest", "window", "tail", "steps", "range", "spend/turns")
    ),
    *("/api/sessions", "/api/search?q=a", "/api/files", "/api/projects", "/api/cost"),
    *(f"/api/sessions/{_NAME}{part}" for part in _PARTS),
    *(f"/api/sessions/{_NAME}{part}?agent={AGENT}" for part in _PARTS[1:]),
    f"/api/sessions/{_NAME}/raw/{{line}}",
    f"/api/sessions/{_NAME}/subagents/{AGENT}",
    f"/api/sessions/{SESSION}/events?limit=200",
    f"/api/sessions/{SESSION}/events/main",
    f"/api/sessions/{SESSION}/events/subagent/{AGENT}",
    f"/api/sessions/{SESSION}/events/{{event}}/full",
    *(f"/api/export/{_NAME}?format={format}" for format in _FORMATS),
)


def change(text: str) -> dict[str, str]:
    """An edit of half of it into half of it, in which no line stays in its place."""
    half = text[: len(text) // 2]
    return {"file_path": "a", "old_string": half, "new_string": f"b{half[:-1]}\n"}


HOLDERS: Final[dict[str, Callable[[Transcript, str], Transcript]]] = {
    "answer": lambda made, text: made.user("Go").says(text),
    "prompt": lambda made, text: made.user(text),
    "output": lambda made, text: made.user("Go").calls("Bash", command="x").returns(text),
    "edit": lambda made, text: made.user("Go").calls("Edit", change(text)).returns("ok"),
}


def exits(place: Path, holder: str, text: str) -> Iterator[tuple[str, Work]]:
    """Each way out of a session that holds a text, by its name; the session is gone at the end."""
    with _own_root(place) as root:
        fill, start = HOLDERS[holder], config.local_now().isoformat()
        made = Transcript(session=SESSION, cwd="/home/dev/hostile", start=start)
        lines = fill(made, text).save(root).read_bytes().splitlines()
        agent = Transcript(session=SESSION, cwd="/home/dev/hostile", agent=AGENT, start=start)
        fill(agent, text).save(root)
        for name, command in COMMANDS.items():
            yield name, partial(run_command, command)
        line = max(range(len(lines)), key=lambda number: len(lines[number])) + 1
        with served_context() as context:
            found = Live(context).timelines.page((_PROJECT, SESSION), EventQuery(limit=100)).items
        event = max((len(one.preview), one.event_id) for one in found)[1] if found else ""
        site = _Site()
        for address in ROUTES:
            if "{event}" in address and not event:  # blanks are none
                continue
            shown = address.replace(f"/{_NAME}", "/…").replace(f"/{SESSION}", "/…")
            yield shown, partial(site.ask, address.format(line=line, event=event))
        if event:
            yield "WebSocket", site.follow


@contextmanager
def _own_root(place: Path) -> Iterator[Path]:
    """A root and a home that are the user's own; both are removed."""
    with patch.dict(os.environ, CLAUDE_CONFIG_DIR=f"{place}/root", UNSPOOL_HOME=f"{place}/home"):
        try:
            yield place / "root"
        finally:
            shutil.rmtree(place, ignore_errors=True)


class _Output(TextIOWrapper):
    """Standard output: a pipe, or a terminal."""

    is_terminal = False

    def isatty(self) -> bool:
        return self.is_terminal


def run_command(args: tuple[str, ...], *, is_terminal: bool = False) -> None:
    """Run a command in this process; one that would wait for more is told to stop."""
    out = _Output(BytesIO(), encoding="utf-8")
    out.is_terminal = is_terminal
    stopped = patch.object(config, "stop_event", _stopped)
    with redirect_stdout(out), redirect_stderr(StringIO()), stopped:
        code = main(list(args))
        out.flush()
    is_empty = not out.buffer.getbuffer().nbytes  # type: ignore[attr-defined] # it is a BytesIO
    if code or (is_empty and args[0] != "tail"):  # blanks are no event
        raise RuntimeError(f"unspool {' '.join(args)} ended with {code}")


@contextmanager
def _stopped() -> Iterator[Event]:
    stop = Event()
    stop.set()
    yield stop


class _Site:
    """One app for all requests, each of which finds a server that has just started."""

    _app: Litestar | None = None

    def ask(self, address: str) -> None:
        """One request."""

        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._answer)
            async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                return await client.get(address)

        asyncio.run(asked()).raise_for_status()

    def follow(self) -> None:
        """Subscribe to the session from its first line, and read what is sent of it."""
        asyncio.run(self._followed())

    async def _followed(self) -> None:
        incoming, sent = asyncio.Queue[Any](), asyncio.Queue[Any]()
        wanted = {"type": "subscribe", "sessionId": SESSION, "seq": 0}
        for event in (
            {"type": "websocket.connect"},
            {"type": "websocket.receive", "text": json.encode(wanted).decode()},
        ):
            incoming.put_nowait(event)
        async with asyncio.timeout(_PATIENCE), asyncio.TaskGroup() as group:
            group.create_task(self._answer(_SOCKET.copy(), incoming.get, sent.put))
            while '"event_added"' not in (await sent.get()).get("text", "")[:200]:
                pass
            await incoming.put({"type": "websocket.disconnect", "code": 1000})

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        with served_context() as context:
            if _Site._app is None:
                tokens, names = (
                    ServerTokens("token", "ingest", 1),
                    server_names("localhost", 1, name="x"),
                )
                policy = AccessPolicy(tokens, names, now=config.now)
                _Site._app = app(context, policy, is_shared=True)
            scope[VIEW] = View(context, Live(context))
            await _Site._app(scope, receive, send)


_SOCKET: Final[dict[str, Any]] = {
    "type": "websocket", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1",
    "scheme": "ws", "path": "/api/dashboard", "raw_path": b"/api/dashboard",
    "query_string": b"after=0", "root_path": "", "headers": [(b"host", b"x")],
    "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 1), "subprotocols": [], "state": {},
}  # fmt: skip
