"""Many machines that send at once, and everything that may go wrong with that."""

import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.conftest import REPOSITORY
from tests.hub.collector.machine import LocalMachine, seen
from tests.hub.machines import HubDatabase
from tests.hub.processes import HubProcess
from tests.hub.senders import COMPARED
from tests.waiting import until

MACHINES, _SESSIONS, _LINES = 50, 4, 4  # of each, lines of a turn
_PROGRESS = 'SELECT coalesce(sum("offset"), 0) FROM shipped'
# Of the backends that serve the hub one, this connection's left out.
_BREAK = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND query NOT LIKE '%pg_stat_activity%' ORDER BY random() LIMIT 1
"""
_HOUR = 3_600.0


def _roots(place: Path, names: list[str], sessions: int, turns: int) -> int:
    """Write the transcripts of all machines; how long they are together."""
    size = 0
    for name in names:
        machine = LocalMachine(place / name)
        for number in range(sessions):
            session = f"{name}-{number}"
            size += machine.append(session, machine.lines(session, turns)).stat().st_size
    return size


class Faults:
    """Breaks connections and kills the hub, at even distances on the way."""

    def __init__(self, hub: HubDatabase, process: HubProcess, size: int) -> None:
        self._hub, self._process, self._size = hub, process, size

    def cause(self, breaks: int, kills: int, is_over: Callable[[], bool]) -> None:
        for number in range(1, breaks + 1):
            until(lambda due=number / (breaks + 20): is_over() or self._share() >= due, _HOUR)  # type: ignore[misc]
            assert until(self._break)  # the hub may be about to connect
            if number % (breaks // kills) == 0:
                self._process.kill()
                self._process.start()

    def _share(self) -> float:
        with self._hub.pool.connection() as connection:
            ((offset,),) = connection.execute(_PROGRESS).fetchall()
        return int(offset) / self._size

    def _break(self) -> bool:
        with self._hub.pool.connection() as connection:
            return bool(connection.execute(_BREAK).fetchall())


def _pickled(path: Path) -> Any:
    return pickle.loads(path.read_bytes())  # noqa: S301 - a process of ours wrote it


def check_exactly_once(
    hub: HubDatabase, place: Path, lines: int, *, around: Sequence[str] = ()
) -> None:
    """Have fifty machines send so many lines while 200 connections break and 10 hubs die.

    `around` are words before the command of each process, for a network of its own.
    """
    names = [f"box{number}" for number in range(MACHINES)]
    size = _roots(place, names, _SESSIONS, lines // (MACHINES * _SESSIONS * _LINES))
    owners = {name: hub.machine(name, person=name).owner for name in names}
    with HubProcess(hub.url, place / "hub", around) as process:
        url = process.start().url
        senders = [
            subprocess.Popen(
                [*around, sys.executable, "-m", "tests.hub.senders", url, str(place)]
                + [f"{name}={hub.keys[name]}" for name in names[part::4]],
                cwd=REPOSITORY,
            )
            for part in range(4)
        ]
        try:
            Faults(hub, process, size).cause(
                200, 10, lambda: all(one.poll() is not None for one in senders)
            )
            assert [one.wait() for one in senders] == [0] * 4
        finally:
            for one in senders:
                one.kill()
        stores = {name: hub.store(owner) for name, owner in owners.items()}
        assert until(lambda: not any(store.unlinked() for store in stores.values()), 600)
    for name, store in stores.items():
        found, sent = seen(store, name), _pickled(place / f"{name}.seen")
        assert {what: found[what] for what in COMPARED} == sent
