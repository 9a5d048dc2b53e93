"""The app and its sockets -> a server that runs until told to stop, and then stops soon."""

import os
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar

import msgspec
import uvicorn
from litestar.concurrency import set_asyncio_executor
from msgspec import Struct

from unspool.private_files import private_directory
from unspool.serve.auth.timeouts import HttpConnection, WebSocketConnection

RUNTIME: Final = "runtime.json"
_KEPT: Final = "tokens.json"
_THREADS: Final = 32
Kind = TypeVar("Kind")


class Runtime(Struct, frozen=True, kw_only=True, rename="camel"):
    """What `runtime.json` says while a server runs."""

    url: str
    port: int
    pid: int
    token: str
    ingest_token: str

    def entrance(self, secret: str) -> str:
        """The address to open; what follows `#` never leaves the browser."""
        return f"{self.url}/#t={secret}"


class KeptTokens(Struct, frozen=True, kw_only=True, rename="camel"):
    """Secrets that outlive a run: hooks keep posting, and with --keep-token pages stay open."""

    ingest_token: str = ""
    token: str = ""


class Tls(Struct, frozen=True):
    """Files of a certificate and its key."""

    cert: str
    key: str | None = None


def read_runtime(home: Path) -> Runtime | None:
    """Where the server of a home listens, by its own word."""
    return _read(home / RUNTIME, Runtime)


def read_kept(home: Path) -> KeptTokens:
    """The secrets of earlier runs."""
    return _read(home / _KEPT, KeptTokens) or KeptTokens()


def write_runtime(home: Path, runtime: Runtime) -> None:
    """Say where this server listens, to nobody but its owner."""
    _write(home / RUNTIME, runtime)


def write_kept(home: Path, kept: KeptTokens) -> None:
    """Keep secrets for the next run."""
    _write(home / _KEPT, kept)


def forget_runtime(home: Path) -> None:
    """Nobody listens any more; a runtime file of another process is left alone."""
    found = read_runtime(home)
    if found is not None and found.pid == os.getpid():
        (home / RUNTIME).unlink(missing_ok=True)


class Server(uvicorn.Server):
    """Says when it listens and when it was told to stop."""

    def __init__(
        self, config: uvicorn.Config, *, started: Callable[[], None], stopping: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_started, self._on_stopping = started, stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._on_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, and have the other processes stop at once."""
        self._on_stopping()
        super().handle_exit(sig, frame)


def server(
    app: Any,
    *,
    tls: Tls | None = None,
    started: Callable[[], None],
    stopping: Callable[[], None],
) -> Server:
    """A server with our timeouts, on our thread pool."""
    # A page waits for each row it reads while others compute: they give way ten times as often.
    sys.setswitchinterval(0.0005)
    set_asyncio_executor(ThreadPoolExecutor(_THREADS, "unspool-context"))
    config = uvicorn.Config(
        app,
        http=HttpConnection,
        ws=WebSocketConnection,
        ws_max_size=1024 * 1024,
        # The same message goes to many, and mostly not far: to pack it for each costs more.
        ws_per_message_deflate=False,
        ws_ping_interval=30.0,
        ws_ping_timeout=30.0,
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        # Who asks is who connected, whatever a header says.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=1,
        # The policy answers 431 itself; past this the parser gives up.
        h11_max_incomplete_event_size=64 * 1024,
        ssl_certfile=tls.cert if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )
    return Server(config, started=started, stopping=stopping)


def _read(path: Path, kind: type[Kind]) -> Kind | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, ValueError):
        return None


def _write(path: Path, what: Struct) -> None:
    private_directory(path.parent)
    path.parent.chmod(0o700)
    new = path.with_suffix(".new")
    with suppress(FileNotFoundError):
        new.unlink()
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "wb") as out:
        out.write(msgspec.json.encode(what))
    new.replace(path)
