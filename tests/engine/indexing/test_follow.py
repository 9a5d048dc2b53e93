import os
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread, Timer

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.follows import Script, changed
from tests.engine.indexing.roots import NOW, age, saved
from tests.waiting import until
from unspool.demo import Transcript
from unspool.engine.indexing import follow, indexer, intake
from unspool.engine.indexing import run as module
from unspool.engine.indexing.follow import Follow, WakeUp
from unspool.engine.indexing.indexer import Indexer
from unspool.errors import SourceError, StoreFull
from unspool.model.files import Root, TailRead, TailState, WatchEvent
from unspool.model.query import TextQuery
from unspool.model.rows import Batch
from unspool.model.usage import Price
from unspool.source import tail
from unspool.source.watch import Watcher
from unspool.store import Store
from unspool.store.contract import unpriced
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore


class Counting(MemoryStore):
    """Remembers which files each commit was of; has no room while it is full."""

    is_full = False

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[list[str]] = []

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        if self.is_full:
            raise StoreFull("no room")
        self.commits.append([Path(batch.source.path).stem for batch in batches])
        return super().commit(batches, price)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path, Transcript("s1").user("hello"), Transcript("s2").user("hello"))


def path_of(root: Root, name: str = "s1") -> Path:
    return Path(root.projects, "-repo", f"{name}.jsonl")


def append(path: Path, word: str, *, end: str = "\n", times: int = 1) -> tuple[WatchEvent, ...]:
    """Write lines that say a word, and say that it was done."""
    line = Transcript(path.stem, uuid_prefix=word).user(word).bytes()
    with path.open("ab") as file:
        file.write((line * times).rstrip(b"\n") + end.encode())
    age(path, seconds=0)
    return changed(path)


def found(store: Store, word: str) -> int:
    return len(store.search(TextQuery(terms=word)))


def test_what_is_there_is_taken_in_before_anything_is_waited_for(root: Root) -> None:
    store = MemoryStore()
    script = Script().follow(store, root)

    assert found(store, "hello") == 2
    assert (script.told[-1].seq, script.told[-1].report.files) == (store.head(), 2)


def test_a_change_becomes_rows_and_whoever_listens_is_told_up_to_where(root: Root) -> None:
    store = MemoryStore()
    script = Script(tuple, lambda: append(path_of(root), "more")).follow(store, root)
    last = [woken for woken in script.told if woken.changed][-1]

    assert found(store, "more") == 1
    assert (last.seq, last.report.lines) == (store.head(), 1)


def test_all_files_of_one_wake_up_are_one_commit(root: Root) -> None:
    store, names = Counting(), [f"n{number}" for number in range(20)]
    Script(
        tuple, lambda: [one for name in names for one in append(path_of(root, name), "more")]
    ).follow(store, root)

    assert sorted(store.commits[-1]) == sorted(names)


def test_whoever_writes_without_end_does_not_keep_others_waiting(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "PIECE", 1_000)
    monkeypatch.setattr(module, "LARGE", 1_000)
    store = Counting()
    flood, quiet = path_of(root), path_of(root, "s2")
    Script(
        tuple,
        lambda: append(flood, "flood", times=30),
        lambda: [*append(flood, "flood", times=30), *append(quiet, "calm")],
        *[tuple] * 30,
    ).follow(store, root)
    at = next(number for number, names in enumerate(store.commits) if names == ["s2", "s1"])

    assert 0 < at < len(store.commits) - 10


def test_all_that_was_put_off_comes_in_time(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "PIECE", 1_000)
    monkeypatch.setattr(module, "LARGE", 1_000)
    store, names = MemoryStore(), ("a", "b", "c")
    floods = lambda: [one for name in names for one in append(path_of(root, name), name, times=9)]  # noqa: E731
    Script(tuple, floods, *[tuple] * 30).follow(store, root)

    assert [source.lines for source in store.sources() if source.path[-7] in "abc"] == [9] * 3


def test_a_line_without_its_end_is_shown_when_nobody_writes_on(root: Root) -> None:
    store = MemoryStore()
    seen: list[int] = []
    script = Script(tuple, lambda: append(path_of(root), "more", end=""))
    script._scenes += [lambda: seen.append(found(store, "more")), lambda: script.passes(40), tuple]
    script.follow(store, root)

    assert (seen, found(store, "more")) == ([0], 1)


def test_a_file_that_is_gone_is_marked_at_once(root: Root) -> None:
    store = MemoryStore()

    def unlink() -> tuple[WatchEvent, ...]:
        path_of(root).unlink()
        return changed(path_of(root), gone=True)

    script = Script(tuple, unlink).follow(store, root)

    assert [source.gone_at is not None for source in store.sources()].count(True) == 1
    assert script.told[-1].report.gone == 1


def test_the_registry_is_told_of_and_not_read(root: Root) -> None:
    entry = WatchEvent(path=f"{root.path}/sessions/7.json", kind="registry")
    script = Script(tuple, lambda: [entry]).follow(MemoryStore(), root)

    assert (script.told[-1].changed, script.told[-1].report.changed) == ((entry,), 0)


def test_a_full_disk_is_said_once_and_got_over(root: Root) -> None:
    store = Counting()

    def fill() -> tuple[WatchEvent, ...]:
        store.is_full = True
        return append(path_of(root), "more")

    def clear() -> None:
        store.is_full = False

    again = [lambda: append(path_of(root, "s2"), "less"), *[tuple] * 9, clear, *[tuple] * 3]
    script = Script(tuple, fill, *again).follow(store, root)

    assert script.said == ["no room", "The index can be written again; nothing was lost."]
    assert (found(store, "more"), found(store, "less")) == (1, 1)


def test_a_disk_that_is_full_again_is_said_again(root: Root) -> None:
    store = Counting()

    def fill() -> tuple[WatchEvent, ...]:
        store.is_full = True
        return append(path_of(root), "more")

    def clear() -> None:
        store.is_full = False

    script = Script(tuple, fill, clear, *[tuple] * 3, fill, clear, *[tuple] * 3)
    script.follow(store, root)

    assert script.said.count("no room") == 2


def test_a_file_that_cannot_be_read_is_said_once_and_tried_again(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, read, shut = MemoryStore(), tail.read, {"s1"}

    def refused(path: str, state: TailState, *, limit: int, is_proven: bool) -> TailRead:
        if shut and path == str(path_of(root)):
            raise SourceError("Cannot read s1.")
        return read(path, state, limit=limit, is_proven=is_proven)

    monkeypatch.setattr(tail, "read", refused)
    script = Script(tuple, lambda: append(path_of(root), "more"))
    later = lambda: script.passes(40)  # noqa: E731
    script._scenes += [later, tuple, shut.clear, later, tuple]
    script.follow(store, root)

    assert script.said == ["Cannot read s1."]
    assert found(store, "more") == 1


def test_what_nobody_told_of_is_found_by_the_next_sweep(root: Root) -> None:
    store = MemoryStore()

    def silently() -> None:
        append(path_of(root), "more")

    script = Script(tuple, silently)
    script._scenes += [lambda: script.passes(follow._SWEEP), tuple]
    script.follow(store, root)

    assert found(store, "more") == 1


def test_agents_are_linked_soon_after(root: Root) -> None:
    store = MemoryStore()
    made = Transcript("s1", uuid_prefix="n").calls("Task", prompt="look", id="t1")

    def spawn() -> tuple[WatchEvent, ...]:
        with path_of(root).open("ab") as file:
            file.write(made.bytes())
        age(path_of(root), seconds=0)
        agent = Path(root.projects, "-repo", "s1", "subagents", "agent-a1.jsonl")
        agent.parent.mkdir(parents=True)
        agent.write_bytes(Transcript("s1", uuid_prefix="a").user("look").bytes())
        return changed(path_of(root), age(agent, seconds=0))

    Script(tuple, spawn, *[tuple] * 3).follow(store, root)

    assert (list(store._agents["-repo", "s1"]), store.unlinked()) == (["a1"], [])


def test_while_a_sweep_goes_on_what_is_written_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.commits._MOST_LINES", 1)
    root = saved(tmp_path, *(Transcript(f"s{n}").user("old") for n in range(9)))
    store = Counting()
    Script(tuple, lambda: append(path_of(root, "s8"), "new"), *[tuple] * 9).follow(store, root)

    assert store.commits.index(["s8"]) < 4
    assert sorted(name for names in store.commits for name in names) == [f"s{n}" for n in range(9)]


def test_files_in_use_are_taken_in_before_those_that_rest(root: Root) -> None:
    store = Counting()
    append(path_of(root, "z9"), "live")
    Script().follow(store, root)

    assert [names[0] for names in store.commits] == ["z9", "s1"]


def test_a_file_at_rest_that_wakes_up_while_others_are_read_is_read_once(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.commits._MOST_LINES", 1)
    store = Counting()
    append(path_of(root, "z9"), "live")
    grow = [lambda: append(path_of(root), "more"), lambda: append(path_of(root), "much")]
    Script(*grow, *[tuple] * 9).follow(store, root)

    assert store.commits[0] == ["z9"]
    assert (found(store, "more"), found(store, "much"), found(store, "hello")) == (1, 1, 2)


def test_a_sweep_that_found_nothing_new_is_told_too(root: Root) -> None:
    store = MemoryStore()
    Script().follow(store, root)
    script = Script().follow(store, root)

    assert [woken.report.files for woken in script.told] == [2]


def test_where_all_files_are_new_most_of_them_are_left_to_the_workers(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "WORTH_WORKERS", 1_000)
    store = Counting()
    append(path_of(root, "long"), "live" * 400)
    append(path_of(root, "short"), "live")
    Script().follow(store, root)

    assert [names[0] for names in store.commits] == ["short", "long"]


def test_a_stop_is_heard_in_the_middle_of_a_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.commits._MOST_LINES", 1)
    root = saved(tmp_path, *(Transcript(f"s{n}").user("old") for n in range(9)))
    store = Counting()
    Script(tuple, tuple).follow(store, root)

    assert len(store.commits) == 4


def test_a_real_append_is_there_within_a_moment(root: Root, tmp_path: Path) -> None:
    store, stop = SqliteStore(tmp_path / "home"), Event()
    heard: list[WakeUp] = []
    following = Follow(
        Indexer(store, [root], TABLE), Watcher([root]), heard.append, now=lambda: NOW
    )
    thread = Thread(target=following.run, args=[stop])
    thread.start()
    until(lambda: heard)
    append(path_of(root), "more")
    until(lambda: found(store, "more"))
    stop.set()
    thread.join()

    assert found(store, "more") == 1
    store.close()


def test_a_file_a_watcher_finds_gone_is_marked_long_before_the_next_sweep(root: Root) -> None:
    store, stop, path = MemoryStore(), Event(), path_of(root)
    limit = Timer(60, stop.set)

    def told(_: WakeUp) -> None:
        path.unlink(missing_ok=True)
        if any(source.gone_at for source in store.sources()):
            stop.set()

    limit.start()
    watcher = Watcher([root], say=str, rescan=1e9)
    Follow(Indexer(store, [root], TABLE), watcher, told, now=lambda: NOW).run(stop)
    limit.cancel()

    assert [source.gone_at for source in store.sources()].count(NOW) == 1


def test_files_that_vanish_and_come_back_under_a_watcher_are_gone_no_longer(root: Root) -> None:
    store, stop, heard = MemoryStore(), Event(), list[WakeUp]()
    root_path = Path(root.path)
    away = root_path.with_name("away")
    watcher = Watcher([root], say=str, rescan=1e9)

    def gone() -> list[int | None]:
        return [source.gone_at for source in store.sources()]

    following = Follow(Indexer(store, [root], TABLE), watcher, heard.append, now=lambda: NOW)
    thread = Thread(target=following.run, args=[stop])
    thread.start()
    try:
        assert until(lambda: heard)
        append(path_of(root), "more")  # it is in use: what was read of it is remembered
        assert until(lambda: found(store, "more"))
        root_path.rename(away)
        assert until(lambda: gone() == [NOW, NOW])
        away.rename(root_path)
        assert until(lambda: gone() == [None, None])
    finally:
        stop.set()
        thread.join()


def test_an_edit_of_the_same_length_is_indexed_by_the_next_scan_of_a_watcher(root: Root) -> None:
    store, stop, path = MemoryStore(), Event(), path_of(root)
    long = Transcript("s1").user("first").says("x" * 90_000).user("before").says("x" * 90_000)
    path.write_bytes(long.bytes())
    age(path, seconds=60)
    other = Path(root.path).with_name("other-name")  # the system reports no write through it
    os.link(path, other)
    watcher = Watcher([root], say=str, rescan=0.2)
    following = Follow(Indexer(store, [root], TABLE), watcher, str, now=lambda: NOW)
    thread = Thread(target=following.run, args=[stop])
    thread.start()
    try:
        assert until(lambda: found(store, "before"))
        with other.open("r+b") as file:
            file.seek(long.bytes().index(b"before"))
            file.write(b"afters")
        assert until(lambda: found(store, "afters"))
    finally:
        stop.set()
        thread.join()

    assert found(store, "before") == 0
