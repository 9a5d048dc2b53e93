"""A terminal for tests that are about its edge: a pair of ends, one of them ours."""

import os
import termios
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep


class Pty:
    """The end a person has."""

    def __init__(self, ours: int, theirs: int) -> None:
        self.ours, self.theirs = ours, theirs
        self.seen = ""
        self.missing = ""

    def modes(self) -> list[object]:
        """How the terminal is set."""
        return termios.tcgetattr(self.theirs)

    def shown(self) -> str:
        """What was sent to it so far."""
        os.set_blocking(self.ours, False)
        parts = []
        try:
            while part := os.read(self.ours, 65_536):
                parts.append(part)
        except BlockingIOError:
            pass
        return b"".join(parts).decode()

    def act(self, presses: Iterable[tuple[str, str]]) -> None:
        """Press keys, each as soon as something new shows what it waits for."""
        for word, keys in presses:
            new, end = "", monotonic() + 60
            while word not in new and monotonic() < end:
                new += self.shown()
                sleep(0.01)
            self.missing = self.missing or (word if word not in new else "")
            self.seen += new
            self.type(keys)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.ours, text.encode())


@contextmanager
def pty(columns: int = 80, rows: int = 24) -> Iterator[Pty]:
    """A terminal for the time being."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (rows, columns))
    yield Pty(ours, theirs)
    os.close(ours)
    os.close(theirs)
