"""A terminal for tests: tmux draws it, keys are sent to it, and what it shows can be asked for."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import pytest

SOURCE = Path(__file__).parents[2] / "src"
_PATIENCE = 60.0
_PROMPT = "ready>"


def tmux() -> str:
    """The program; without it the test is skipped, unless it is required."""
    found = shutil.which("tmux")
    if found is None:
        said = "tmux is not installed; a terminal cannot be driven without it"
        if os.environ.get("UNSPOOL_REQUIRE_TMUX"):
            pytest.fail(said)
        pytest.skip(said)
    return found


class Terminal:
    """One window of a tmux server of its own."""

    def __init__(self, program: str, socket: Path) -> None:
        self._command = [program, "-u", "-S", str(socket), "-f", os.devnull]

    def ask(self, *args: str) -> str:
        """Give tmux a command; what it says."""
        done = subprocess.run(
            [*self._command, *args], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        """Send keys by name, or letters."""
        for key in keys:
            self.ask("send-keys", key)

    def shows(self, *options: str) -> str:
        """What can be seen."""
        return self.ask("capture-pane", "-p", *options)

    def until(self, fits: Callable[[str], bool], what: str) -> str:
        """Wait until what can be seen fits; what it is then."""
        end = monotonic() + _PATIENCE
        shown = ""
        while monotonic() < end:
            shown = self.shows()
            if fits(shown):
                return shown
            sleep(0.05)
        pytest.fail(f"never seen: {what}\n{shown}")

    def sees(self, *words: str) -> str:
        """Wait until all of these can be seen."""
        return self.until(lambda shown: all(word in shown for word in words), " ".join(words))

    def is_back(self) -> None:
        """Wait until the shell asks for the next command."""
        self.until(lambda shown: shown.rstrip().endswith(_PROMPT), "the shell's prompt")

    def child(self) -> int:
        """The process the shell has started."""
        shell = self.flag("pane_pid")
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])

    def loses(self, word: str) -> str:
        """Wait until this cannot be seen any more."""
        return self.until(lambda shown: word not in shown, f"no {word}")

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size."""
        self.ask("resize-window", "-x", str(columns), "-y", str(rows))

    def flag(self, name: str) -> str:
        """What tmux knows of the pane: alternate_on, cursor_flag and others."""
        return self.ask("display-message", "-p", f"#{{{name}}}").strip()


@contextmanager
def terminal(columns: int = 120, rows: int = 30) -> Iterator[Terminal]:
    """A window with a plain shell in it."""
    # The path of a socket must be short.
    with TemporaryDirectory() as place:
        made = Terminal(tmux(), Path(place, "tmux"))
        shell = f"env PS1='{_PROMPT} ' ENV= HISTFILE= sh"
        made.ask("new-session", "-d", "-x", str(columns), "-y", str(rows), shell)
        try:
            made.ask("set-option", "-g", "status", "off")
            made.resize(columns, rows)
            made.is_back()
            yield made
        finally:
            made.ask("kill-server")


def unspool(*args: str | Path) -> str:
    """The command, as typed into a shell that has the test's own home."""
    words = [sys.executable, "-m", "unspool", *map(str, args)]
    return f"PYTHONPATH={shlex.quote(str(SOURCE))} {shlex.join(words)}"


@contextmanager
def running(*args: str | Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The command in the background."""
    command = [sys.executable, "-m", "unspool", *map(str, args)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, env=around, stdout=subprocess.DEVNULL) as made:
        try:
            yield made
        finally:
            made.kill()
