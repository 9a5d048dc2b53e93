"""Histories of unusual shapes: many agents, a very long line, sessions known from hooks only.

    python -m benchmarks.growth

Every command runs in a process of its own, with a new home. Limits are those of the clock on the
wall, as somebody waits for it; the CPU beside them says how much of that was the machine's load.
"""

import os
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.budgets import Figure, table
from benchmarks.running import Run, adopt, run
from unspool.demo import Transcript
from unspool.source.hook import day_file, frame

_FEW, _MANY, _MOST = 1_000, 2_000, 10_000
_LINE_MB: Final = 700
_HOOK_SESSIONS: Final = 100_000
_FILES, _PROJECTS = 30_000, 40
_SCREENFUL: Final = "40"  # what `ls` shows in a terminal
_START: Final = "2026-01-05T10:00:00Z"
_STOPPED: Final = b'{"hook_event_name":"Stop","session_id":"%08d-hook","cwd":"/home/dev"}'
_AT: Final = 1_767_607_200_000  # the same moment


def measured(place: Path) -> list[Figure]:
    """Every shape, each in a directory of its own below `place`."""
    adopt()
    return [*_agents(place), *_long_line(place), *_hook_sessions(place), *_files(place)]


def _agents(place: Path) -> Iterator[Figure]:
    shown = []
    for count in (_FEW, _MANY, _MOST):
        with _made(place, partial(agents, count=count)) as unspool:
            built = unspool("index", "build")
            if count != _MOST:
                shown.append(unspool("show", "s1"))
    few, many = (one.cpu for one in shown)
    note = f"{few:.1f} -> {many:.1f} s"
    yield Figure(f"show: CPU at {_MANY:,} by {_FEW:,} agents", many / few, "x", 3, note=note)
    name = f"index: {_MOST:,} agents of one session"
    yield Figure(name, built.wall, "s", 60, note=_note(built))


def _long_line(place: Path) -> Iterator[Figure]:
    with _made(place, long_line) as unspool:
        built = unspool("index", "build")
    name = f"index: a line of {_LINE_MB} MB, memory"
    note = f"{built.wall:.1f} s, {built.cpu:.1f} s of CPU"
    yield Figure(name, built.peak_mb, "MB", 250, note=note)


def _hook_sessions(place: Path) -> Iterator[Figure]:
    with _made(place, hook_sessions) as unspool:
        built = unspool("index", "build")
    name = f"index: {_HOOK_SESSIONS:,} sessions of hooks only"
    yield Figure(name, built.wall, "s", 20, note=_note(built))


def _files(place: Path) -> Iterator[Figure]:
    with _made(place, session_files) as unspool:
        built, again = unspool("index", "build"), unspool("index", "build")
        screen, listed = unspool("ls", "--limit", _SCREENFUL), unspool("ls")
    yield Figure(f"index: {_FILES:,} session files", built.wall, "s", 60, note=_note(built))
    yield Figure(f"index: {_FILES:,} files, nothing new", again.wall, "s", 5, note=_note(again))
    name = f"ls: {_SCREENFUL} of {_FILES:,} session files"
    yield Figure(name, screen.wall, "s", aim=1, note=_note(screen))
    yield Figure(f"ls: {_FILES:,} session files", listed.wall, "s", note=_note(listed))


@contextmanager
def _made(place: Path, make: Callable[[Path], object]) -> Iterator[Callable[..., Run]]:
    """Runs commands on a root that is there as long as it is measured."""
    with TemporaryDirectory(prefix="unspool-growth-", dir=place) as scratch:
        root, home = Path(scratch, "root"), Path(scratch, "home")
        (root / "projects" / "-empty").mkdir(parents=True)
        home.mkdir(mode=0o700)
        env = {**os.environ, "HOME": scratch, "UNSPOOL_HOME": str(home)}
        env["CLAUDE_CONFIG_DIR"] = str(root)
        make(root)
        yield lambda *words: run([sys.executable, "-m", "unspool", *words], env)


def agents(root: Path, count: int) -> None:
    """One session whose agents each did one thing; every second one has a sidecar."""
    main = Transcript(start=_START).user("Look at every part.")
    for number in range(count):
        given = {"prompt": f"Look at part {number}.", "description": f"part {number}"}
        main.calls("Task", id=f"toolu_{number}", subagent_type="scout", **given).returns("fine")
        agent = Transcript(agent=f"a{number:05}", start=_START, uuid_prefix=f"{number:05}-")
        agent.user(given["prompt"]).calls("Bash", id=f"b{number}", command=f"ls {number}")
        agent.returns("a b").says(f"Part {number} is fine.")
        if number % 2:
            agent.meta(toolUseId=f"toolu_{number}", agentType="scout")
        agent.save(root)
    main.says("Every part is fine.").save(root)


def long_line(root: Path) -> None:
    """A session with one line that is too long to hold, and does not pack well either."""
    rng = Random(1)  # noqa: S311 - the same each time
    path = Transcript(start=_START).user("before").save(root)
    with path.open("ab") as file:
        file.write(b'{"type":"user","uuid":"long","message":{"role":"user","content":"')
        for _ in range(_LINE_MB):
            file.write(b64encode(rng.randbytes(750_000)))
        file.write(b'"}}\n')
        file.write(Transcript(start=_START, uuid_prefix="n").user("after").bytes())


def hook_sessions(root: Path) -> None:
    """A spool with the events of sessions that left no transcript."""
    spool = root.parent / "home" / "spool"
    spool.mkdir(mode=0o700)
    with (spool / day_file(_AT)).open("wb") as file:
        for number in range(_HOOK_SESSIONS):
            line = _STOPPED % number
            file.write(frame(line, _AT + number, len(line)))


def session_files(root: Path) -> None:
    """Many short sessions."""
    for number in range(_FILES):
        cwd = f"/home/dev/p{number % _PROJECTS}"
        made = Transcript(f"{number:08}", cwd, start=_START, uuid_prefix=f"{number:08}-")
        made.user(f"Look at part {number}.").says(f"Part {number} is fine.").save(root)


def _note(spent: Run) -> str:
    return f"{spent.cpu:.1f} s of CPU, {spent.peak_mb:.0f} MB"


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-growth-") as scratch:
        print(table(measured(Path(scratch))))
