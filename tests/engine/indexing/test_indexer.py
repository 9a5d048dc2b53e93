import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.derive.usage.books import TABLE
from tests.engine.indexing.roots import NOW, age, saved
from tests.engine.indexing.views import shown
from unspool.demo import Transcript
from unspool.engine.indexing import intake
from unspool.engine.indexing import run as module
from unspool.engine.indexing.indexer import Indexer
from unspool.errors import StoreFull
from unspool.model.files import Root, TailState
from unspool.model.query import TextQuery, TotalsQuery
from unspool.model.rows import Batch
from unspool.model.usage import Price
from unspool.source import tail
from unspool.source.safe_open import OpenFile
from unspool.store import Store
from unspool.store.contract import unpriced
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

MORE = Transcript(uuid_prefix="n").user("more").says("and more").bytes()


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path / "root", Transcript().user("hello").says("hi"))


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "home")
    yield made
    made.close()


def path_of(root: Root, name: str = "s1") -> Path:
    return Path(root.projects, "-repo", f"{name}.jsonl")


def grow(root: Root, data: bytes, *, seconds: int = 60) -> None:
    with open(path_of(root), "ab") as file:
        file.write(data)
    age(path_of(root), seconds=seconds)


def found(store: Store, terms: str) -> int:
    return len(store.search(TextQuery(terms=terms)))


def test_a_first_sweep_takes_in_all_there_is(root: Root, store: Store) -> None:
    report = Indexer(store, [root], TABLE).sweep(NOW)

    assert (report.files, report.changed, report.lines) == (1, 1, 2)
    assert report.bytes == path_of(root).stat().st_size


@pytest.mark.parametrize(("worth", "is_merged"), [(1, True), (10**9, False)])
def test_what_much_left_in_pieces_is_merged(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth: int, is_merged: bool
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.indexer.WORTH_MERGING", worth)
    store, steps = SqliteStore(tmp_path / "home"), list[None]()
    monkeypatch.setattr(store, "merge", lambda: map(steps.append, [None, None]))
    Indexer(store, [root], TABLE).sweep(NOW)
    store.close()

    assert bool(steps) is is_merged


def test_a_second_sweep_changes_nothing(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    before, head = shown(store), store.head()

    assert (made.sweep(NOW).changed, Indexer(store, [root], TABLE).sweep(NOW).changed) == (0, 0)
    assert (shown(store), store.head()) == (before, head)


def test_one_new_line_costs_one_line(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    grow(root, MORE)
    report = made.sweep(NOW)

    assert (report.lines, report.bytes, found(store, "more")) == (2, len(MORE), 2)


def test_a_file_that_somebody_names_is_taken_in_without_a_sweep(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    grow(root, MORE)
    report = made.look([str(path_of(root)), str(path_of(root, "none")), "/etc/passwd"], NOW)

    assert (report.changed, report.lines) == (1, 2)


def test_an_unfinished_line_is_shown_and_then_replaced(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    line = Transcript(uuid_prefix="n").user("lantern").bytes()
    grow(root, line[:-1])
    made.sweep(NOW)
    shown_once = found(store, "lantern")
    grow(root, b"\n" + MORE, seconds=50)
    made.sweep(NOW)

    assert (shown_once, found(store, "lantern"), found(store, "more")) == (1, 1, 2)


def test_an_unfinished_line_that_turns_out_another_is_shown_no_more(
    root: Root, store: Store
) -> None:
    made = Indexer(store, [root], TABLE)
    grow(root, Transcript(uuid_prefix="n").user("lantern").bytes()[:-1])
    made.sweep(NOW)
    grow(root, b'{"torn', seconds=50)
    made.sweep(NOW)

    assert found(store, "lantern") == 0


def test_a_rewritten_file_is_found_by_what_it_says_now(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    path_of(root).write_bytes(Transcript(uuid_prefix="x").user("another").bytes())
    made.sweep(NOW)

    assert (found(store, "hello"), found(store, "another")) == (0, 1)
    assert store.sources()[0].generation == 1


LONG = Transcript().user("first").says("x" * 200_000).user("before").says("x" * 200_000).bytes()


def edited(data: bytes) -> bytes:
    """The same with another word in the middle, far from both ends, and no byte longer."""
    return data.replace(b"before", b"afters")


@pytest.mark.parametrize("more", [b"", MORE])
def test_an_edit_in_the_middle_of_a_file_is_found_at_the_next_start(
    root: Root, store: Store, more: bytes
) -> None:
    path_of(root).write_bytes(LONG)
    age(path_of(root), seconds=60)
    Indexer(store, [root], TABLE).sweep(NOW)
    path_of(root).write_bytes(edited(LONG) + more)
    age(path_of(root), seconds=50)
    report = Indexer(store, [root], TABLE).sweep(NOW)

    assert (found(store, "before"), found(store, "afters")) == (0, 1)
    assert (report.changed, store.sources()[0].generation) == (1, 1)


def test_an_edit_of_the_same_length_is_found_when_the_watcher_reports_it(
    root: Root, store: Store
) -> None:
    path_of(root).write_bytes(LONG)
    age(path_of(root), seconds=60)
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    path_of(root).write_bytes(edited(LONG))
    age(path_of(root), seconds=50)
    paths: Sequence[str] = [str(path_of(root))]
    while paths := made.look(paths, NOW).again:
        pass

    assert (found(store, "before"), found(store, "afters")) == (0, 1)


def test_a_start_reads_no_file_that_nobody_wrote_to(
    root: Root, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    Indexer(store, [root], TABLE).sweep(NOW)
    monkeypatch.setattr(tail, "read", None)

    assert Indexer(store, [root], TABLE).sweep(NOW).changed == 0


def test_what_was_read_is_compared_once_in_the_life_of_a_process(
    root: Root, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path_of(root).write_bytes(LONG)
    Indexer(store, [root], TABLE).sweep(NOW)
    compared = counted(monkeypatch)
    made = Indexer(store, [root], TABLE)
    for seconds in (50, 40, 30):
        grow(root, MORE, seconds=seconds)
        made.look([str(path_of(root))], NOW)

    assert (len(compared), store.sources()[0].lines) == (1, 10)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where the bytes end that are compared, once for each time."""
    compare, ends = tail._unchanged, list[int]()

    def counting(file: OpenFile, state: TailState) -> bool:
        ends.append(state.offset)
        return compare(file, state)

    monkeypatch.setattr(tail, "_unchanged", counting)
    return ends


def test_a_deleted_file_stays_in_the_index_and_the_archive(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    data = path_of(root).read_bytes()
    path_of(root).unlink()
    report = made.sweep(NOW)
    (source,) = store.sources()

    assert (report.gone, source.gone_at, found(store, "hello")) == (1, NOW, 1)
    assert store.raw(source.source_id, 0, 0, len(data)) == data


def test_a_file_that_comes_back_is_not_taken_in_twice(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    data = path_of(root).read_bytes()
    path_of(root).unlink()
    made.sweep(NOW)
    path_of(root).write_bytes(data)
    report = made.sweep(NOW)

    assert (report.lines, store.sources()[0].gone_at, found(store, "hello")) == (0, None, 1)


def test_a_file_in_use_that_goes_and_comes_back_is_there(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    grow(root, MORE)
    path, away = path_of(root), path_of(root).with_name("away")
    made.look([str(path)], NOW)  # it is in use, so what was read of it is remembered
    path.rename(away)
    made.lost([str(path)], NOW)
    gone_at = store.sources()[0].gone_at
    away.rename(path)
    report = made.look([str(path)], NOW)

    assert (gone_at, store.sources()[0].gone_at, report.lines) == (NOW, None, 0)


def test_a_file_renamed_is_gone_here_and_new_there(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    os.replace(path_of(root), path_of(root, "s2"))
    report = made.sweep(NOW)

    assert (report.gone, report.lines, len(store.sources())) == (1, 2, 2)


def test_what_a_copy_used_is_counted_once(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    path_of(root, "s2").write_bytes(path_of(root).read_bytes())
    made.sweep(NOW)

    assert sum(total.responses for total in store.totals(TotalsQuery())) == 1


def test_a_file_to_be_begun_anew_is_another_generation(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    made.begin_anew(store.sources()[0])
    report = made.sweep(NOW)

    assert (report.lines, store.sources()[0].generation, found(store, "hello")) == (2, 1, 1)


def test_progress_ends_with_all_there_was_to_do(root: Root) -> None:
    told: list[tuple[int, int]] = []
    size = path_of(root).stat().st_size
    Indexer(MemoryStore(), [root], TABLE, progress=lambda *now: told.append(now)).sweep(NOW)

    assert told[-1] == (size, size)


class Full(MemoryStore):
    """A disk without room, for a while."""

    is_full = True

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        if self.is_full:
            raise StoreFull("no room")
        return super().commit(batches, price)


def test_when_there_is_room_again_nothing_is_missing(root: Root) -> None:
    store = Full()
    made = Indexer(store, [root], TABLE)
    with pytest.raises(StoreFull):
        made.sweep(NOW)
    store.is_full = False
    made.sweep(NOW)

    assert (store.sources()[0].lines, found(store, "hello")) == (2, 1)


def test_a_full_disk_in_mid_flow_is_made_up_for_too(root: Root) -> None:
    store = Full()
    store.is_full = False
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    grow(root, MORE)
    store.is_full = True
    with pytest.raises(StoreFull):
        made.sweep(NOW)
    store.is_full = False
    grow(root, Transcript(uuid_prefix="z").user("last").bytes())
    made.sweep(NOW)

    assert (store.sources()[0].lines, found(store, "more"), found(store, "last")) == (5, 2, 1)


def test_a_file_long_at_rest_is_not_kept_in_mind(root: Root) -> None:
    made = Indexer(MemoryStore(), [root], TABLE)
    made.sweep(NOW + 10 * 3_600_000)

    assert not made._intakes


def test_of_large_files_a_look_takes_one_piece_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "PIECE", 1_000)
    monkeypatch.setattr(module, "LARGE", 1_000)
    root = saved(tmp_path, *(Transcript(name).user("a" * 1_500) for name in ("s1", "s2")))
    for name in ("s1", "s2"):
        path_of(root, name).write_bytes(path_of(root, name).read_bytes() * 2)
    paths = [str(path_of(root, name)) for name in ("s2", "s1")]
    report = Indexer(MemoryStore(), [root], TABLE).look(paths, NOW)

    assert (report.changed, report.lines, report.again) == (1, 1, (paths[1], paths[0]))


def test_a_look_says_which_files_to_look_at_later(root: Root) -> None:
    made = Indexer(MemoryStore(), [root], TABLE)
    grow(root, MORE[:-1], seconds=0)
    report = made.look([str(path_of(root))], NOW)

    assert (report.lines, report.later) == (3, (str(path_of(root)),))


def test_a_file_that_is_gone_is_marked_without_a_sweep(root: Root, store: Store) -> None:
    made = Indexer(store, [root], TABLE)
    made.sweep(NOW)
    path_of(root).unlink()

    assert made.lost([str(path_of(root)), "/etc/passwd"], NOW) == 1
    assert made.lost([str(path_of(root))], NOW + 1) == 0
    assert store.sources()[0].gone_at == NOW


def test_a_file_that_waits_can_be_taken_out_of_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.commits._MOST_LINES", 1)
    root = saved(tmp_path, *(Transcript(f"s{n}").user("a") for n in range(4)))
    made, seen = Indexer(MemoryStore(), [root], TABLE), []
    last = str(path_of(root, "s3"))
    report = made.sweep(NOW, between=lambda: seen.append(made.look([last], NOW).lines))

    assert (seen, report.lines) == ([1, 0, 0], 3)


def test_a_file_being_read_is_left_to_whoever_reads_it(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.commits._MOST_LINES", 1)
    monkeypatch.setattr(intake, "PIECE", 10)
    made, seen = Indexer(MemoryStore(), [root], TABLE), []
    path = str(path_of(root))
    made.sweep(NOW, between=lambda: seen.append(made.look([path], NOW).again))

    assert seen == [(path,), ()]


def test_hook_logs_are_looked_at_too(root: Root, store: Store) -> None:
    log = Path(root.path, "hooks", "-repo", "s1.hooks.jsonl")
    log.parent.mkdir(parents=True)
    log.write_bytes(b'{"hook_event_name":"Stop"}\n')
    report = Indexer(store, [root], TABLE).look([str(log)], NOW)

    assert (report.lines, store.status().hook_events) == (1, 1)
