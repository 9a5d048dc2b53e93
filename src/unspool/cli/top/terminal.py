"""The terminal: taken over for drawing and keys, and given back however it ends."""

import os
import re
import select
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final, Literal, TypeAlias

from unspool.system.signals import signal_number, suspend
from unspool.system.terminals import key_mode, restore_mode, wake_pipe

TerminalEvent: TypeAlias = Literal["leave", "stop", "resume", "size", "news", "keys"]

# Another screen, no cursor, no wrapping at the edge; and back.
_ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l"
_LEAVE: Final = "\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l"
_EVENTS: Final[dict[str, TerminalEvent]] = {
    "SIGTERM": "leave",
    "SIGINT": "leave",
    "SIGHUP": "leave",
    "SIGQUIT": "leave",
    "SIGTSTP": "stop",
    "SIGCONT": "resume",
    "SIGWINCH": "size",
}
_SIGNALS: Final = {
    number: event for name, event in _EVENTS.items() if (number := signal_number(name)) is not None
}
_NEWS: Final = 0  # no signal has this number
_NAMES: Final = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "clear",
    "\x0c": "redraw",
    "\x1b": "escape",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[1~": "home",
    "\x1b[F": "end",
    "\x1b[4~": "end",
}
_KEY: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])|[\s\S]")
_BEGUN: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_LONGEST_SEQUENCE: Final = 64


class Terminal:
    """Where keys come from and pictures go to, within `open_terminal`."""

    def __init__(self, keys: int, out: int, wakes: tuple[int, int], encoding: str) -> None:
        self._keys, self._out = keys, out
        self._woken, self._waker = wakes
        self._encoding = encoding
        self._before: object = None

    def enter(self) -> None:
        """Take the terminal."""
        self._before = key_mode(self._keys)
        self.write(_ENTER)

    def leave(self) -> None:
        """Give it back as it was."""
        with suppress(OSError):  # its window may be closed
            self.write(_LEAVE)
        restore_mode(self._keys, self._before)

    def pause(self) -> None:
        """Be stopped, as Ctrl-Z asks; come back where somebody says `fg`."""
        self.leave()
        suspend()
        self.enter()

    def write(self, text: str) -> None:
        """Send it whole, however slowly it is taken."""
        data = text.encode(self._encoding, "replace")
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

    def wake(self) -> None:
        """There is something new to draw; any thread may say so."""
        with suppress(OSError):
            os.write(self._waker, bytes([_NEWS]))

    def wait(self, seconds: float) -> set[TerminalEvent]:
        """What happens first; nothing where nothing does in time."""
        ready, _, _ = select.select([self._keys, self._woken], [], [], max(seconds, 0.0))
        events: set[TerminalEvent] = {"keys"} if self._keys in ready else set()
        if self._woken in ready:
            numbers = set(os.read(self._woken, 4096))
            events |= {_SIGNALS.get(number, "news") for number in numbers}
        return events

    def read(self) -> bytes:
        """What was typed; nothing: the terminal is gone."""
        try:
            return os.read(self._keys, 4096)
        except OSError:
            return b""


@contextmanager
def open_terminal(keys: int, out: int, encoding: str = "utf-8") -> Iterator[Terminal]:
    """The terminal of two descriptors, ours until the end of this."""
    woken, waker = wake_pipe()
    try:
        terminal = Terminal(keys, out, (woken, waker), encoding)
        with _listening(waker):
            try:
                terminal.enter()
                yield terminal
            finally:
                terminal.leave()
    finally:
        os.close(woken)
        os.close(waker)


@contextmanager
def _listening(waker: int) -> Iterator[None]:
    """Signals are written to a pipe; nothing is done in the middle of something else."""
    before = {number: signal.signal(number, _noted) for number in _SIGNALS}
    other = signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(other)
        for number, handler in before.items():
            signal.signal(number, handler)


def _noted(_: int, __: FrameType | None) -> None:
    """Its number is in the pipe by now."""


class KeyDecoder:
    """What a terminal sends -> keys: letters as they are, all others by name.

    Holds back the beginning of a sequence until its end comes, or nothing does.
    """

    def __init__(self) -> None:
        self._held = b""

    @property
    def is_waiting(self) -> bool:
        """Whether what came last may be half of something."""
        return bool(self._held)

    def feed(self, data: bytes) -> list[str]:
        """Take what came; give the keys in it."""
        data = self._held + data
        whole = _whole_letters(data)
        begun = _BEGUN.search(data[:whole].decode("utf-8", "replace"))
        # Escape alone is a key too, but only time can tell.
        keep = len(data) - whole + (len(begun[0]) if begun else 0)
        self._held = data[len(data) - keep :] if 0 < keep <= _LONGEST_SEQUENCE else b""
        return _named(data[: len(data) - len(self._held)].decode("utf-8", "replace"))

    def flush(self) -> list[str]:
        """Nothing more came: what was held back is all there is."""
        held, self._held = self._held, b""
        return _named(held.decode("utf-8", "ignore"))


def _whole_letters(data: bytes) -> int:
    """How much of it is whole, as far as UTF-8 tells."""
    for back in range(1, min(len(data), 3) + 1):
        first = data[-back]
        if first >= 0xC0:
            needed = 2 + (first >= 0xE0) + (first >= 0xF0)
            return len(data) - back if back < needed else len(data)
        if first < 0x80:
            break
    return len(data)


def _named(text: str) -> list[str]:
    found = (_NAMES.get(_plain(key), key) for key in _KEY.findall(text))
    return [key for key in found if key in _NAMES.values() or key.isprintable()]


def _plain(key: str) -> str:
    """Both ways in which terminals send arrows are one."""
    return f"\x1b[{key[2:]}" if key.startswith("\x1bO") else key
