"""Run the user's command for alerts: once each, also across restarts and processes."""

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from typing import Final

import msgspec

from unspool.engine.settings import Notify, UserSettings
from unspool.model.alerts import Alert
from unspool.private_files import private_directory, write_private
from unspool.redact import Redactor
from unspool.show import safe
from unspool.system.files import open_file
from unspool.system.locks import lock
from unspool.system.processes import NEW_GROUP, kill_group

FILE: Final = "alerts.json"
_MAX_KEYS: Final = 2_000
_MAX_WAITING: Final = 100
_CLOSE_SECONDS: Final = 1.0

Say = Callable[[str], object]


class Notifier:
    """Takes the alerts of each board; it never blocks and never raises."""

    def __init__(self, home: Path, settings: UserSettings, say: Say) -> None:
        self._home = home
        self._say = say
        self._messages: set[str] = set()
        self._keys = dict.fromkeys(_read(home / FILE))
        self._runner = CommandRunner(settings.notify, self._once)

    def notify(self, alerts: Iterable[Alert]) -> list[Alert]:
        """Run the command for each new alert; returns the new ones."""
        fresh = {one.key: one for one in alerts if one.key not in self._keys}
        if not fresh:
            return []
        new = [fresh[key] for key in self._remember(list(fresh))]
        for one in new:
            self._runner.run(_clean(one))
        return new

    def close(self) -> None:
        """Give running commands a moment to finish."""
        self._runner.close()

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


class CommandRunner:
    """Runs the user's command for each alert in threads, a few at a time."""

    def __init__(self, notify: Notify, say: Say) -> None:
        self._notify = notify
        self._say = say
        self._waiting: Queue[Alert | None] = Queue(_MAX_WAITING)
        self._threads: list[Thread] = []

    def run(self, alert: Alert) -> None:
        """Queue an alert; it is dropped if too many wait."""
        if not self._notify.command:
            return
        if len(self._threads) < self._notify.at_once:
            self._threads.append(Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        try:
            self._waiting.put_nowait(alert)
        except Full:
            self._say(f"{self._name} is too slow: some alerts were dropped.")

    def close(self) -> None:
        """Wait a moment for running commands."""
        with suppress(Full):
            for _ in self._threads:
                self._waiting.put_nowait(None)
        for thread in self._threads:
            thread.join(_CLOSE_SECONDS)

    @property
    def _name(self) -> str:
        return f"The alert command {safe.brief(self._notify.command[0], 60)}"

    def _work(self) -> None:
        while (alert := self._waiting.get()) is not None:
            failure = _run(words(self._notify.command, alert), alert, self._notify.timeout)
            if failure:
                self._say(f"{self._name} {failure}")


def words(command: Iterable[str], alert: Alert) -> list[str]:
    """The words of a command, with {message} and the like filled in."""
    values = {"message": alert.message, "rule": alert.rule, "session": alert.session}
    values |= {"project": alert.project, "key": alert.key}
    return [_word(template, values) for template in command]


def _word(template: str, values: dict[str, str]) -> str:
    # In one pass: text of a transcript may itself look like a placeholder.
    text = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), template)
    # Such text must not become an option of the command.
    return f" {text}" if text.startswith("-") and not template.startswith("-") else text


def _run(command: list[str], alert: Alert, timeout: int) -> str:
    """Run a command to its end; returns what went wrong, or ''."""
    try:
        child = subprocess.Popen(  # noqa: S603 - the user's own words, and no shell
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=NEW_GROUP,
        )
    except (OSError, ValueError) as error:
        return f"cannot be run: {getattr(error, 'strerror', None) or error}."
    try:
        child.communicate(msgspec.json.encode(alert) + b"\n", timeout)
    except subprocess.TimeoutExpired:
        kill_group(child)
        child.communicate()
        return f"took more than {timeout} s and was killed."
    return f"failed with exit code {child.returncode}." if child.returncode else ""


def _clean(alert: Alert) -> Alert:
    message = safe.brief(Redactor().text(alert.message))
    return msgspec.structs.replace(alert, message=message, rule=safe.brief(alert.rule))


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


def _read(path: Path) -> list[str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[str])
    except (OSError, ValueError):
        return []  # no alert is known to have been sent
