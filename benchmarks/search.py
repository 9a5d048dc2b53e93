"""A million lines -> how long searches take, in the store and through the command.

The index is made once and kept in the temporary directory; UNSPOOL_BENCH_LINES sets its size.
`python -m benchmarks.search HOME ROOT` measures an index and a root of your own.
"""

import json
import os
import random
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from time import perf_counter, process_time
from typing import Final, NamedTuple

from msgspec import structs

from benchmarks.budgets import Figure, table
from benchmarks.clocks import Time, shortest
from benchmarks.running import run
from unspool.demo import generate
from unspool.engine.archive.reader import Archive, text_of
from unspool.model.query import SearchOrder, SessionQuery, TextQuery
from unspool.model.rows import TextKind
from unspool.source.prices import bundled
from unspool.store.sqlite import store as sqlite
from unspool.store.sqlite.store import SqliteStore

_LINES = int(os.environ.get("UNSPOOL_BENCH_LINES", "1000000"))
_LINE = 2_700  # bytes, of a generated one
_EACH = 25
_RUNS = 3
_COMMANDS = 20
_PHRASE = "a phrase"  # in what tools put out, only the lines themselves can tell
_WORD = re.compile(r"[^\W_]{3,20}")
_LIMITS: Final[dict[SearchOrder, tuple[float, float]]] = {"newest": (5, 2), "ranked": (100, 30)}


class Asked(NamedTuple):
    """A search and what kind of one it is."""

    kind: str
    query: TextQuery


def measured() -> list[Figure]:
    """Ask the kept index."""
    home, root = kept()
    return figures(home, root)


def figures(home: Path, root: Path) -> list[Figure]:
    """Ask one index for words that stand in a root."""
    with _reading(home) as store:
        asked = _searches(store, root)
        found = [figure for order in _LIMITS for figure in _asked(store, asked, order)]
    return [*found, _through_the_command(home, root, asked)]


def kept() -> tuple[Path, Path]:
    """The index of so many lines, made unless there is one of this schema."""
    store = Path(sqlite.__file__).parent
    parts = (store / "schema.sql", store / "writing" / "texts.py")
    schema = zlib.crc32(b"".join(part.read_bytes() for part in parts))
    place = Path(gettempdir(), "unspool-bench-search")
    root, home = place / f"root-{_LINES}", place / f"index-{_LINES}-{schema:08x}"
    if not (root / "truth.json").exists():
        generate(root, mb=_LINES * _LINE // 1_000_000, seed=11, prices=json.loads(bundled()))
    if not (home / "whole").exists():
        command = [sys.executable, "-m", "benchmarks.index", str(root), str(home)]
        subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - ourselves
        (home / "whole").touch()
    return home, root


@contextmanager
def _reading(home: Path) -> Iterator[SqliteStore]:
    def text(source_id: int, generation: int, offset: int, length: int) -> str | None:
        return archive.text(source_id, generation, offset, length)

    def line(source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        return archive.line(source_id, generation, offset, length)

    store = SqliteStore(home, mode="ro", bodies=text, lines=line)
    archive = Archive(store)
    try:
        yield store
    finally:
        archive.close()
        store.close()


def _searches(store: SqliteStore, root: Path) -> list[Asked]:
    """Words, several words, phrases and beginnings out of its lines; and all that can choose."""
    rng = random.Random(3)  # noqa: S311 - the same searches every time
    runs = _runs(rng, root)
    sessions = store.sessions(SessionQuery(limit=1_000))
    times = [row.last_activity for row in sessions if row.last_activity]
    kinds: list[TextKind] = ["prompt", "answer", "tool_input", "tool_result"]
    return [
        asked
        for _ in range(_EACH)
        for asked in (
            Asked("a word", TextQuery(terms=next(runs)[0])),
            Asked("two words", TextQuery(terms=" ".join(rng.sample(next(runs), 2)))),
            Asked(_PHRASE, TextQuery(terms=f'"{" ".join(next(runs)[:2])}"')),
            Asked("a beginning", TextQuery(terms=f"{next(runs)[0][:4]}*")),
            Asked("of a kind", TextQuery(terms=next(runs)[0], kinds=(rng.choice(kinds),))),
            Asked("since a time", TextQuery(terms=next(runs)[0], since=rng.choice(times))),
            Asked("until a time", TextQuery(terms=next(runs)[0], until=rng.choice(times))),
            Asked(
                "of a project",
                TextQuery(terms=next(runs)[0], projects=(rng.choice(sessions).project_id,)),
            ),
            Asked(
                "of a session",
                TextQuery(terms=next(runs)[0], session=rng.choice(sessions).session_id),
            ),
        )
    ]


def _runs(rng: random.Random, root: Path) -> Iterator[list[str]]:
    """Words side by side, from anywhere in the root; frequent ones come as often as they do."""
    files = sorted((root / "projects").rglob("*.jsonl"))
    while True:
        lines = rng.choice(files).read_bytes().splitlines() or [b""]
        words = _WORD.findall(text_of(rng.choice(lines)))
        if len(words) > 3:
            at = rng.randrange(len(words) - 3)
            yield words[at : at + 3]


def _asked(store: SqliteStore, asked: Sequence[Asked], order: SearchOrder) -> list[Figure]:
    found = [(one.kind, _best(store, structs.replace(one.query, order=order))) for one in asked]
    must, aim = _LIMITS[order]
    name, times = f"search, {order}", [time for _, time in found]
    words = [time for kind, time in found if kind != _PHRASE]
    return [
        Figure(f"{name}: p95, CPU", _p95(times).cpu, "ms", must, aim, note=_note(times)),
        Figure(f"{name}, no phrase: p95, CPU", _p95(words).cpu, "ms", must, aim, note=_note(words)),
        *(_of_kind(name, kind, found) for kind in dict.fromkeys(k for k, _ in found)),
    ]


def _of_kind(name: str, kind: str, found: Sequence[tuple[str, Time]]) -> Figure:
    times = [time for other, time in found if other == kind]
    return Figure(f"{name}, {kind}: p95, CPU", _p95(times).cpu, "ms", note=_note(times))


def _best(store: SqliteStore, query: TextQuery) -> Time:
    return shortest([_once(store, query) for _ in range(_RUNS)])


def _once(store: SqliteStore, query: TextQuery) -> Time:
    cpu, wall = process_time(), perf_counter()
    store.search(query)
    return Time((process_time() - cpu) * 1000, (perf_counter() - wall) * 1000)


def _p95(times: Sequence[Time]) -> Time:
    """What one in twenty exceeds, by each clock."""
    at = max(0, round(0.95 * len(times)) - 1)
    return Time(*(sorted(clock)[at] for clock in zip(*times, strict=True)))


def _note(times: Sequence[Time]) -> str:
    p50 = sorted(time.cpu for time in times)[len(times) // 2]
    worst = max(time.cpu for time in times)
    return f"{_p95(times).wall:.1f} ms on the wall; p50 {p50:.2f}, worst {worst:.1f} ms"


def _through_the_command(home: Path, root: Path, asked: Sequence[Asked]) -> Figure:
    """From start to end, the process too."""
    env = {**os.environ, "UNSPOOL_HOME": str(home), "CLAUDE_CONFIG_DIR": str(root)}
    words = [one.query.terms for one in asked if one.kind == "a word"][:_COMMANDS]
    runs = [run([sys.executable, "-m", "unspool", "search", word], env) for word in words]
    times = [Time(one.cpu * 1000, one.wall * 1000) for one in runs]
    return Figure(
        "unspool search, start to end: p95, CPU", _p95(times).cpu, "ms", note=_note(times)
    )


if __name__ == "__main__":
    print(table(figures(Path(sys.argv[1]), Path(sys.argv[2])) if sys.argv[1:] else measured()))
