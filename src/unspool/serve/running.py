"""The app and its sockets -> a server that runs until told to stop, and then stops soon."""

import re
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event, RLock, Thread
from types import FrameType
from typing import Any, Final

import msgspec
import uvicorn
from litestar.concurrency import set_asyncio_executor
from msgspec import Struct

from unspool.errors import StoreError
from unspool.private_files import private_directory, write_private
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.auth.timeouts import HttpConnection, WebSocketConnection
from unspool.serve.auth.tokens import ServerTokens, new_name, new_token
from unspool.serve.runtime import RUNTIME, Runtime, read_struct
from unspool.serve.runtime import read_runtime as read_runtime

_KEPT: Final = "tokens.json"
_NAME: Final = re.compile("u-[0-9a-f]{16}")
_THREADS: Final = 32
_LOOK_EVERY: Final = 5.0
_CODE_LEFT_MS: Final = 60_000


class KeptTokens(Struct, frozen=True, kw_only=True, rename="camel"):
    """Secrets that outlive a run: hooks keep posting, and with --keep-token pages stay open."""

    name: str = ""  # of this home, below `localhost`
    ingest_token: str = ""
    token: str = ""
    revoked: tuple[str, ...] = ()  # ids of cookies that signed out


class Tls(Struct, frozen=True):
    """Files of a certificate and its key."""

    cert: str
    key: str | None = None


def read_kept(home: Path) -> KeptTokens:
    """The secrets of earlier runs."""
    return read_struct(home / _KEPT, KeptTokens) or KeptTokens()


class ServerSecrets:
    """The secrets of a home: those of earlier runs, and new ones where there are none."""

    def __init__(self, home: Path, *, keep_token: bool) -> None:
        self._home, before = home, read_kept(home)
        is_kept = keep_token and before.token != ""
        self.token = before.token if is_kept else new_token()
        self.kept = KeptTokens(
            name=before.name if _NAME.fullmatch(before.name) else new_name(),
            ingest_token=before.ingest_token or new_token(),
            token=self.token if keep_token else "",
            revoked=before.revoked if is_kept else (),
        )
        _write(home / _KEPT, self.kept)

    def tokens(self, port: int) -> ServerTokens:
        """What a server on a port compares requests with."""
        return ServerTokens(
            self.token,
            self.kept.ingest_token,
            port,
            revoked=self.kept.revoked,
            keep_revoked=self._keep_revoked,
        )

    def _keep_revoked(self, ids: frozenset[str]) -> None:
        if self.kept.token:  # without, no cookie outlives this run
            self.kept = msgspec.structs.replace(self.kept, revoked=tuple(sorted(ids)))
            _write(self._home / _KEPT, self.kept)


class RuntimeFile:
    """`runtime.json` while a server runs: what its `open` says can always be opened."""

    def __init__(self, home: Path, runtime: Runtime, policy: AccessPolicy) -> None:
        self._home, self._runtime, self._policy = home, runtime, policy
        self._code = ""
        policy.on_code_used = self.renew
        self._closed = Event()
        self._lock = RLock()

    def write(self) -> Runtime:
        """Say where this server listens, to nobody but its owner; what was said."""
        with self._lock:
            self._renew()
        Thread(target=self._keep, name="unspool-runtime", daemon=True).start()
        return self._runtime

    def renew(self) -> None:
        """Write the file again if its code was used, or will soon have expired."""
        # The disk may be full, or a hub's database away: then at the next look.
        with self._lock, suppress(OSError, StoreError):
            is_good = self._policy.code_state(self._code, for_ms=_CODE_LEFT_MS) == "good"
            if self._code and not is_good and not self._closed.is_set():
                self._renew()

    def remove(self) -> None:
        """Nobody listens any more; a runtime file of another process is left alone."""
        with self._lock:
            self._closed.set()
            found = read_runtime(self._home)
            if found is not None and found.pid == self._runtime.pid:
                (self._home / RUNTIME).unlink(missing_ok=True)

    def _keep(self) -> None:
        while not self._closed.wait(_LOOK_EVERY):
            self.renew()

    def _renew(self) -> None:
        invitation = self._policy.invitation()
        runtime = msgspec.structs.replace(self._runtime, open=invitation.address)
        _write(self._home / RUNTIME, runtime)
        self._code, self._runtime = invitation.code, runtime


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


def _write(path: Path, what: Struct) -> None:
    private_directory(path.parent)
    path.parent.chmod(0o700)
    write_private(path, [msgspec.json.encode(what)], durable=True)
