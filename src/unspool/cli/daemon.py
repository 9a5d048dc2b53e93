"""`unspool index daemon`: `index watch` in the background, found again by its pid file."""

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep

import msgspec
from msgspec import Struct

from unspool.cli import arguments, config, output
from unspool.cli.log_file import DAEMON_LOG, last_message, open_log
from unspool.derive.reading.clock import iso
from unspool.engine.stores import LOCK
from unspool.errors import UnspoolError
from unspool.json_depth import shallow
from unspool.private_files import write_private
from unspool.show import times
from unspool.system.processes import (
    NEW_GROUP,
    birth,
    command_line,
    lock_holder,
    stop_process,
)

_STARTS_WITHIN = 10.0
_LOOK_EVERY = 0.02
_COMMAND = ("unspool", "index", "watch", "--daemon")


class Daemon(Struct, frozen=True, kw_only=True, rename="camel"):
    """The pid file: a process, and its birth, which no later one with that pid has."""

    pid: int
    birth: str
    since: int
    roots: tuple[str, ...] = ()


def run(options: Namespace) -> int:
    """Start or stop the daemon, or show its status."""
    return {"start": _start, "stop": _stop, "status": _status}[options.what](options)


def make_parser() -> ArgumentParser:
    """The arguments of `index daemon`."""
    parser = arguments.command_parser(
        "index daemon", "The daemon that keeps the index and archive up to date."
    )
    arguments.add_root(parser)
    parser.add_argument(
        "what",
        nargs="?",
        default="status",
        choices=("start", "stop", "status", "install", "uninstall"),
        help="install: have systemd or launchd start it at every login (default: status)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="for install and uninstall: show what would be done"
    )
    return parser


def command(roots: Sequence[str]) -> list[str]:
    """The words that start the daemon."""
    # -P: the current directory is not on the import path.
    return [sys.executable, "-P", "-m", *_COMMAND, *arguments.root_options(roots)]


def running(home: Path) -> Daemon | None:
    """The daemon of a home; without a usable pid file, by the lock on the index."""
    return _from_pid_file(home) or _from_lock(home)


def _from_pid_file(home: Path) -> Daemon | None:
    """The daemon of the pid file; a file left by a killed daemon does not count."""
    try:
        found = msgspec.json.decode(shallow(_pid_file(home).read_bytes()), type=Daemon)
    except (OSError, ValueError):
        return None
    return found if birth(found.pid) == found.birth else None


def _from_lock(home: Path) -> Daemon | None:
    """The process that writes the index, if it was started as a daemon."""
    lock = home / LOCK
    pid = lock_holder(lock) or 0
    words = command_line(pid)
    born = birth(pid)
    if born is None or words[3:7] != list(_COMMAND):
        return None
    roots = tuple(root for name, root in pairwise(words) if name == "--root")
    # A process writes its pid into the lock when it takes it.
    return Daemon(pid=pid, birth=born, since=lock.stat().st_mtime_ns // 1_000_000, roots=roots)


def write_pid_file(home: Path, roots: Sequence[str]) -> None:
    """Write this process's pid file; call it while holding the index's lock."""
    pid = os.getpid()
    mine = Daemon(pid=pid, birth=birth(pid) or "", since=config.now(), roots=tuple(roots))
    write_private(_pid_file(home), [msgspec.json.encode(mine)])


def remove_pid_file(home: Path) -> None:
    """Remove the pid file, if it is this process's."""
    found = running(home)
    if found is not None and found.pid == os.getpid():
        _pid_file(home).unlink(missing_ok=True)


def _start(options: Namespace) -> int:
    home = config.open_stores(options.root).home
    found = running(home)
    if found is not None:
        _tell(
            options, found, f"The daemon is already running: process {found.pid}, {_since(found)}."
        )
        return 0
    log = _log_file(home)
    child = _spawn(options.root, log)
    found = _wait_until_ready(child, home)
    if found is None:
        why = last_message(log) or "its log is empty"
        raise UnspoolError(f"The daemon did not start: {why}")
    _tell(options, found, f"The daemon is running: process {found.pid}. Its log is {log}.")
    return 0


def _spawn(roots: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
    out = open_log(log)
    try:
        # In a session of its own it outlives this terminal and gets none of its signals.
        return subprocess.Popen(  # noqa: S603 - our own command
            command(roots),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            creationflags=NEW_GROUP,
        )
    finally:
        os.close(out)


def _wait_until_ready(child: "subprocess.Popen[bytes]", home: Path) -> Daemon | None:
    """Wait until it holds the index; None if it ended first."""
    deadline = monotonic() + _STARTS_WITHIN
    while monotonic() < deadline:
        found = _from_pid_file(home)
        if found is not None:
            return found
        if child.poll() is not None:
            return None
        sleep(_LOOK_EVERY)
    return None


def _stop(options: Namespace) -> int:
    home = config.open_stores(options.root).home
    found = running(home)
    if found is None:
        _pid_file(home).unlink(missing_ok=True)
        _tell(options, None, "The daemon is not running.")
        return 0
    if not stop_process(found.pid):
        raise UnspoolError(f"Process {found.pid} has not stopped yet. Try again in a moment.")
    _tell(options, None, f"Stopped the daemon: process {found.pid}.")
    return 0


def _status(options: Namespace) -> int:
    home = config.open_stores(options.root).home
    found = running(home)
    if found is not None:
        _tell(options, found, f"The daemon is running: process {found.pid}, {_since(found)}.")
    elif _pid_file(home).exists():
        message = (
            "The daemon is not running: it was killed. `unspool index daemon start` restarts it."
        )
        _tell(options, None, message)
    else:
        _tell(options, None, "The daemon is not running. `unspool index daemon start` starts it.")
    return 0


def _tell(options: Namespace, found: Daemon | None, message: str) -> None:
    if options.json:
        log = str(_log_file(config.open_stores(options.root).home))
        answer = {"running": found is not None, "daemon": found, "log": log}
        output.write_json([msgspec.json.encode(answer)])
    else:
        output.write([(("", message),)])


def _since(found: Daemon) -> str:
    at, now = iso(found.since), config.now()
    is_today = times.date(at, now) == times.date(iso(now), now)
    return f"since {times.clock(at) if is_today else times.ago(at, now)}"


def _pid_file(home: Path) -> Path:
    return home / "daemon.json"


def _log_file(home: Path) -> Path:
    return home / DAEMON_LOG
