"""Runs of the hook as Claude Code runs it: a process of its own, by the Python below this one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from unspool.model.files import SpoolEvent, SpoolGap, SpoolRead, TailState
from unspool.source import hook
from unspool.source.spool import read, spool_files

PYTHON = str(getattr(sys, "_base_executable", sys.executable))
SCRIPT = str(Path(hook.__file__))
PAYLOAD = b'{"hook_event_name":"Stop","session_id":"s1"}'
# Much longer than a hook ever waits: what it costs is a benchmark's business.
ENOUGH = 120.0

Stdin: TypeAlias = bytes | IO[bytes] | int


class Fired(NamedTuple):
    code: int
    said: bytes


def fire(spool: Path, stdin: Stdin = PAYLOAD, *, before: tuple[str, ...] = ()) -> Fired:
    """Run the hook to its end, below another command perhaps."""
    command = [*before, PYTHON, "-I", "-S", SCRIPT, str(spool)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE if isinstance(stdin, bytes) else stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as running:
        said, _ = running.communicate(stdin if isinstance(stdin, bytes) else None, timeout=ENOUGH)
    return Fired(running.returncode, said)


def is_well(fired: Fired) -> bool:
    """Whether nobody has noticed it."""
    return fired == Fired(0, b"")


def pieces(spool: Path, limit: int = 8 * 1024 * 1024) -> Iterator[SpoolRead]:
    """All there is in a spool, read from the beginning in pieces."""
    for file in spool_files(spool):
        piece = SpoolRead(TailState(), more=True)
        while piece.more:
            piece = read(file.path, piece.state, limit=limit)
            yield piece


def kept(spool: Path) -> list[SpoolEvent]:
    """Every event of a spool."""
    return [event for piece in pieces(spool) for event in piece.events]


def gaps(spool: Path) -> list[SpoolGap]:
    """Every damaged place of a spool."""
    return [gap for piece in pieces(spool) for gap in piece.gaps]


def payloads(spool: Path) -> list[bytes]:
    """What was kept, the order left to chance."""
    return sorted(event.payload for event in kept(spool))


def shell(line: str) -> tuple[str, ...]:
    """A line of shell that runs what follows as "$@"."""
    return ("sh", "-c", line, "sh")


def can(*command: str) -> bool:
    """Whether this machine lets us do so."""
    try:
        return not subprocess.run(command, capture_output=True, check=False).returncode
    except OSError:
        return False


def without_privilege() -> tuple[str, ...]:
    """What to run a command below so that file modes hold for it, even for root."""
    rights = "-dac_override,-dac_read_search"
    return () if os.geteuid() else ("setpriv", f"--bounding-set={rights}")
