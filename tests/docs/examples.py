"""Console blocks of the pages, and how each command in them is run."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.cli.runs import SOURCE
from tests.docs.pages import fences

# Words that begin a command no test can run: they build and install.
CANNOT_RUN = ("make", "python3", ".venv/bin/python", "/tmp/fresh/bin/pip")
# These would change the systemd or launchd of the user who runs the tests.
_CHANGES_SYSTEM = re.compile(r"unspool index daemon (un)?install$")
# They go on until they are stopped.
_STAYS = re.compile(
    r"unspool( --demo| serve( --\S+)*( \d+)?| tail\b.*| index watch.*)?$|.*--follow"
)
# On a terminal it asks.
_ASKS = re.compile(r"unspool forget (?!.*--(dry-run|list|restore|yes))")
_SHELL = re.compile(r"[|<>&$]|^\w+=")


class Example(NamedTuple):
    """A command, and what the page shows of its output."""

    command: str
    output: tuple[str, ...]

    @property
    def can_run(self) -> bool:
        word = self.command.split()[0]
        return word not in CANNOT_RUN and not _CHANGES_SYSTEM.match(self.command)

    @property
    def stays(self) -> bool:
        return bool(_STAYS.fullmatch(self.command))

    @property
    def is_server(self) -> bool:
        """Whether the commands after it may need it."""
        return self.stays and self.command.removeprefix("unspool").split()[:1] in ([], ["serve"])

    @property
    def needs_shell(self) -> bool:
        """Whether it is more than words: a pipe, a file, a variable; or leaves a child behind."""
        bare = re.sub(r"'[^']*'|\"[^\"$]*\"", "", self.command)
        if self.command.startswith("unspool index daemon start"):
            return True
        return bool(_SHELL.search(bare)) or not self.command.startswith("unspool")

    def words(self) -> list[str]:
        asks = ["--yes"] if _ASKS.match(self.command) else []
        return [os.path.expanduser(word) for word in shlex.split(self.command)[1:]] + asks


def examples(page: Path) -> list[Example]:
    """The commands of a page, in order."""
    found: list[Example] = []
    for fence in fences(page, "console"):
        for line in fence.text.splitlines():
            if line.startswith("$ "):
                command = re.sub(r"\s+# .*", "", line.removeprefix("$ "))
                found.append(Example(command.strip(), ()))
            elif found:
                found[-1] = found[-1]._replace(output=(*found[-1].output, line))
    return found


def command_directory(place: Path) -> Path:
    """A directory with an `unspool`, for the PATH."""
    place.mkdir(parents=True, exist_ok=True)
    script = place / "unspool"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unspool "$@"\n')
    script.chmod(0o755)
    return place


class Background:
    """Commands that stay: each is waited for until it says something, and stopped in the end."""

    def __init__(self) -> None:
        self._talking: list[tuple[str, subprocess.Popen[bytes]]] = []
        self._silent: list[subprocess.Popen[bytes]] = []

    def start(self, example: Example) -> str:
        """Start one; its first line."""
        process = _started(example.words(), subprocess.PIPE)
        self._talking.append((example.command, process))
        assert process.stdout is not None
        return process.stdout.readline().decode()

    def start_silent(self, command: str) -> None:
        """Start what ends in `&`."""
        words = shlex.split(command.rstrip("& "))[1:]
        self._silent.append(_started(words, subprocess.DEVNULL))

    def stop(self) -> list[str]:
        """Interrupt what still runs, as Ctrl-C does; those that end badly."""
        for process in self._silent:
            process.terminate()
            process.wait()
        for _, process in self._talking:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        codes = {command: _wait(process) for command, process in self._talking}
        self._talking, self._silent = [], []
        return [f"{command}: exit code {code}" for command, code in codes.items() if code]


def _started(words: list[str], out: int) -> "subprocess.Popen[bytes]":
    around = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "unspool", *words]
    return subprocess.Popen(command, env=around, stdout=out, stderr=subprocess.DEVNULL)


def _wait(process: "subprocess.Popen[bytes]") -> int:
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return -signal.SIGKILL
    return process.returncode


def missing_programs(page: Path) -> list[str]:
    """Programs that a page's commands use and this machine lacks."""
    text = "\n".join(one.command for one in examples(page))
    used = {word for word in ("curl", "jq", "less") if re.search(rf"\b{word}\b", text)}
    return sorted(word for word in {*used, "bash"} if not shutil.which(word))


_DATE = re.compile(r"(?:[A-Z][a-z]{2} )?\d{1,2} [A-Z][a-z]{2}(?: \d{4})?")
_NUMBER = re.compile(r"[\d,.]*\d")


def loosely(line: str) -> str:
    """A line without what depends on time and place: dates, numbers, widths, progress."""
    line = line.rpartition("\x1b[K")[2]
    return " ".join(_NUMBER.sub("0", _DATE.sub("DATE", line)).split())


def differences(shown: tuple[str, ...], said: str) -> Iterator[str]:
    """Lines of a page that the output does not have, in order; … stands for any lines."""
    rest = [loosely(line) for line in said.splitlines()]
    for line in (loosely(one) for one in shown if one.strip() not in ("", "…")):
        begins = line.removesuffix("…")
        at = next((n for n, one in enumerate(rest) if one.startswith(begins)), None)
        if at is None or (line == begins and rest[at] != line):
            yield line
        else:
            rest = rest[at + 1 :]
