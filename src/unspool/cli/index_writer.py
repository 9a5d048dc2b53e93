"""The process that keeps an index up to date beside a server or a collector."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from unspool.cli import daemon
from unspool.cli.log_file import WRITER_LOG
from unspool.cli.paths import INDEX
from unspool.cli.supervisor import Supervisor
from unspool.engine.stores import LOCK, Stores
from unspool.errors import StoreError
from unspool.system.processes import lock_holder


def index_writer(
    stores: Stores, options: Sequence[str], say: Callable[[str], object]
) -> Supervisor:
    """Runs `index watch` as long as no other process writes the index."""
    return Supervisor(
        ["index", "watch", "--quiet", *options],
        lambda: not is_written(stores.home),
        log=stores.home / WRITER_LOG,
        say=say,
    )


def is_written(home: Path) -> bool:
    """Whether another process keeps the index up to date."""
    return lock_holder(home / LOCK) is not None or daemon.running(home) is not None


def ensure_index(stores: Stores) -> None:
    """Create a missing index, so that readers find one."""
    if not stores.is_there():
        with suppress(StoreError):
            stores.writing().close()
    with stores.reading():
        pass  # migrates an index of an earlier version, or raises


def checkpoint(stores: Stores) -> None:
    """Checkpoint the WAL, if the writer ended while the server still read."""
    if (stores.home / f"{INDEX}-wal").exists():
        with suppress(StoreError):
            stores.writing().close()
