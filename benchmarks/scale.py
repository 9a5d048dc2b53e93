"""2,000 and 20,000 sessions: the CPU that a request takes must not grow with history.

Real transcripts, small ones, twenty a day; the same app that `unspool serve` runs, asked in this
process. Before every request the index changes, so that nothing is answered from a cache that
only holds while nothing happens. `python -m benchmarks.scale`.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time, sleep
from typing import Final

import httpx

from benchmarks.budgets import Figure, table
from unspool.cli import config
from unspool.cli.index import index_status
from unspool.demo import Transcript
from unspool.engine.indexing.backfill import build
from unspool.model.rows import Batch, SessionRow, SourceRow, StoredLine
from unspool.redact import Redactor
from unspool.serve.app import app
from unspool.serve.auth.middleware import AuthMiddleware
from unspool.serve.auth.policy import AccessPolicy
from unspool.serve.auth.tokens import ServerTokens
from unspool.serve.context import ServerConfig, ServerContext
from unspool.serve.places import server_names
from unspool.store.sqlite.store import SqliteStore

_FEW, _MANY = 2_000, 20_000
_A_DAY, _PROJECTS = 20, 40
_MUST = 1.5
_ASKS = 9
_REST = 2.1  # seconds: what is fresh for longer than that may be told from memory
_TOKEN, _HOST = "token", "localhost:4100"

# A name, and the address; {} is a session that nobody has asked for yet.
_PAGES: Final = (
    ("list", "/sessions"),
    ("list, API", "/api/sessions?limit=50"),
    ("projects", "/projects"),
    ("spend", "/spend"),
    ("session page", "/s/{}"),
)


def measured(place: Path) -> list[Figure]:
    """Each page at both sizes, in a process of its own; what counts is the second by the first."""
    costs = [_asked(place / str(count), count) for count in (_FEW, _MANY)]
    return [
        Figure(
            f"scale: {name}, CPU at {_MANY:,} by {_FEW:,} sessions",
            many / few,
            "x",
            must=_MUST,
            note=f"{few * 1_000:.1f} -> {many * 1_000:.1f} ms",
        )
        for (name, _), few, many in zip(_PAGES, *costs, strict=True)
    ]


def _asked(place: Path, count: int) -> list[float]:
    place.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "UNSPOOL_HOME": str(place / "home"), "HOME": str(place)}
    env["CLAUDE_CONFIG_DIR"] = str(place / "root")
    command = [sys.executable, "-m", "benchmarks.scale", str(count)]
    run = subprocess.run(command, env=env, capture_output=True, check=True, text=True)  # noqa: S603
    return [float(line) for line in run.stdout.splitlines()]


def sessions(root: Path, count: int, now: datetime) -> list[str]:
    """Transcripts up to now, twenty a day; the addresses of their pages, newest first."""
    for number in range(count):
        begun = now - timedelta(days=(number + 1) / _A_DAY)
        made = Transcript(
            session=f"{number:08d}-scale",
            cwd=f"/home/dev/p{number % _PROJECTS}",
            start=_iso(begun),
            uuid_prefix=f"{number:08d}-",
        )
        made.user(f"Look at part {number}.").calls("Bash", command=f"ls {number}").returns("a b")
        made.says(f"Part {number} is fine.").save(root)
    return [f"-home-dev-p{n % _PROJECTS}/{n:08d}-scale" for n in range(count)]


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def served_context() -> Iterator[ServerContext]:
    """A server of the user's own roots, with nothing in memory yet."""
    stores = config.open_stores()
    server_config = ServerConfig(
        home=stores.home,
        roots=stores.roots,
        prices=config.prices(),
        store=SqliteStore(stores.home, mode="ro"),
        search_store=lambda text: SqliteStore(stores.home, mode="ro", bodies=text),
        now=config.now,
        index=lambda: index_status(stores),
        redactor=Redactor(),
    )
    made = ServerContext(server_config)
    try:
        yield made
    finally:
        made.close()


class _News:
    """A session that says something whenever it is asked to."""

    def __init__(self, store: SqliteStore, root: str) -> None:
        self._store, self._root, self._lines = store, root, 0

    def tell(self, now: int) -> None:
        """One more line in the index."""
        begins, self._lines = self._lines * 100, self._lines + 1
        source = SourceRow(
            source_id=1,
            root=self._root,
            path="projects/-home-dev-p0/news.jsonl",
            kind="main",
            project_id="-home-dev-p0",
            session_id="news",
            offset=self._lines * 100,
            lines=self._lines,
        )
        line = StoredLine(now << 22 | self._lines, begins, 99, self._lines, "user", timestamp=now)
        row = SessionRow(session_id="news", project_id="-home-dev-p0", last_activity=now)
        self._store.commit([Batch(source=source, begins=begins, lines=[line], sessions=[row])])


async def _times(context: ServerContext, news: _News, pages: list[str]) -> list[float]:
    policy = AccessPolicy(
        ServerTokens(_TOKEN, "other", 4100),
        server_names("localhost", 4100, name="u-0123456789abcdef"),
        now=lambda: 0,
    )
    transport = httpx.ASGITransport(app=AuthMiddleware(app(context, policy), policy))  # type: ignore[arg-type]
    headers = {"authorization": f"Bearer {_TOKEN}"}
    fresh = iter(pages[10:])
    async with httpx.AsyncClient(
        transport=transport, base_url=f"http://{_HOST}", headers=headers
    ) as client:
        found = []
        for _, address in _PAGES:
            times = []
            for _ in range(_ASKS):
                news.tell(config.now())
                sleep(_REST)
                begun = process_time()
                answer = await client.get(address.format(next(fresh)))
                times.append(process_time() - begun)
                answer.raise_for_status()
            found.append(median(times[1:]))
    return found


def _main(count: int) -> None:
    root = Path(os.environ["CLAUDE_CONFIG_DIR"])
    pages = sessions(root, count, datetime.fromtimestamp(config.now() / 1_000, UTC))
    stores = config.open_stores()
    build(stores.writing, stores.roots, config.prices(), config.now(), lambda _, __: None)
    store = SqliteStore(stores.home)
    with served_context() as context:
        for cost in asyncio.run(_times(context, _News(store, str(root)), pages)):
            print(cost)
    store.close()


if __name__ == "__main__":
    if sys.argv[1:]:
        _main(int(sys.argv[1]))
    else:
        with TemporaryDirectory(prefix="unspool-scale-") as scratch:
            print(table(measured(Path(scratch))))
