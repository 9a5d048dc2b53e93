"""What was scanned -> an index where there was none, made aside and put in place when whole."""

import os
import shutil
from contextlib import closing
from pathlib import Path

from unspool.errors import UnspoolError
from unspool.ingest.scan.crew import Turn
from unspool.ingest.scan.tally import Tally
from unspool.store.sqlite.connection import INDEX
from unspool.store.sqlite.lock import WriterLock
from unspool.store.sqlite.store import SqliteStore


def keep(tally: Tally, prices: str, places: tuple[str, str], turn: Turn) -> None:
    """Write what one process scanned, after the one before it; the last puts the index in place."""
    home, aside = map(Path, places)
    is_begun = turn.wait()
    try:
        if is_begun:
            _write(tally, prices, aside, turn)
            if not turn.is_last:
                turn.done()
                return
            _place(home, aside)
    except (UnspoolError, OSError):
        pass  # the next report scans again
    shutil.rmtree(aside, ignore_errors=True)


def _write(tally: Tally, prices: str, aside: Path, turn: Turn) -> None:
    for directory in (aside.parent, aside):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(SqliteStore(aside)) as store:
        if turn.is_first:
            store.reprice(tally.price, prices)
        store.commit_usages(tally.drain(), tally.price)


def _place(home: Path, aside: Path) -> None:
    """Unless somebody else has made one meanwhile."""
    lock = WriterLock(home / "index.lock")
    try:
        if not (home / INDEX).exists():
            os.replace(aside / INDEX, home / INDEX)
    finally:
        lock.release()
