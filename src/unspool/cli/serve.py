"""`unspool serve`: the index kept up to date by a child, the desk, the door, and the browser."""

import os
import signal
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Timer
from time import monotonic, sleep
from typing import Final

import msgspec

from unspool.cli import browser, config, daemon, printing, serve_asked
from unspool.cli.demonstration import demonstration
from unspool.cli.doctor import found_here
from unspool.cli.index import index_status
from unspool.cli.invitation import invitation
from unspool.cli.keeper import Keeper
from unspool.cli.paths import INDEX
from unspool.cli.processes import lock_holder
from unspool.cli.stores import LOCK as WRITER_LOCK
from unspool.cli.stores import Stores
from unspool.cli.topping import boards
from unspool.errors import StoreBusy, StoreError, UnspoolError
from unspool.redact import Redactor
from unspool.serve import places, running
from unspool.serve.app import guarded
from unspool.serve.desk import Desk
from unspool.serve.desks.around import Around
from unspool.serve.door import Door, Tokens
from unspool.serve.door.tokens import new_token
from unspool.serve.running import KeptTokens, Runtime, Tls
from unspool.store.sqlite.lock import WriterLock
from unspool.store.sqlite.store import SqliteStore

LOCK: Final = "serve.lock"
_STARTS_WITHIN: Final = 5.0
_OPENS_WITHIN: Final = 5.0
_STOPS_WITHIN: Final = 1.8


def run(args: list[str]) -> int:
    """Serve until somebody says stop."""
    options = serve_asked.options(args)
    tls = serve_asked.tls(options)
    with ExitStack() as stack:
        if options.demo:
            options.root = [str(stack.enter_context(demonstration()))]
        stores, home = serve_asked.stores(options.root), config.unspool_home()
        try:
            lock = WriterLock(home / LOCK)
        except StoreBusy as busy:
            return _join(home, busy.pid, options)
        stack.callback(lock.release)
        _serve(home, stores, tls, options)
    return 0


def _join(home: Path, pid: int, options: Namespace) -> int:
    """Another one serves this data already: say where, and open it."""
    deadline = monotonic() + _STARTS_WITHIN
    while (found := running.read_runtime(home)) is None or found.pid != pid:
        if monotonic() > deadline:
            raise UnspoolError(f"Process {pid} is about to serve {home}. Try again in a moment.")
        sleep(0.05)
    _tell(found, options, "unspool already runs at")
    _open(found, options, lambda: invitation(found), wait=_OPENS_WITHIN)
    return 0


def _serve(home: Path, stores: Stores, tls: Tls | None, options: Namespace) -> None:
    sockets = places.listening(options.host, options.port)
    port = places.port_of(sockets)
    if port != options.port and options.port:
        print(f"unspool: Port {options.port} is taken; this is {port}.", file=sys.stderr)
    runtime = _runtime(home, port, tls, options)
    door = _door(runtime, tls, options)
    explicit = [part for root in options.root for part in ("--root", os.path.abspath(root))]
    writer = Keeper(["index", "watch", *explicit], lambda: not _is_written(stores.home))
    _have_index(stores)
    desk = _desk(stores, options)

    def started() -> None:
        running.write_runtime(home, runtime)
        _tell(runtime, options, "unspool is at")
        _open(runtime, options, door.invite)

    def stopping() -> None:
        writer.stop()
        _give_up_later(home)

    made = running.server(guarded(desk, door), tls=tls, started=started, stopping=stopping)
    # Whoever served says by its exit code that all went well, not which signal came.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        writer.start()
        with suppress(KeyboardInterrupt):
            made.run(sockets)
    finally:
        desk.close()
        writer.join()
        _check_in(stores)
        running.forget_runtime(home)


def _runtime(home: Path, port: int, tls: Tls | None, options: Namespace) -> Runtime:
    kept = running.read_kept(home)
    token = (options.keep_token and kept.token) or new_token()
    ingest = kept.ingest_token or new_token()
    running.write_kept(
        home, KeptTokens(ingest_token=ingest, token=token if options.keep_token else "")
    )
    url = f"{'https' if tls else 'http'}://{places.name(options.host)}:{port}"
    return Runtime(url=url, port=port, pid=os.getpid(), token=token, ingest_token=ingest)


def _door(runtime: Runtime, tls: Tls | None, options: Namespace) -> Door:
    tokens = Tokens(runtime.token, runtime.ingest_token, runtime.port)
    names = places.hosts(options.host, runtime.port, is_tls=tls is not None)
    return Door(tokens, names, scheme="https" if tls else "http", now=config.now)


def _have_index(stores: Stores) -> None:
    """Readers must not meet an index that is being made."""
    if not stores.is_there():
        with suppress(StoreError):
            stores.writing().close()
    with stores.reading():
        pass  # one of an earlier version is brought up to date, or said to be too old


def _check_in(stores: Stores) -> None:
    """The child may have ended while we still read: then its log is put into the index now."""
    if (stores.home / f"{INDEX}-wal").exists():
        with suppress(StoreError):
            stores.writing().close()


def _desk(stores: Stores, options: Namespace) -> Desk:
    around = Around(
        home=stores.home,
        roots=stores.roots,
        prices=config.prices(),
        store=SqliteStore(stores.home, mode="ro"),
        now=config.now,
        user_home=Path.home(),
        index=lambda: index_status(stores),
        redactor=Redactor(),
        checks=lambda: list(found_here(options.root)),
        watching=boards.asked(options.root, _say).watching,
    )
    return Desk(around)


def _say(sentence: str) -> None:
    print(f"unspool: {sentence}", file=sys.stderr)


def _is_written(home: Path) -> bool:
    """Whether another process, a daemon, keeps the index up to date."""
    return lock_holder(home / WRITER_LOCK) is not None or daemon.running(home) is not None


def _tell(runtime: Runtime, options: Namespace, said: str) -> None:
    if options.json:
        printing.write_json([msgspec.json.encode(runtime)])
    else:
        printing.write([(("", f"{said} {runtime.entrance(runtime.token)}"),)])
    sys.stdout.flush()


def _open(
    runtime: Runtime, options: Namespace, invite: Callable[[], str], *, wait: float = 0
) -> None:
    if not options.no_browser and not options.json and browser.has_screen():
        browser.open_beside(runtime.entrance(invite())).join(wait)


def _give_up_later(home: Path) -> None:
    """A request that does not end is no reason to stay."""

    def leave() -> None:
        running.forget_runtime(home)
        os._exit(0)

    timer = Timer(_STOPS_WITHIN, leave)
    timer.daemon = True
    timer.start()
