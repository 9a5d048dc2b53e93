"""The terminal: taken over for drawing and keys, and given back however it ends."""

import os
import select
import signal
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, Literal, TypeAlias

Event: TypeAlias = Literal["leave", "stop", "resume", "size", "news", "keys"]

# Another screen, no cursor, no wrapping at the edge; and back.
_ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l"
_LEAVE: Final = "\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l"
_SIGNALS: Final[dict[int, Event]] = {
    signal.SIGTERM: "leave",
    signal.SIGINT: "leave",
    signal.SIGHUP: "leave",
    signal.SIGQUIT: "leave",
    signal.SIGTSTP: "stop",
    signal.SIGCONT: "resume",
    signal.SIGWINCH: "size",
}
_NEWS: Final = 0  # no signal has this number


class Screen:
    """Where keys come from and pictures go to, within `taken`."""

    def __init__(self, keys: int, out: int, wake: tuple[int, int]) -> None:
        self._keys, self._out = keys, out
        self._heard, self._wake = wake
        self._before = termios.tcgetattr(keys)

    def enter(self) -> None:
        """Take the terminal."""
        tty.setcbreak(self._keys, termios.TCSANOW)
        self.write(_ENTER)

    def leave(self) -> None:
        """Give it back as it was."""
        with suppress(OSError):  # its window may be closed
            self.write(_LEAVE)
        with suppress(termios.error):
            termios.tcsetattr(self._keys, termios.TCSANOW, self._before)

    def pause(self) -> None:
        """Be stopped, as Ctrl-Z asks; come back where somebody says `fg`."""
        self.leave()
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)
        self.enter()

    def write(self, text: str) -> None:
        """Send it whole, however slowly it is taken."""
        data = text.encode("utf-8", "replace")
        while data:
            try:
                data = data[os.write(self._out, data) :]
            except BlockingIOError:  # somebody else has set the terminal so
                select.select([], [self._out], [])

    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        try:
            found = os.get_terminal_size(self._out)
        except OSError:
            return 80, 24
        return found.columns or 80, found.lines or 24

    def tell(self) -> None:
        """There is something new to draw; any thread may say so."""
        with suppress(OSError):
            os.write(self._wake, bytes([_NEWS]))

    def wait(self, seconds: float) -> set[Event]:
        """What happens first; nothing where nothing does in time."""
        ready, _, _ = select.select([self._keys, self._heard], [], [], max(seconds, 0.0))
        events: set[Event] = {"keys"} if self._keys in ready else set()
        if self._heard in ready:
            numbers = set(os.read(self._heard, 4096))
            events |= {_SIGNALS.get(number, "news") for number in numbers}
        return events

    def read(self) -> bytes:
        """What was typed; nothing: the terminal is gone."""
        try:
            return os.read(self._keys, 4096)
        except OSError:
            return b""


@contextmanager
def taken(keys: int, out: int) -> Iterator[Screen]:
    """The terminal of two descriptors, ours until the end of this."""
    heard, wake = os.pipe()
    os.set_blocking(wake, False)
    try:
        screen = Screen(keys, out, (heard, wake))
        with _listening(wake):
            try:
                screen.enter()
                yield screen
            finally:
                screen.leave()
    finally:
        os.close(heard)
        os.close(wake)


@contextmanager
def _listening(wake: int) -> Iterator[None]:
    """Signals are written to a pipe; nothing is done in the middle of something else."""
    before = {number: signal.signal(number, _noted) for number in _SIGNALS}
    told = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(told)
        for number, handler in before.items():
            signal.signal(number, handler)


def _noted(_: int, __: FrameType | None) -> None:
    """Its number is in the pipe by now."""
