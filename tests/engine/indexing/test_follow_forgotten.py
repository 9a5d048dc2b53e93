"""A follower obeys tombstones between its other work, and tries again where there is no room."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

from tests.derive.usage.books import TABLE
from tests.engine.indexing.follows import Script
from tests.engine.indexing.roots import NOW, saved
from unspool.demo import Transcript
from unspool.engine.indexing.follow import Follow
from unspool.engine.indexing.indexer import Indexer
from unspool.errors import StoreFull
from unspool.store.memory import MemoryStore


def played(script: Script, path: Path, obey: Callable[[], bool]) -> int:
    """Play it to the end; how many sweeps there were."""
    root = saved(path, Transcript("s1").user("hello"))
    indexer = Indexer(MemoryStore(), [root], TABLE)
    now, clock = lambda: NOW + int(script.at * 1_000), lambda: script.at
    Follow(indexer, script, script.told.append, now=now, clock=clock, obey=obey).run(Event())
    return sum(bool(woken.report.files) for woken in script.told)


def test_where_nothing_was_forgotten_there_is_one_sweep(tmp_path: Path) -> None:
    script = Script(*[lambda: None] * 3)

    assert played(script, tmp_path, lambda: False) == 1


def test_after_a_change_of_tombstones_there_is_a_sweep_at_once(tmp_path: Path) -> None:
    script = Script(*[lambda: None] * 3)
    answers = iter([False, False, True])

    assert played(script, tmp_path, lambda: next(answers, False)) == 2
    assert script.at < 10


def test_without_room_it_says_so_and_tries_again(tmp_path: Path) -> None:
    asked: list[float] = []

    def obey() -> bool:
        asked.append(script.at)
        if len(asked) == 2:
            raise StoreFull("no room")
        return False

    script = Script(*[lambda: None] * 6)
    played(script, tmp_path, obey)
    assert script.said == ["no room", "The index can be written again; nothing was lost."]
    assert len(asked) > 3
