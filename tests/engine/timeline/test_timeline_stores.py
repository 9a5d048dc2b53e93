"""A timeline is the same from every store."""

from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.json import decode, encode

from tests.cli.made import hook_log, root, talk
from tests.derive.usage.books import TABLE
from tests.engine.timeline.test_timeline import PROJECT, hook
from unspool.demo import Transcript
from unspool.engine.indexing.indexer import Indexer
from unspool.engine.timeline.timeline import Timeline
from unspool.model.files import Root
from unspool.model.live import MergedEvent
from unspool.store import Store
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

NOW = 1_800_000_000_000
SESSIONS = ("session-one", "session-two", "a-copy")


def copy() -> Transcript:
    """All lines of another session, at the same times: two files with equal ids."""
    made = Transcript("a-copy", cwd="/home/dev/kettle")
    for line in talk().bytes().splitlines():
        made.raw(encode({**decode(line), "sessionId": "a-copy"}))
    return made


def fields(event: MergedEvent) -> tuple[Any, ...]:
    """What does not depend on the numbers a store gives its lines."""
    hooks = [(one.event_id, one.event_type, one.key) for one in event.hooks]
    tool = event.tool_name, event.tool_use_id, event.agent_id, event.duration_ms
    return event.place, *tool, event.tokens, hooks


class Growing:
    """The timelines of some sessions, from one store."""

    def __init__(self, store: Store, place: Path) -> None:
        roots = [Root(1, str(place), "", str(place / "projects"))]
        self._indexer = Indexer(store, roots, TABLE)
        self._timelines = [Timeline(store, PROJECT, session) for session in SESSIONS]

    def events(self) -> list[list[tuple[Any, ...]]]:
        self._indexer.sweep(NOW)
        self._indexer.link()
        for one in self._timelines:
            one.refresh()
        return [[fields(event) for event in one.events()] for one in self._timelines]


def test_memory_and_sqlite_have_the_same_events_as_they_grow(tmp_path: Path) -> None:
    first = talk()
    place = root(tmp_path / "claude", first, talk("session-two", day=2), copy())
    with closing(SqliteStore(tmp_path / "home")) as store:
        memory, sqlite = Growing(MemoryStore(), place), Growing(store, place)
        before = memory.events()
        assert sqlite.events() == before

        first.calls("Read", {"file_path": "/a"}, id="toolu_9").returns("text").save(place)
        hook_log(place, hook("PreToolUse", 9, toolUseId="toolu_9", toolName="Read"))
        after = memory.events()
        assert sqlite.events() == after

    assert all(before)
    assert len(after[0]) == len(before[0]) + 2
    assert [event[0] for event in after[0] if event[-1]] == [after[0][-2][0]]
