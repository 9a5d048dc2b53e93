"""Lines in memory -> folds: megabytes a second, beside `json.loads` of the same lines."""

import json
from collections.abc import Callable
from pathlib import Path

from benchmarks.budgets import Figure
from benchmarks.clocks import interleaved
from benchmarks.making import WorkerResult
from unspool.decode.lines import decode
from unspool.derive.transcript import TranscriptFold
from unspool.source.tail import line_spans

_RUNS = 5


def measured(made: WorkerResult) -> list[Figure]:
    """Decode and derive the session, and the root."""
    files = {"100 MB session": [made.session], "100 MB root": _transcripts(made.root)}
    return [figure for name, paths in files.items() for figure in _figures(name, paths)]


def _transcripts(root: Path) -> list[Path]:
    return sorted((root / "projects").rglob("*.jsonl"))


def _figures(name: str, paths: list[Path]) -> list[Figure]:
    held = [path.read_bytes() for path in paths]
    times = interleaved({"ours": _through(held, _fold), "json": _through(held, _loads)}, _RUNS)
    mb = sum(map(len, held)) / 1e6
    ours, theirs = mb / times["ours"].cpu, mb / times["json"].cpu
    wall = f"{mb / times['ours'].wall:.0f} MB/s on the wall"
    lines = sum(data.count(b"\n") for data in held)
    beside = f"{ours / theirs:.2f} of it; {mb * 1_000 / lines:.1f} KB a line"
    return [
        Figure(f"{name}: decode + derive", ours, "MB/s", 100, 150, more_is_better=True, note=wall),
        Figure(f"{name}: json.loads alone", theirs, "MB/s", note=beside),
    ]


def _through(held: list[bytes], work: Callable[[bytes], object]) -> Callable[[], object]:
    return lambda: [work(data) for data in held]


def _fold(data: bytes) -> TranscriptFold:
    fold = TranscriptFold("s")
    fold.feed_all((at, length, decode(data[at : at + length])) for at, length in line_spans(data))
    return fold


def _loads(data: bytes) -> None:
    for offset, length in line_spans(data):
        try:
            json.loads(data[offset : offset + length])
        except ValueError:
            continue
