"""Alerts -> the user, by every way in the settings: once each, across restarts and processes."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Full, Queue
from threading import Lock, Thread
from time import monotonic
from typing import Final

import msgspec

from unspool.cli.notice_channels import Channel, Notice, channels, desktop_command
from unspool.engine.settings import FILE as SETTINGS
from unspool.engine.settings import UserSettings, settings
from unspool.json_depth import shallow
from unspool.model.alerts import Alert
from unspool.model.health import Finding
from unspool.private_files import private_directory, write_private
from unspool.redact import Redactor
from unspool.serve.runtime import read_runtime
from unspool.show import safe
from unspool.show.html.links import LiveLinks
from unspool.system.files import open_file
from unspool.system.locks import lock

FILE: Final = "alerts.json"
FAILURES: Final = "notice-failures.json"
_MAX_KEYS: Final = 2_000
_MAX_WAITING: Final = 100
_CLOSE_SECONDS: Final = 1.0
_LONGEST_TITLE: Final = 120
_NOBODY: Final = Alert(rule="", session="", at=None, message="", key="")

Say = Callable[[str], object]


class Notifier:
    """Takes the alerts of each board; it never blocks and never raises."""

    def __init__(self, home: Path, mine: UserSettings, say: Say) -> None:
        self._home = home
        self._say = say
        self._messages: set[str] = set()
        self._keys = dict.fromkeys(_read(home / FILE))
        failures = FailureLog(home, self._once)
        self._queues = [ChannelQueue(one, failures.report) for one in channels(mine.notify)]

    def notify(self, alerts: Iterable[Alert]) -> list[Alert]:
        """Send each new alert to every channel; returns the new ones."""
        fresh = {one.key: one for one in alerts if one.key not in self._keys}
        if not fresh:
            return []
        new = [fresh[key] for key in self._remember(list(fresh))]
        for one in new:
            notice = Notice(alert=_clean(one), url=_link(self._home, one))
            for queue in self._queues:
                queue.put(notice)
        return new

    def close(self) -> None:
        """Give what is being sent a moment."""
        for queue in self._queues:
            queue.end()
        deadline = monotonic() + _CLOSE_SECONDS
        for queue in self._queues:
            queue.join(deadline)

    def _remember(self, keys: list[str]) -> list[str]:
        """Store the keys; returns those that no other process has stored before."""
        path = self._home / FILE
        try:
            with _locked(path):
                known = dict.fromkeys(_read(path))
                new = [key for key in keys if key not in known and key not in self._keys]
                kept = [*known, *new][-_MAX_KEYS:]
                write_private(path, [msgspec.json.encode(kept)])
        except OSError as error:
            self._once(f"{path} cannot be written: {error.strerror or error}.")
            known, new = {}, [key for key in keys if key not in self._keys]
        merged = [*self._keys, *known, *keys][-_MAX_KEYS * 2 :]
        self._keys = dict.fromkeys(merged)
        return new

    def _once(self, message: str) -> None:
        if message not in self._messages:
            self._messages.add(message)
            self._say(message)


class ChannelQueue:
    """Sends notices through a channel in threads, a few at a time."""

    def __init__(self, channel: Channel, report: Callable[[str, str], object]) -> None:
        self._channel = channel
        self._report = report
        self._waiting: Queue[Notice | None] = Queue(_MAX_WAITING)
        self._threads: list[Thread] = []

    def put(self, notice: Notice) -> None:
        """Queue a notice; it is dropped if too many wait."""
        if len(self._threads) < self._channel.at_once:
            self._threads.append(Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        try:
            self._waiting.put_nowait(notice)
        except Full:
            self._report(self._channel.name, "is too slow: some alerts were dropped.")

    def end(self) -> None:
        """End the threads once the queue is empty."""
        with suppress(Full):
            for _ in self._threads:
                self._waiting.put_nowait(None)

    def join(self, deadline: float) -> None:
        """Wait for them."""
        for thread in self._threads:
            thread.join(max(deadline - monotonic(), 0))

    def _work(self) -> None:
        while (notice := self._waiting.get()) is not None:
            self._report(self._channel.name, self._channel.send(notice))


class FailureLog:
    """The last failure of each channel, in a file that the doctor reads."""

    def __init__(self, home: Path, say: Say) -> None:
        self._path = home / FAILURES
        self._say = say
        self._lock = Lock()
        self._failures = _read_failures(self._path)

    def report(self, name: str, failure: str) -> None:
        """Note how sending went; '' is well."""
        if failure:
            self._say(f"{name} {failure}")
        with self._lock, suppress(OSError):
            if self._failures.get(name, "") == failure:
                return
            self._failures.pop(name, None)
            self._failures |= {name: failure} if failure else {}
            write_private(self._path, [msgspec.json.encode(self._failures)])


def findings(home: Path) -> Iterator[Finding]:
    """Findings for `unspool doctor`: ways to the user that failed when they were last used."""
    mine = settings(home).notify
    known = {channel.name for channel in channels(mine)}
    failures = _read_failures(home / FAILURES)
    details = tuple(f"{name} {failures[name]}" for name in sorted(known & failures.keys()))
    program = desktop_command(Notice(alert=_NOBODY), sys.platform)[0]
    if mine.desktop and shutil.which(program) is None:
        details = (*details, f"{program} is not installed: there are no desktop notifications.")
    if details:
        yield Finding(
            about="notices",
            grade="wrong",
            said="Some notices do not reach you.",
            fix=f"$EDITOR {home / SETTINGS}",
            details=details,
        )


def _link(home: Path, alert: Alert) -> str:
    """The page of a session at the server that runs now; '' without one. It has no code."""
    found = read_runtime(home)
    if found is None:
        return ""
    # A browser is signed in at the address it was opened with.
    base = (found.open or found.url).partition("#")[0].removesuffix("/enter").rstrip("/")
    return base + (LiveLinks().session(alert.project, alert.session) if alert.session else "/")


def _clean(alert: Alert) -> Alert:
    redactor = Redactor()
    return msgspec.structs.replace(
        alert,
        message=safe.brief(redactor.text(alert.message)),
        rule=safe.brief(alert.rule),
        title=safe.brief(redactor.text(alert.title), _LONGEST_TITLE),
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file that several processes change."""
    private_directory(path.parent)
    file = open_file(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT)
    try:
        lock(file, wait=True)
        yield
    finally:
        os.close(file)


def _read_failures(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(shallow(path.read_bytes()), type=dict[str, str])
    except (OSError, ValueError):
        return {}


def _read(path: Path) -> list[str]:
    try:
        return msgspec.json.decode(shallow(path.read_bytes()), type=list[str])
    except (OSError, ValueError):
        return []  # no alert is known to have been sent
