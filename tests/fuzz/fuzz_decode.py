"""Hostile lines -> nothing worse than entries: driven by atheris if there is one, else blindly.

`python tests/fuzz/fuzz_decode.py RUNS SECONDS DIR`: whichever limit comes first ends it; what
atheris finds worth keeping is left in DIR.
"""

import importlib
import random
import sys
import time
from pathlib import Path
from typing import Any

from tests.decode.damage import damaged, lines
from unspool.decode.hooks import hook_event
from unspool.decode.lines import decode, salvage_parts
from unspool.derive.reading.messages import read
from unspool.derive.reading.searchable import searchable

LONGEST = 1.0  # seconds for one line
SPITE = [b"{", b"[", b'"', b"\\", b"\0", b'{"type":"', b'{"uuid":', b"\\ud800", b"1e999", b"}{"]


def try_line(line: bytes) -> None:
    """Read one line in every way there is."""
    began = time.process_time()
    found = decode(line)
    for entry in found:
        if (message := read(entry, 1)) is not None:
            searchable(entry, message)
    cut = salvage_parts(line)
    hook_event(line)
    took = time.process_time() - began
    if took > LONGEST:
        raise AssertionError(f"{took:.1f} s for {line[:80]!r}…")
    if b"".join(line[part.start : part.end] for part in cut) != (line if found else b""):
        raise AssertionError(f"the parts do not cover {line!r}")


def mutate(chance: random.Random) -> bytes:
    """Make a line worth trying."""
    line = bytearray(chance.choice([damaged(chance)[0], chance.choice(lines()), b""]))
    for _ in range(chance.randrange(6)):
        at = chance.randrange(len(line) + 1)
        spite = chance.choice([*SPITE, chance.randbytes(4)]) * chance.choice([1, 1, 1, 300])
        line[at : at + chance.choice([0, 1, 20])] = spite
    return bytes(line)


def blindly(runs: int, seconds: float) -> None:
    """Try random damage, the same each time."""
    chance, end = random.Random(2026), time.monotonic() + seconds
    for _ in range(runs):
        if time.monotonic() > end:
            return
        try_line(mutate(chance))


def guided(atheris: Any, runs: int, seconds: float, corpus: Path) -> None:
    """Let coverage find the damage, from real lines on; ends the process."""
    for number, line in enumerate(lines()):
        (corpus / str(number)).write_bytes(line)
    atheris.instrument_all()
    limits = [f"-runs={runs}", f"-max_total_time={seconds:.0f}", "-max_len=8192"]
    atheris.Setup([sys.argv[0], *limits, str(corpus)], try_line)
    atheris.Fuzz()


def main(runs: int, seconds: float, corpus: Path) -> None:
    """Fuzz with what this machine has."""
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        blindly(runs, seconds)
    else:
        guided(atheris, runs, seconds, corpus)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]))
