"""Child processes: kept running beside this one, and ended with it by whatever signal."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread, Timer
from time import monotonic
from types import FrameType
from typing import Final, Self

from unspool.cli.log_file import last_message, open_log
from unspool.system.processes import NEW_GROUP
from unspool.system.signals import stop_signals

_AGAIN, _AT_MOST = 2.0, 60.0
_BUSY: Final = 5.0
_SOON: Final = 10.0
_ENDS_WITHIN: Final = 1.0
_STOPS_WITHIN: Final = 1.5


class Supervisor:
    """Starts a command again whenever it ends; `may` says whether it should run now.

    What it prints goes to `log`; if it fails, `say` gets the last line of that, once.
    """

    def __init__(
        self,
        args: Sequence[str],
        may: Callable[[], bool] = lambda: True,
        *,
        module: str = "unspool.cli.child",
        log: Path | None = None,
        say: Callable[[str], object] = lambda message: None,
    ) -> None:
        self._command = [module, *args]
        self._may, self._log, self._say = may, log, say
        self._last_failure = ""
        # A restarted child writes to the same home, whatever is served by then.
        self._environment = dict(os.environ)
        self._stop = Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._supervise, name="unspool-supervisor", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The process that runs now."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def stop(self) -> None:
        """Ask the child to end; does not wait, so a signal handler may call it."""
        self._stop.set()
        child = self._child
        if child is not None and child.poll() is None:
            child.terminate()

    def kill(self) -> None:
        """End it at once."""
        self._stop.set()
        child = self._child
        if child is not None and child.poll() is None:
            child.kill()
            child.wait()

    def join(self) -> None:
        """Wait for the child to end, and kill it if that takes too long; no data is lost."""
        self.stop()
        child = self._child
        if child is not None:
            try:
                child.wait(_ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._thread.is_alive():
            self._thread.join(_ENDS_WITHIN)

    def _supervise(self) -> None:
        pause = _AGAIN
        while not self._stop.is_set():
            if not self._may():
                self._stop.wait(_BUSY)
                continue
            since = monotonic()
            self._run()
            # A command that ends at once is restarted less and less often.
            is_soon = monotonic() - since < _SOON
            pause = min(pause * 2, _AT_MOST) if is_soon else _AGAIN
            self._stop.wait(pause)

    def _run(self) -> None:
        child = self._child = self._started()
        if self._stop.is_set():
            child.terminate()
        code = child.wait()
        if child.stdin is not None:
            with suppress(OSError):
                child.stdin.close()
        if code > 0 and self._log is not None and not self._stop.is_set():
            self._report(last_message(self._log))

    def _report(self, failure: str) -> None:
        if failure and failure != self._last_failure:
            self._last_failure = failure
            self._say(failure)

    def _started(self) -> "subprocess.Popen[bytes]":
        # -P: the current directory is not on the import path. A session of its own: the terminal's
        # Ctrl-C reaches only this process, which passes it on.
        command = [sys.executable, "-P", "-m", *self._command]
        with self._open_log() as log:
            return subprocess.Popen(  # noqa: S603 - our own command
                command,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL if log is None else log,
                stderr=log,
                start_new_session=True,
                creationflags=NEW_GROUP,
            )

    @contextmanager
    def _open_log(self) -> Iterator[int | None]:
        """The log, if there is one and it can be written: without, the command still runs."""
        log = None
        if self._log is not None:
            with suppress(OSError):
                log = open_log(self._log)
        try:
            yield log
        finally:
            if log is not None:
                os.close(log)


class Shutdown:
    """Ends this process on a signal: children are asked at once, and killed if they take too long.

    A closed terminal counts too, unless SIGHUP was ignored at start (`nohup`).
    """

    def __init__(self) -> None:
        self.is_set = False
        self._children: list[Supervisor] = []
        self._cleanups: list[Callable[[], None]] = []

    def __enter__(self) -> Self:
        self._before = {number: signal.getsignal(number) for number in stop_signals()}
        for number, handler in self._before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self._handle)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        # A thread that writes while the files are removed gets an OSError.
        return self.is_set and isinstance(error, OSError)

    def add_child(self, child: Supervisor) -> None:
        """Add a child that has to end."""
        self._children.append(child)

    def add_cleanup(self, cleanup: Callable[[], None]) -> None:
        """Add a clean-up to do last, even if a child does not end."""
        self._cleanups.append(cleanup)

    def begin(self) -> None:
        """Ask the children to end, and set a deadline."""
        if self.is_set:
            return
        self.is_set = True
        for child in self._children:
            child.stop()
        # A request that does not end must not delay the exit.
        timer = Timer(_STOPS_WITHIN, self._leave)
        timer.daemon = True
        timer.start()

    def _handle(self, number: int, _: FrameType | None) -> None:
        if number not in (signal.SIGINT, signal.SIGTERM):
            signal.raise_signal(signal.SIGTERM)  # which a server handles itself while it runs
        else:
            self.begin()

    def _leave(self) -> None:
        for child in self._children:
            child.kill()
        for cleanup in self._cleanups:
            cleanup()
        os._exit(0)
