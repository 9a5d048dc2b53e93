"""`unspool gen`: a made-up root, and the truth about it."""

import json
import shutil
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from unspool.cli import arguments, config, output
from unspool.cli.idle_processes import idle_processes
from unspool.demo import Truth, generate, live
from unspool.demo.script.files import Stage
from unspool.demo.script.player import play
from unspool.demo.script.root import write_past
from unspool.demo.script.session import SessionRun
from unspool.demo.stories import PAST
from unspool.demo.stories.running_sessions import RUNNING
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


def run(args: list[str]) -> int:
    """Write a root, or add a running session to one."""
    options = make_parser().parse_args(args)
    directory = Path(options.directory)
    if options.demo:
        _demo(directory, options)
        return 0
    is_made = _is_made(directory)
    if not is_made:
        _check_empty(directory)
    if not (options.live and is_made):
        _tell(_generate(directory, options), directory, options)
    if options.live:
        _play(directory, options)
    return 0


def _check_empty(directory: Path) -> None:
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise ConfigError(
            f"{directory} holds something that unspool gen did not make. Name a new directory."
        )


def _demo(directory: Path, options: Namespace) -> None:
    """Write the past sessions of the demo, unless they are there, and let the others run."""
    stage = Stage(directory, json.loads(prices.bundled()))
    if not SessionRun(stage, PAST[0]).is_written:
        _check_empty(directory)
        write_past(stage, PAST, config.local_now())
        if options.json:
            answer = {"directory": str(directory), "sessions": len(PAST)}
            output.write_json([json.dumps(answer).encode()])
        else:
            output.write(_demo_summary(directory))
            sys.stdout.flush()
    if options.live:
        with idle_processes(len(RUNNING)) as pids:
            play(stage, RUNNING, pids, _utc_now, time.sleep, options.seconds)


def _demo_summary(directory: Path) -> Iterator[Line]:
    yield (("strong", f"Made {directory}"),)
    yield (("", f"  {plural(len(PAST), 'session')} of the demo"),)
    yield (("dim", f"  unspool ls --root {directory}"),)


def _utc_now() -> datetime:
    return config.local_now().astimezone(UTC)


def make_parser() -> ArgumentParser:
    """The arguments of the command."""
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
    parser.add_argument(
        "--demo", action="store_true", help="write the demo's sessions instead of random ones"
    )
    parser.add_argument("--live", action="store_true", help="then keep adding live sessions")
    parser.add_argument(
        "--seconds",
        type=_size,
        default=_LIVE_SECONDS,
        metavar="N",
        help="how long they run (default: 60)",
    )
    parser.add_argument(
        "--sessions",
        type=_many,
        default=1,
        metavar="N",
        help="number of random sessions that run at once (default: 1)",
    )
    return parser


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
    yield (
        ("dim", f"  expected totals: {truth.path}; without a price: {', '.join(truth.unpriced)}"),
    )
    yield (("dim", f"  unspool ls --root {directory}"),)


def _play(directory: Path, options: Namespace) -> None:
    with idle_processes(options.sessions) as pids:
        paths = live(
            directory,
            seed=options.seed,
            seconds=options.seconds,
            pids=pids,
            now=_utc_now,
            sleep=time.sleep,
        )
    for path in paths:
        if options.json:
            output.write_json([json.dumps({"session": path.stem, "path": str(path)}).encode()])
        else:
            output.write([(("", f"  played {path.stem}"),)])
