"""`unspool serve`: the web app, a child process that keeps the index, and the browser."""

import gc
import os
import sys
import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Final, NamedTuple, Self

import msgspec
from msgspec import structs

from unspool.cli import arguments, boards, collect, config, empty, output, server_control
from unspool.cli.index import index_status
from unspool.cli.index_writer import checkpoint, ensure_index, index_writer
from unspool.cli.server_control import LOCK, fresh_address
from unspool.cli.supervisor import Shutdown
from unspool.engine.stores import Stores
from unspool.errors import ConfigError, StoreBusy, UnspoolError, UsageError
from unspool.model.health import Finding
from unspool.redact import Redactor
from unspool.serve import places, running
from unspool.serve.app import guarded
from unspool.serve.auth.middleware import MAX_SOCKETS
from unspool.serve.auth.policy import AccessPolicy, OneTimeCode
from unspool.serve.context import ServerConfig, ServerContext
from unspool.serve.running import Server, Tls
from unspool.serve.runtime import Runtime
from unspool.show.html.shell import TourLink
from unspool.source.spool import SPOOL
from unspool.store.sqlite.lock import WriterLock
from unspool.store.sqlite.store import SqliteStore

_PORT: Final = 4100
_STARTS_WITHIN: Final = 5.0
_OPENS_WITHIN: Final = 5.0
_LOOK_EVERY: Final = 1.0
_MADE_UP: Final = "These sessions are made up"


class DemoNote(NamedTuple):
    """What pages of made-up sessions say, and where their tour leads; nothing on others."""

    text: str = ""
    tour: tuple[TourLink, ...] = ()


_OWN: Final = DemoNote()


def run(args: list[str]) -> int:
    """Serve until stopped; or ask for the server that is running, or stop it."""
    options = parse_options(args)
    if options.action:
        return server_control.run(options)
    tls = tls_of(options)
    return _serve_demo(tls, options) if options.demo else _serve(tls, options)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("serve", "Serve the web pages and the API on this machine.")
    arguments.add_root(parser)
    parser.add_argument(
        "action",
        nargs="?",
        choices=("status", "stop"),
        help="print the address of the running server, or stop it",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument(
        "--port", type=arguments.count, default=_PORT, metavar="N", help=f"port ({_PORT})"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--demo", action="store_true", help="show made-up sessions, some of them running"
    )
    parser.add_argument("--keep-token", action="store_true", help="keep the token after a restart")
    parser.add_argument(
        "--plain-localhost",
        action="store_true",
        help="for a browser that cannot resolve names under localhost",
    )
    parser.add_argument(
        "--public-url",
        type=places.public_origin,
        metavar="URL",
        help="where browsers reach the server, through a tunnel or a proxy",
    )
    parser.add_argument(
        "--sockets",
        type=arguments.count,
        default=MAX_SOCKETS,
        metavar="N",
        help=f"how many WebSockets may be open at once ({MAX_SOCKETS})",
    )
    parser.add_argument(
        "--no-collect", action="store_true", help="on an enrolled machine, do not send to the hub"
    )
    parser.add_argument("--cert", metavar="FILE", help="certificate, to serve over TLS")
    parser.add_argument("--key", metavar="FILE", help="key of the certificate")
    parser.add_argument("--insecure", action="store_true", help="allow --host without TLS")
    return parser


def parse_options(args: list[str]) -> Namespace:
    """Parse the command line."""
    parser = make_parser()
    options = parser.parse_args(args)
    if options.port > 65_535:
        parser.error(f"{options.port} is not a valid port")
    return options


def tls_of(options: Namespace) -> Tls | None:
    """The certificate to serve with; UsageError if other machines could connect without one."""
    found = certificate_of(options)
    if not (found or options.insecure or places.is_loopback(options.host)):
        raise UsageError(
            f"--host {options.host} lets others reach your sessions. Give --cert and --key, "
            "or --insecure on a network that only you use."
        )
    return found


def certificate_of(options: Namespace) -> Tls | None:
    """The certificate that was given."""
    for path in filter(None, (options.cert, options.key)):
        if not os.access(path, os.R_OK):
            raise ConfigError(f"Cannot read {path}. --cert and --key must be PEM files.")
    if options.key and not options.cert:
        raise UsageError("--key is the key of a certificate. Give --cert too.")
    return Tls(options.cert, options.key) if options.cert else None


def _serve_demo(tls: Tls | None, options: Namespace) -> int:
    """Serve only made-up sessions; all files are temporary, also runtime.json."""
    from unspool.cli.demonstration import demonstration

    with (
        Shutdown() as stop,
        demonstration(stop) as demo,
        ServerSite(config.unspool_home(), tls, options, stop) as site,
    ):
        note = DemoNote(f"{_MADE_UP}: unspool was started with --demo.", demo.tour)
        site.serve([str(demo.root)], note=note)
    return 0


def _serve(tls: Tls | None, options: Namespace) -> int:
    """Serve the user's sessions, and made-up ones until there are any."""
    config.open_stores(options.root)  # a named root must exist
    home = config.unspool_home()
    with ExitStack() as stack:
        try:
            lock = WriterLock(home / LOCK)
        except StoreBusy as busy:
            return _join(home, busy.pid, options)
        stack.callback(lock.release)
        stop = stack.enter_context(Shutdown())
        site = stack.enter_context(ServerSite(home, tls, options, stop))
        if not options.root and empty.is_empty(()):
            _demonstrate(site, stop)
        site.serve(options.root)
    return 0


def _demonstrate(site: "ServerSite", stop: Shutdown) -> None:
    """Serve made-up sessions until there is a real one."""
    from unspool.cli.demonstration import demonstration

    looked = empty.places(config.open_stores().roots, "or")
    _say(f"There are no sessions in {looked} yet. Showing made-up ones until there are.")
    with demonstration(stop) as demo:
        note = DemoNote(
            f"{_MADE_UP}; yours will appear here as soon as {looked} has one.", demo.tour
        )
        site.serve([str(demo.root)], note=note, is_over=_has_own)
    if not stop.is_set:
        _say(f"Found a session in {looked}: showing your sessions now.")
        # A server freezes its objects for the garbage collector; this one is gone.
        gc.unfreeze()
        gc.collect()


def _has_own() -> bool:
    return empty.has_sessions(config.open_stores().roots)


class ServerSite:
    """One address and its tokens, for the life of this process; what it serves may change."""

    def __init__(self, home: Path, tls: Tls | None, options: Namespace, stop: Shutdown) -> None:
        self._home, self._tls, self._options, self._stop = home, tls, options, stop
        self._sockets = places.listening(options.host, options.port)
        port = places.port_of(self._sockets)
        if port != options.port and options.port:
            _say(f"Port {options.port} is in use; using {port}.")
        secrets = running.ServerSecrets(home, keep_token=options.keep_token)
        names = places.server_names(
            options.host,
            port,
            name=secrets.kept.name,
            is_tls=tls is not None,
            is_plain=options.plain_localhost,
            public_url=options.public_url,
        )
        self._policy = AccessPolicy(secrets.tokens(port), names, now=config.now)
        runtime = Runtime(
            url=names.url,
            port=port,
            pid=os.getpid(),
            token=secrets.token,
            ingest_token=secrets.kept.ingest_token,
        )
        self._file = running.RuntimeFile(home, runtime, self._policy)
        self._is_open = False

    def __enter__(self) -> Self:
        self._stop.add_cleanup(self._file.remove)
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._sockets:
            one.close()
        self._file.remove()

    def serve(
        self,
        explicit: Sequence[str],
        *,
        note: DemoNote = _OWN,
        is_over: Callable[[], bool] | None = None,
    ) -> None:
        """Serve these roots until stopped, or until `is_over`.

        `note` is shown on every page of made-up sessions.
        """
        if self._stop.is_set:
            return
        stores = config.open_stores(explicit)
        ensure_index(stores)
        # Alerts are sent from here: the board has read what they are about.
        options = ["--no-alerts", *arguments.root_options(explicit)]
        children = [index_writer(stores, options, _say)]
        # Only one's own sessions, and only those of this home, are sent anywhere.
        if not (explicit or note.text or self._options.no_collect):
            children.append(collect.supervisor(stores.home, _say))
        for child in children:
            self._stop.add_child(child)
        try:
            with _context(stores, explicit, note, inbox=self._home / SPOOL) as context:
                server = self._server(context)
                if is_over is not None:
                    Thread(target=_end, args=(server, is_over), daemon=True).start()
                for child in children:
                    child.start()
                # A server closes its sockets: duplicates keep the address for the next one.
                server.run([one.dup() for one in self._sockets])
        finally:
            for child in reversed(children):
                child.join()
            checkpoint(stores)

    def _server(self, context: ServerContext) -> Server:
        def started() -> None:
            server.should_exit = self._stop.is_set  # a signal came before it listened
            if not server.should_exit:
                self._started()

        app = guarded(context, self._policy, sockets=self._options.sockets)
        server = running.server(app, tls=self._tls, started=started, stopping=self._stop.begin)
        return server

    def _started(self) -> None:
        if not self._is_open:
            self._is_open = True
            runtime, address = self._file.write(), self._policy.invitation().address
            _tell(runtime, address, self._options, "unspool is running. Press Ctrl-C to stop it.")
            _open(runtime, self._options, self._policy.codes.make)


def _end(server: Server, is_over: Callable[[], bool]) -> None:
    """Stop a server as soon as `is_over`."""
    while not server.should_exit:
        if is_over():
            server.should_exit = True
        sleep(_LOOK_EVERY)


def _join(home: Path, pid: int, options: Namespace) -> int:
    """Another process serves this home already: print its address, and open it."""
    deadline = monotonic() + _STARTS_WITHIN
    while (found := running.read_runtime(home)) is None or found.pid != pid:
        if monotonic() > deadline:
            raise UnspoolError(f"Process {pid} is starting to serve {home}. Try again in a moment.")
        sleep(0.05)
    _tell(found, fresh_address(found), options, "unspool is already running.")
    _open(found, options, lambda: fresh_address(found).partition("#t=")[2], wait=_OPENS_WITHIN)
    return 0


@contextmanager
def _context(
    stores: Stores, explicit: Sequence[str], note: DemoNote, *, inbox: Path
) -> Iterator[ServerContext]:
    query = boards.open_board(explicit, _say)
    server_config = ServerConfig(
        home=stores.home,
        roots=stores.roots,
        prices=config.prices(),
        store=SqliteStore(stores.home, mode="ro"),
        search_store=lambda text: SqliteStore(stores.home, mode="ro", bodies=text),
        now=config.now,
        user_home=Path.home(),
        groups=stores.groups,
        index=lambda: index_status(stores),
        redactor=Redactor(),
        checks=lambda: _findings(explicit),
        watching=query.watching,
        demo=note.text,
        tour=note.tour,
        inbox=inbox,
    )
    with boards.alert_sender(query) as tell:
        context = ServerContext(structs.replace(server_config, tell=tell))
        try:
            yield context
        finally:
            context.close()


def _findings(explicit: Sequence[str]) -> list[Finding]:
    from unspool.cli.doctor import findings_here

    return list(findings_here(list(explicit)))


def _say(sentence: str) -> None:
    print(f"unspool: {sentence}", file=sys.stderr)


def _tell(runtime: Runtime, address: str, options: Namespace, message: str) -> None:
    if options.json:
        output.write_json([msgspec.json.encode(runtime)])
    else:
        # On a line of its own, to be clicked or found by a script.
        output.write([(("", message),), (("", address),)])
    sys.stdout.flush()


def _open(
    runtime: Runtime, options: Namespace, code: Callable[[], str], *, wait: float = 0
) -> None:
    """Open the browser, by an address that does not tell the name.

    Others on this machine can see the arguments of a program, for as long as it runs.
    """
    if not options.no_browser and not options.json and has_screen():
        open_in_thread(OneTimeCode(code(), runtime.url).address).join(wait)


def has_screen() -> bool:
    """Whether a browser opens in a window of its own, not in this terminal."""
    if os.environ.get("BROWSER"):
        return True
    if sys.platform in ("darwin", "win32"):
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_thread(address: str) -> Thread:
    """Open an address in a thread: some browsers return only when they are closed."""
    thread = Thread(target=webbrowser.open, args=(address,), daemon=True)
    thread.start()
    return thread
