"""`unspool collect`: send the sessions of this machine to a hub, until stopped."""

import platform
import re
import socket
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from unspool import __version__
from unspool.cli import arguments, config
from unspool.cli.index_writer import ensure_index, index_writer
from unspool.cli.log_file import COLLECTOR_LOG
from unspool.cli.supervisor import Supervisor
from unspool.engine.settings import settings
from unspool.engine.stores import LOCK, Stores
from unspool.errors import ConfigError, StoreBusy, UsageError
from unspool.store.sqlite.lock import WriterLock
from unspool.system.processes import lock_holder

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from unspool.hub.collector.board_link import BoardLink
    from unspool.hub.collector.settings import HubSettings
    from unspool.model.files import OutputFile
    from unspool.model.rows import SourceRow
    from unspool.model.shipping import SourceState
    from unspool.store import Store

COLLECT_LOCK: Final = "collect.lock"


def run(args: list[str]) -> int:
    """Enrol, if there is a code, and ship."""
    from unspool.hub.collector.sender import LesserMode
    from unspool.hub.collector.settings import write_settings

    options = make_parser().parse_args(args)
    chosen = _settings(options)
    while True:
        try:
            _collect(options, chosen)
            return 0
        except LesserMode as asked:
            kept = f"saving mode {asked.mode} for later runs"
            config.warn(f"The hub accepts less than mode {chosen.mode} sends: {kept}.")
            chosen = replace(chosen, mode=asked.mode)
            write_settings(config.unspool_home(), chosen)


def _collect(options: Namespace, chosen: "HubSettings") -> None:
    """Ship until stopped; LesserMode where the hub asks for less."""
    stores = config.open_stores(options.root)
    with ExitStack() as stack:
        try:
            stack.callback(WriterLock(config.unspool_home() / COLLECT_LOCK).release)
        except StoreBusy as busy:
            raise ConfigError(
                f"Process {busy.pid} already sends the sessions of this home."
            ) from busy
        stop = stack.enter_context(config.stop_event())
        ensure_index(stores)
        if not options.once:
            writer = index_writer(stores, (), config.warn)
            writer.start()
            stack.callback(writer.join)
        store, archive = stores.open()
        stack.callback(store.close)
        stack.callback(archive.close)
        sending = _Sending(stores, store, chosen, options, stop)
        if not options.once:
            link = sending.link()
            link.start()
            stack.callback(link.join)
            stack.callback(stop.set)
        sending.collector.run(once=options.once)


def supervisor(home: Path, say: "Callable[[str], object]") -> Supervisor:
    """What runs this command beside a server, as long as this machine is enrolled at a hub.

    Nobody else sends the sessions of this home then, and somebody keeps its index.
    """

    def may() -> bool:
        from unspool.hub.collector.settings import read_settings

        return (
            read_settings(home) is not None
            and lock_holder(home / LOCK) is not None
            and lock_holder(home / COLLECT_LOCK) is None
        )

    return Supervisor(["collect"], may, log=home / COLLECTOR_LOG, say=say)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("collect", "Send the sessions of this machine to a hub.")
    arguments.add_root(parser)
    parser.add_argument("--hub", metavar="URL", help="address of the hub; kept for later runs")
    parser.add_argument("--code", help="the code that `unspool hub enrol` printed, the first time")
    parser.add_argument("--name", help="what the hub calls this machine (its host name)")
    parser.add_argument(
        "--mode",
        choices=("summary", "metadata", "redacted", "raw"),
        help="what leaves this machine; kept for later runs (redacted)",
    )
    parser.add_argument(
        "--again", action="store_true", help="send again what was sent in another mode"
    )
    parser.add_argument("--once", action="store_true", help="send what there is, then exit")
    return parser


def _settings(options: Namespace) -> "HubSettings":
    """Where to send, as it was kept or as it is said now."""
    from unspool.hub.collector.settings import hub_url, read_settings, write_settings

    home = config.unspool_home()
    url = hub_url(options.hub) if options.hub else ""
    if options.code:
        if not url:
            raise UsageError("--code needs --hub URL.")
        chosen = _enrolled(url, options)
    else:
        kept = read_settings(home)
        if kept is None:
            raise UsageError("This machine is not enrolled: unspool collect --hub URL --code CODE")
        if url and url != kept.url:
            raise UsageError(f"This machine is enrolled at {kept.url}: use --code for another hub.")
        chosen = kept
    if options.mode:
        chosen = replace(chosen, mode=options.mode)
    write_settings(home, chosen)
    return chosen


def _enrolled(url: str, options: Namespace) -> "HubSettings":
    from unspool.hub.collector.link import HubAnswer, HubLink
    from unspool.hub.collector.settings import HubSettings
    from unspool.model.shipping import EnrolRequest

    name = options.name or _host_name()
    link = HubLink(url)
    answer = link.enrol(EnrolRequest(code=options.code, name=name, platform=platform.platform()))
    link.close()
    if isinstance(answer, HubAnswer):
        raise ConfigError(answer.detail or f"The hub refused the code: status {answer.status}.")
    return HubSettings(url=url, machine=answer.machine, key=answer.key)


def _host_name() -> str:
    plain = re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().lower().partition(".")[0]).strip("-")
    return plain[:40] if plain[1:] and not re.fullmatch("r[0-9]+", plain) else "machine"


class _Sending:
    """The collector of a command line, and the link that goes with it."""

    def __init__(
        self,
        stores: Stores,
        store: "Store",
        chosen: "HubSettings",
        options: Namespace,
        stop: "Event",
    ) -> None:
        from unspool.hub.collector.link import HubLink
        from unspool.hub.collector.outputs import OutputQueue
        from unspool.hub.collector.packing import EnvelopeMaker
        from unspool.hub.collector.private import PrivateProjects
        from unspool.hub.collector.queue import ShipQueue
        from unspool.hub.collector.sender import Collector, CollectorParts
        from unspool.hub.collector.shipments import SourceShipper
        from unspool.hub.collector.tombstones import TombstoneQueue
        from unspool.redact.cover import RULES_VERSION

        self._stores, self._store, self._chosen, self._stop = stores, store, chosen, stop
        rules = 0 if chosen.mode == "raw" else RULES_VERSION
        self._settings = settings(config.unspool_home())
        self._private = PrivateProjects(store, self._settings.private, Path.home())
        tombstones, sending = TombstoneQueue(stores.roots), (chosen.mode, rules)

        def is_forgotten(one: "SourceRow | OutputFile") -> bool:
            return tombstones.is_forgotten(one.project_id, one.session_id)

        def may_ship_output(file: "OutputFile") -> bool:
            name = file.project_id, file.session_id
            return self._private.may_ship_session(*name) and not is_forgotten(file)

        def is_outdated(known: "SourceState") -> bool:
            return bool(options.again) and (known.mode, known.rules) != sending

        self._queue = ShipQueue(
            store,
            lambda row: self._private.may_ship(row) and not is_forgotten(row),
            is_outdated,
        )
        parts = CollectorParts(
            queue=self._queue,
            shipper=SourceShipper(store, stores.roots, chosen.mode),
            envelopes=EnvelopeMaker(
                chosen.mode, rules, version=__version__, platform=platform.platform()
            ),
            outputs=OutputQueue(store, chosen.mode, may_ship_output, is_outdated),
            tombstones=tombstones,
            link=lambda: HubLink(chosen.url, chosen.key),
            now=config.now,
            say=config.warn,
        )
        self.collector = Collector(parts, stop)

    def link(self) -> "BoardLink":
        """What shows the board of this machine on the hub."""
        from unspool.engine.board.feed import board_query, boards
        from unspool.hub.collector.board_link import BoardLink, LinkParts
        from unspool.hub.collector.reads import RawReads
        from unspool.model.secondary import Hello

        # Alerts are the business of this machine.
        query, queue = board_query(self._stores, say=lambda _: None), self._queue
        mode, home = self._chosen.mode, config.unspool_home()
        reads = RawReads(
            self._store,
            is_shipped=queue.is_shipped,
            mode=mode,
            is_allowed=self._settings.allow_reads,
            home=home,
            now=config.now,
        )
        parts = LinkParts(
            url=self._chosen.url,
            key=self._chosen.key,
            hello=Hello(version=__version__, platform=platform.platform()[:200], mode=mode),
            boards=lambda stop: boards(query, stop),
            may_show=self._private.may_show,
            report=lambda: queue.report(()) if queue.is_compared else None,
            lines=reads.answer,
            now=config.now,
            say=config.warn,
        )
        return BoardLink(parts, self._stop)
