"""`unspool tail`: what happens in sessions, as it happens."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Final

import msgspec

from unspool.cli import arguments, config, empty, naming, output
from unspool.engine.archive.redacted import cleaner
from unspool.engine.follow import Follower, FollowQuery
from unspool.model.live import LiveEvent
from unspool.show.spans import Line
from unspool.show.text.tail import event_lines
from unspool.source.watch import Watcher

_IDLE: Final = 2.0  # how soon it shows that a process is gone


def run(args: list[str]) -> int:
    """Follow one session or all, until somebody says stop."""
    options = make_parser().parse_args(args)
    stores = config.open_stores(options.root)
    roots, spool = stores.roots, stores.spool
    only = naming.session_id(options) if options.session else ""
    empty.warn(options.root)
    write = _write_json if options.json else lambda events: _write(events, several=not only)
    with config.stop_event() as stop, Watcher(roots, spool, say=config.warn) as watcher:
        clean = cleaner(output.redactor_for(options))
        follower = Follower(
            FollowQuery(roots, spool, clean, only, stores.recent_quota), config.now()
        )
        write(follower.past(options.lines))
        for batch in watcher.batches(stop, idle=_IDLE):
            write(follower.look(batch, config.now()))
    return 0


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
    parser = arguments.command_parser("tail", "Follow events in sessions as they happen.")
    arguments.add_root(parser)
    parser.add_argument(
        "session", nargs="?", metavar="SESSION", help="one session (default: all live ones)"
    )
    parser.add_argument(
        "-n", "--lines", type=arguments.count, default=10, metavar="N",
        help="start with the last N events (10)",
    )  # fmt: skip
    arguments.add_unredacted(parser)
    return parser


def _write_json(events: Iterable[LiveEvent]) -> None:
    for one in events:
        output.write_json([msgspec.json.encode(one)])
    sys.stdout.flush()


def _write(events: Iterable[LiveEvent], *, several: bool) -> None:
    frame = config.frame(sys.stdout)
    lines: list[Line] = [
        line for one in events for line in event_lines(one, frame, several=several)
    ]
    output.write(lines)
    sys.stdout.flush()
