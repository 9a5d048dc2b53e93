"""A process that indexes until it is killed: `python -m tests.chaos.child HOME ROOT`.

Each line on its standard input has it fork one; the answer is that one's pid, then how it ended.
The line says how: `alone`, `together` with workers, or `rebuild`, which makes a new index instead.
UNSPOOL_KILL_POINT (`point:count`) makes it kill itself when it gets there so many times.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import apsw

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import root_of
from unspool.engine.indexing import indexer
from unspool.engine.indexing.rebuild import rebuild
from unspool.engine.indexing.workers import Workers
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.usage import Price
from unspool.store.contract import unpriced
from unspool.store.sqlite import store as sqlite_store
from unspool.store.sqlite.store import SqliteStore
from unspool.store.sqlite.writing import writer

LATER = 1_900_000_000_000  # long after any write: an unfinished last line is shown at once


class Fate:
    """Where the process dies, and after how many times."""

    def __init__(self, chosen: str) -> None:
        self.point, _, count = chosen.partition(":")
        self._left = int(count or 1)

    def __call__(self, point: str) -> None:
        """Say where we are."""
        if point == self.point:
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)


class Doomed(SqliteStore):
    """Tells where it is."""

    def __init__(self, home: Path, at: Callable[[str], None]) -> None:
        self._at = at
        super().__init__(home)

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        self._at("before raw")
        super().archive(segments, sources)
        self._at("after raw")

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        seq = super().commit(batches, price)
        self._at("after index")
        return seq

    def merge(self) -> Iterator[None]:
        self._at("before merge")
        for _ in super().merge():
            self._at("inside merge")
            yield
        self._at("after merge")


def watched(at: Callable[[str], None]) -> Callable[[apsw.Connection], None]:
    """Have the connections of the indexes tell when they write a row, and when they commit."""

    def hook(connection: apsw.Connection) -> None:
        name = {"index.db": "index", "index.new.db": "new index"}.get(
            os.path.basename(connection.filename)
        )
        if name is None:
            return

        def trace(_: apsw.Cursor, sql: str, __: object) -> bool:
            if sql.lstrip().startswith("INSERT INTO line"):
                at(f"inside {name}")
            return True

        def commit() -> bool:
            at("at commit" if name == "index" else "at new commit")
            return False

        connection.exec_trace = trace
        connection.set_commit_hook(commit)

    return hook


def index(home: Path, path: Path, how: str) -> None:
    """Index for ever; a few workers share even the smallest sweep, and all of it is merged."""
    root, fate = root_of(path), Fate(os.environ.get("UNSPOOL_KILL_POINT", ""))
    indexer.WORTH_WORKERS = 0  # type: ignore[misc]
    if "merge" in fate.point:
        indexer.WORTH_MERGING = 0  # type: ignore[misc]
        sqlite_store._PAGES = 1
    workers = Workers(2) if how == "together" else None
    apsw.connection_hooks.append(watched(fate))
    store = Doomed(home, fate)
    made = indexer.Indexer(store, [root], TABLE, workers=workers)
    while how != "rebuild":
        made.sweep(LATER)
    made.sweep(LATER)
    vars(writer)["swap"] = _told(vars(writer)["swap"], fate)
    while True:
        rebuild(store, [root], TABLE, LATER)


def _told(swap: Callable[[Path], None], at: Callable[[str], None]) -> Callable[[Path], None]:
    """Have the change of names tell where it is."""
    replace = os.replace

    def replaced(*names: str | Path) -> None:
        at("at swap")
        replace(*names)
        at("inside swap")

    def swapped(home: Path) -> None:
        os.replace = replaced  # type: ignore[assignment]
        try:
            swap(home)
        finally:
            os.replace = replace
        at("after swap")

    return swapped


def main(home: Path, path: Path) -> None:
    """Fork one process for each line read; whoever started us may have had interrupts ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            try:
                index(home, path, line.strip())
            finally:
                os._exit(1)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
