"""`unspool gen`: a made-up root, and the truth about it."""

import json
import os
import shutil
import subprocess
import sys
import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any, Final

from unspool.cli import arguments, config, output
from unspool.demo import Truth, generate, live
from unspool.errors import ConfigError
from unspool.show.numbers import format_count, format_usd, plural
from unspool.show.spans import Line
from unspool.source import prices

_PICO: Final = 10**12
_MADE: Final = ("projects", "hooks", "plans", "sessions", "tasks", "todos", "history.jsonl")
_TRUTH: Final = "truth.json"
_TAIL = 64 * 1024
_LIVE_SECONDS = 60
_MOST_LIVE = 200
# Lives as long as somebody holds its standard input.
_IDLE = "import sys; sys.stdin.buffer.read()"


def run(args: list[str]) -> int:
    """Write a root, or add a running session to one."""
    options = _options(args)
    directory = Path(options.directory)
    is_made = _is_made(directory)
    if not is_made and directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise ConfigError(
            f"{directory} holds something that unspool gen did not make. Name a new directory."
        )
    if not (options.live and is_made):
        _tell(_generate(directory, options), directory, options)
    if options.live:
        _play(directory, options)
    return 0


def _options(args: list[str]) -> Namespace:
    parser = arguments.command_parser(
        "gen", "Generate a made-up Claude Code directory, with the true figures in truth.json."
    )
    parser.add_argument(
        "directory", metavar="DIR", help="new, empty, or made by unspool gen before"
    )
    parser.add_argument(
        "--mb", type=_size, default=10.0, metavar="N", help="size in MB, roughly (default: 10)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help="the same seed gives the same bytes (default: 1)",
    )
    parser.add_argument("--live", action="store_true", help="then let sessions run in it")
    parser.add_argument(
        "--seconds",
        type=_size,
        default=_LIVE_SECONDS,
        metavar="N",
        help="how long they run (default: 60)",
    )
    parser.add_argument(
        "--sessions", type=_many, default=1, metavar="N", help="how many run at once (default: 1)"
    )
    return parser.parse_args(args)


def _size(text: str) -> float:
    try:
        size = float(text)
    except ValueError:
        size = 0.0
    if not 0 < size <= 100_000:
        raise ArgumentTypeError(f"{text!r} is not a number above 0")
    return size


def _many(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= _MOST_LIVE:
        raise ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_LIVE}")
    return int(text)


def _is_made(directory: Path) -> bool:
    """Whether this is a root of ours: its truth file tells what it holds."""
    try:
        with (directory / _TRUTH).open("rb") as file:
            begins = file.read(12) == b'{"sessions":'
            file.seek(max(0, file.seek(0, 2) - _TAIL))
            return (
                begins and b'"traps":' in file.read() and not (directory / "projects").is_symlink()
            )
    except OSError:
        return False


def _generate(directory: Path, options: Namespace) -> Truth:
    for name in (*_MADE, _TRUTH) if _is_made(directory) else ():
        old = directory / name
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink(missing_ok=True)
    table: dict[str, Any] = json.loads(prices.bundled())
    return generate(directory, mb=options.mb, seed=options.seed, prices=table)


def _tell(truth: Truth, directory: Path, options: Namespace) -> None:
    if options.json:
        answer = {
            "directory": str(directory),
            "truth": str(truth.path),
            "seed": options.seed,
            "totals": truth.totals,
            "models": truth.models,
            "unpriced": truth.unpriced,
            "counts": truth.counts,
            "broken": truth.broken,
        }
        output.write_json([json.dumps(answer, ensure_ascii=False).encode()])
    else:
        output.write(_summary(truth, directory))
        sys.stdout.flush()


def _summary(truth: Truth, directory: Path) -> Iterator[Line]:
    counts, totals = truth.counts, truth.totals
    parts = (
        plural(counts.get("sessions", 0), "session"),
        plural(counts.get("agents", 0), "agent"),
        plural(counts.get("files", 0), "file"),
        f"{counts.get('bytes', 0) / 1e6:,.1f} MB",
        plural(counts.get("lines", 0), "line"),
        plural(sum(truth.broken.values()), "broken line"),
    )
    kinds = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens")
    sums = (format_count(totals[kind]) for kind in kinds)
    tokens = " · ".join(map(" ".join, zip(sums, ("in", "out", "read", "write"), strict=True)))
    spent = format_usd(totals["usdPico"] / _PICO)
    yield (("strong", f"Made {directory}"),)
    yield (("", f"  {' · '.join(parts)}"),)
    yield (("", f"  {plural(totals['messages'], 'answer')} · {tokens} · {spent}"),)
    yield (("dim", f"  the whole truth is in {truth.path}; no price: {', '.join(truth.unpriced)}"),)
    yield (("dim", f"  unspool ls --root {directory}"),)


def _play(directory: Path, options: Namespace) -> None:
    with _processes(options.sessions) as pids:
        paths = live(
            directory,
            seed=options.seed,
            seconds=options.seconds,
            pids=pids,
            now=lambda: config.local_now().astimezone(UTC),
            sleep=time.sleep,
        )
    for path in paths:
        if options.json:
            output.write_json([json.dumps({"session": path.stem, "path": str(path)}).encode()])
        else:
            output.write([(("", f"  played {path.stem}"),)])


@contextmanager
def _processes(count: int) -> Iterator[list[int]]:
    """So many live processes: the registry names a session's own, and proves it by that."""
    command = [sys.executable, "-I", "-S", "-c", _IDLE]
    with ExitStack() as stack:
        others = [
            stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))  # noqa: S603 - ours
            for _ in range(count - 1)
        ]
        yield [os.getpid(), *(one.pid for one in others)]
