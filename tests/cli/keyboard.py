"""A program on a terminal of its own, with keys typed into it."""

import os
import pty
import termios
from select import select
from time import monotonic

from tests.waiting import ENOUGH


class Keyboard:
    """Types keys, and reads what is shown."""

    def __init__(self, command: list[str], env: dict[str, str], rows: int = 50) -> None:
        self.pid, self._terminal = pty.fork()
        if not self.pid:
            os.execve(command[0], command, env)  # noqa: S606 - it is to become this program
        termios.tcsetwinsize(self._terminal, (rows, 300))
        self.shown = b""

    def reads(self, text: str, again: str = "") -> bool:
        """Wait until it shows a text; what was shown up to there is over.

        A program may drop keys that were typed too early: `again` are typed while it is idle.
        """
        deadline = monotonic() + ENOUGH
        while text.encode() not in self.shown and monotonic() < deadline:
            before = len(self.shown)
            if not self._read():
                break
            if again and len(self.shown) == before:
                self.types(again)
        is_there = text.encode() in self.shown
        self.shown = self.shown.partition(text.encode())[2]
        return is_there

    def _read(self) -> bool:
        if not select([self._terminal], [], [], 1)[0]:
            return True
        try:
            more = os.read(self._terminal, 65_536)
        except OSError:  # how Linux says that nobody writes any more
            return False
        self.shown += more
        return bool(more)

    def types(self, keys: str) -> None:
        """Type keys."""
        os.write(self._terminal, keys.encode())

    def ends(self) -> int:
        """Wait for the program to end by itself; its exit code."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self) -> None:
        """Hang up."""
        os.close(self._terminal)
        os.waitpid(self.pid, 0)
