"""An append -> its row in the index, seen by another process: how soon, and is it each one once.

`python -m benchmarks.live`; UNSPOOL_LIVE_SECONDS says for how long 1,000 lines are written a
second, a minute if it says nothing.
"""

import hashlib
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import gmtime, monotonic, sleep, strftime
from typing import NamedTuple

from benchmarks.budgets import Figure, table
from unspool.demo import Transcript
from unspool.engine.ids import source_id
from unspool.store.sqlite.store import SqliteStore

_DIRECTORIES, _FILES = 1_000, 10
_APPENDS = 400
_SESSIONS, _RATE = 200, 1_000
_LOOK = 0.002
_PATIENCE = 60.0


class Session:
    """A transcript that is being written, and when each of its lines was."""

    def __init__(self, root: Path, project: str, name: str) -> None:
        self.path = root / "projects" / project / f"{name}.jsonl"
        self.source_id = source_id(str(root), f"projects/{project}/{name}.jsonl")
        self.lines = 0
        self.size = 0
        self.waiting: deque[tuple[int, float]] = deque()

    def write(self) -> None:
        """Add a line, as Claude Code does: the file is opened, written and closed."""
        name = self.path.stem
        at, place = strftime("%FT%TZ", gmtime()), f"{name}-{self.lines}-"
        said = f"line {self.lines} of {name}: " + "words enough to be one line " * 12
        made = Transcript(name, start=at, uuid_prefix=place).says(said, id=f"msg_{place}")
        data = made.bytes()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(data)
        self.lines += 1
        self.size += len(data)
        self.waiting.append((self.size, monotonic()))


class Feed:
    """Reads the changes from a connection of its own; knows how late each line came."""

    def __init__(self, home: Path, sessions: Sequence[Session]) -> None:
        self._store = SqliteStore(home, mode="ro")
        self._sessions = {one.source_id: one for one in sessions}
        self._seq = self._store.head()
        self.late: list[float] = []

    def look(self) -> None:
        """See what has been committed since the last look."""
        changes = self._store.changes(after=self._seq)
        now = monotonic()
        for change in changes:
            self._seq = change.seq
            session = self._sessions.get(change.source_id)
            while session and session.waiting and session.waiting[0][0] <= change.end:
                self.late.append(now - session.waiting.popleft()[1])

    def wait(self) -> bool:
        """Whether all that was written is there after a while."""
        until = monotonic() + _PATIENCE
        while any(one.waiting for one in self._sessions.values()) and monotonic() < until:
            self.look()
            sleep(_LOOK)
        return not any(one.waiting for one in self._sessions.values())

    def close(self) -> None:
        self._store.close()


class Follower(NamedTuple):
    """A process that keeps an index up to date."""

    home: Path
    pid: int

    def peak_mb(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1_000

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def following(root: Path, home: Path) -> Iterator[Follower]:
    """`unspool index watch`, from when it has taken in what is there until the end."""
    env = {**os.environ, "UNSPOOL_HOME": str(home), "CLAUDE_CONFIG_DIR": str(root)}
    command = [sys.executable, "-m", "unspool", "index", "watch", "--root", str(root)]
    # Our own command, and nobody reads what it says after the first sweep.
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as running:  # noqa: S603
        assert running.stdout  # noqa: S101 - it is a pipe
        for _ in range(2):
            running.stdout.readline()
        with open(os.devnull, "w") as nowhere:
            drain = subprocess.Popen(["cat"], stdin=running.stdout, stdout=nowhere)  # noqa: S607
        try:
            yield Follower(home, running.pid)
        finally:
            running.terminate()
            running.wait()
            drain.wait()


def measured(place: Path) -> list[Figure]:
    """Single appends among many files, then many appends."""
    return [*_alone(place / "alone"), *_flood(place / "flood")]


def _alone(place: Path) -> list[Figure]:
    root, chance = place / "root", Random(1)  # noqa: S311 - seeded
    sessions = [
        Session(root, f"-p{number}", f"s{number}-{file}")
        for number in range(_DIRECTORIES)
        for file in range(_FILES)
    ]
    for one in sessions:
        one.write()
        one.waiting.clear()
    with following(root, place / "home") as follower:
        feed = Feed(follower.home, sessions)
        for _ in range(_APPENDS):
            chance.choice(sessions).write()
            feed.wait()
            sleep(chance.uniform(0.0, 0.1))
        feed.close()
    names = f"append to row, {len(sessions):,} files"
    return _late(names, feed.late, 30, 150)


def _flood(place: Path) -> list[Figure]:
    seconds = float(os.environ.get("UNSPOOL_LIVE_SECONDS", "60"))
    sessions = written(place / "root", _SESSIONS)
    with following(place / "root", place / "home") as follower:
        feed, before = Feed(follower.home, sessions), follower.cpu()
        flood(sessions, feed, _RATE, seconds)
        whole = feed.wait()
        memory, cpu = follower.peak_mb(), follower.cpu() - before
        feed.close()
    faults = wrong(place / "home", sessions)
    if not whole:
        faults.append("not all came")
    name = f"append to row, {_RATE:,} lines/s"
    note = f"{len(feed.late):,} lines in {seconds:.0f} s, {cpu:.1f} s of CPU"
    return [
        *_late(name, feed.late, 30, 150),
        Figure(f"{name}: longest", max(feed.late), "s", 1),
        Figure(f"{name}: CPU a line", 1_000 * cpu / len(feed.late), "ms", note=note),
        Figure(f"{name}: memory", memory, "MB", 250),
        Figure(f"{name}: lost or doubled", len(faults), "", 0, note="; ".join(faults[:3])),
    ]


def written(root: Path, count: int) -> list[Session]:
    """Sessions of one line each."""
    sessions = [Session(root, f"-p{number % 20}", f"s{number}") for number in range(count)]
    for one in sessions:
        one.write()
        one.waiting.clear()
    return sessions


def flood(sessions: Sequence[Session], feed: Feed, rate: int, seconds: float) -> None:
    """Write so many lines a second, to all sessions in turn, and see them come."""
    chance = Random(2)  # noqa: S311 - seeded
    begun, count = monotonic(), 0
    while (passed := monotonic() - begun) < seconds:
        for _ in range(int(passed * rate) - count):
            chance.choice(sessions).write()
            count += 1
        feed.look()
        sleep(_LOOK)


def wrong(home: Path, sessions: Sequence[Session]) -> list[str]:
    """What of the sessions is missing or twice, by counts and by every byte in the archive."""
    store = SqliteStore(home, mode="ro")
    found = []
    for one in sessions:
        _, rows = store.sql(
            "SELECT count(*), count(DISTINCT line_number), count(DISTINCT message_id)"
            " FROM lines WHERE source_id = ?",
            [one.source_id],
        )
        kept = store.raw(one.source_id, 0, 0, one.size) or b""
        digests = {hashlib.sha256(data).digest() for data in (kept, one.path.read_bytes())}
        if rows != [(one.lines,) * 3] or len(digests) != 1:
            found.append(f"{one.path.stem}: {one.lines} lines, in the index {rows}")
    _, spent = store.sql("SELECT count(*) FROM usage")
    if spent != [(sum(one.lines for one in sessions),)]:
        found.append(f"{spent} responses")
    store.close()
    return found


def _late(name: str, late: list[float], p50: float, p99: float) -> list[Figure]:
    times = [1_000 * one for one in late]
    note = f"least {min(times):.1f}, most {max(times):.0f} ms, of {len(times):,}"
    return [
        Figure(f"{name}: p50", median(times), "ms", p50, 10, note=note),
        Figure(f"{name}: p99", quantiles(times, n=100)[-1], "ms", p99, 50),
    ]


if __name__ == "__main__":
    with TemporaryDirectory(prefix="unspool-bench-") as scratch:
        os.environ["HOME"] = os.environ["CLAUDE_CONFIG_DIR"] = scratch
        figures = measured(Path(scratch))
    print(table(figures))
    sys.exit(not all(figure.holds for figure in figures))
