"""A root where answers are rare: `unspool gen` writes one every 5 KB, this one every 10 KB.

    python -m benchmarks.sparse ROOT MB

The other lines are what a long command prints while it runs, as older versions wrote them; some
of them quote an answer, whose usage must not count.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from unspool.demo import generate
from unspool.source.prices import bundled

_LINE = 4_000  # bytes, of one that is added
_QUOTED = '{"type":"assistant","message":{"usage":{"input_tokens":9,"output_tokens":9}}}'


def make_sparse(root: Path, mb: int, seed: int = 8) -> Path:
    """Make a root of about this size, half of it lines that used nothing."""
    generate(root, mb=mb // 2, seed=seed, prices=json.loads(bundled()))
    rng, pool = random.Random(seed), Path(argparse.__file__).read_text()  # noqa: S311 - the same
    for path in sorted((root / "projects").rglob("*.jsonl")):
        path.write_bytes(b"".join(_with_progress(path.read_bytes(), pool, rng)))
    return root


def _with_progress(data: bytes, pool: str, rng: random.Random) -> Iterator[bytes]:
    """Lines, and after each as many bytes of progress as they have had."""
    owed = 0
    for line in data.splitlines(keepends=True):
        yield line
        owed += len(line)
        while owed >= _LINE and line.endswith(b"\n"):
            made = _progress(pool, rng)
            yield made
            owed -= len(made)


def _progress(pool: str, rng: random.Random) -> bytes:
    at = rng.randrange(len(pool) - _LINE)
    text = pool[at : at + _LINE] if rng.random() < 0.9 else _QUOTED
    line = {
        "type": "progress",
        "uuid": f"{rng.getrandbits(128):032x}",
        "timestamp": "2026-01-05T10:00:00.000Z",
        "data": {"type": "bash_progress", "output": text, "elapsedTimeSeconds": 1},
    }
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


if __name__ == "__main__":
    make_sparse(Path(sys.argv[1]), int(sys.argv[2]))
