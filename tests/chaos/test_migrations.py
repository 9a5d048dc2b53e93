"""A process that dies while it brings a database up to this version: the next one does it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from tests.chaos.scene import Scene
from tests.conftest import REPOSITORY
from unspool.demo import Transcript
from unspool.store.sqlite import INDEX_VERSION
from unspool.store.sqlite.migrations import ARCHIVE_STEPS
from unspool.store.sqlite.store import SqliteStore

# Statements of a migration, each a place to die at; the last one is the version itself.
CHANGES = re.compile(r"^(CREATE (?!TEMP)|DROP|PRAGMA user_version =)", re.MULTILINE)


def migrate(home: str, left: int) -> None:
    """Open a home for writing, and die at one of the changes that this makes."""

    def hook(connection: apsw.Connection) -> None:
        def trace(_: apsw.Cursor, sql: str, __: object) -> bool:
            nonlocal left
            if CHANGES.search(sql):
                left -= 1
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
            return True

        if connection.filename.startswith(home):
            connection.exec_trace = trace

    apsw.connection_hooks.append(hook)
    SqliteStore(Path(home)).close()


def dies(home: Path, change: int) -> bool:
    """Whether a process that dies at this change gets there."""
    script = f"from tests.chaos.test_migrations import migrate; migrate({str(home)!r}, {change})"
    path = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "src")])
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False)
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    made.path("s1").write_bytes(Transcript().user("héllo").says("bye").bytes() + b"bad\n")
    made.sweep(quiet=True)
    made.store.close()
    yield made
    made.clean_up()


def assert_all_is_there(scene: Scene) -> None:
    scene.open()
    scene.compare(quiet=True)
    scene.assert_nothing_is_lost()
    scene.assert_sound()
    scene.sweep(quiet=True)


def change(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


def test_an_archive_whose_migration_dies_is_migrated_by_the_next(scene: Scene) -> None:
    tables = apsw.Connection(":memory:")
    for step in ARCHIVE_STEPS[1:]:
        step(tables)
    names = [row[0] for row in tables.execute("SELECT name FROM sqlite_schema WHERE type='table'")]
    drops = "".join(f"DROP TABLE {name};" for name in names if not name.startswith("sqlite_"))
    change(scene.home / "raw.db", f"{drops} PRAGMA user_version = 1")
    deaths = 0
    while dies(scene.home, deaths + 1):
        deaths += 1

    assert deaths >= 2
    assert_all_is_there(scene)


def test_an_index_whose_migration_dies_is_migrated_by_the_next(scene: Scene) -> None:
    change(scene.home / "index.db", f"PRAGMA user_version = {INDEX_VERSION - 1}")
    deaths = [at for at in (1, 5, 10, 20) if dies(scene.home, at)]

    assert deaths == [1, 5, 10, 20]
    assert_all_is_there(scene)
