"""Stored hook events of a session, read on: the same as all of them, and no more is read."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.cli.made import hook_log, root
from tests.derive.usage.books import TABLE
from tests.engine.roots import NOW
from unspool.engine.hooks.events import StoredEvents, stored_events
from unspool.engine.indexing.indexer import Indexer
from unspool.model.hooks import HookEvent
from unspool.model.rows import HookRow
from unspool.source.roots import find_roots
from unspool.store import Store
from unspool.store.event_rows import EventRows
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

NAME = ("-home-dev-kettle", "session-one")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    made = SqliteStore(tmp_path / "unspool")
    yield made
    made.close()


def hook(number: int, second: int) -> str:
    when = f"2026-01-01T10:{second // 60:02}:{second % 60:02}.000Z"
    return (
        f'{{"timestamp":"{when}","sessionId":"session-one","eventType":"PreToolUse",'
        f'"toolUseId":"toolu_{number}","toolName":"Read"}}'
    )


def ids(events: Collection[HookEvent]) -> list[tuple[str, str]]:
    return sorted((event.timestamp, event.tool_use_id) for event in events)


def test_what_is_read_on_is_what_all_of_them_are(store: Store, tmp_path: Path) -> None:
    place, chance = root(tmp_path / "claude"), Random(7)
    indexer = Indexer(store, find_roots([place], {}, place), TABLE)
    known, lines = StoredEvents(store, *NAME), list[str]()
    for step in range(12):
        if step in (5, 9):  # it is another file
            lines = [hook(1_000 + step, 3)]
        lines += [hook(100 * step + n, chance.randrange(3_000)) for n in range(chance.randrange(4))]
        hook_log(place, *lines)
        hook_log(place, hook(step, step), session="session-two")
        indexer.sweep(NOW + step * 10_000)

        assert ids(known.read_on()) == ids(stored_events(store, *NAME))


class Counting:
    """The rows of a session, and how many hooks were read in full."""

    def __init__(self, rows: EventRows) -> None:
        self._rows, self.read = rows, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def hooks_by_line(self, lines: Collection[int]) -> list[HookRow]:
        self.read += len(lines)
        return self._rows.hooks_by_line(lines)


def test_only_what_is_new_is_read(store: Store, tmp_path: Path) -> None:
    place, read = root(tmp_path / "claude"), list[int]()
    indexer = Indexer(store, find_roots([place], {}, place), TABLE)
    known = StoredEvents(store, *NAME)
    source = known._source

    class Watched:
        @contextmanager
        def reading(self) -> Iterator[Counting]:
            with source.reading() as rows:
                made = Counting(rows)
                yield made
                read.append(made.read)

    known._source = Watched()  # type: ignore[assignment]
    lines = [hook(n, n) for n in range(40)]
    for count in (40, 40, 41, 43):
        lines += [hook(n, n) for n in range(len(lines), count)]
        hook_log(place, *lines)
        indexer.sweep(NOW + count)
        before = known._events
        assert known.read_on()[: len(before)] == before

    assert read == [40, 0, 1, 2]
