import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.engine.indexing.roots import NOW, age, only_file, root_of, saved, taken
from unspool.demo import Transcript
from unspool.engine.indexing import intake as intake_module
from unspool.engine.indexing.intake import Intake
from unspool.model.files import LineSpan, Root
from unspool.model.rows import Batch, StoredLine
from unspool.source.tail import Line
from unspool.store import Store
from unspool.store.memory import MemoryStore
from unspool.store.pack import unpacked

MADE = Transcript().user("héllo 😀").calls("Bash", command="ls").returns("a").says("bye")
DATA = MADE.bytes()


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return saved(tmp_path, MADE)


def add(root: Root, data: bytes, *, quiet: bool = True) -> None:
    path = Path(only_file(root).path)
    with open(path, "ab") as file:
        file.write(data)
    age(path, seconds=3600 if quiet else 1)


def write(root: Root, data: bytes) -> None:
    age(Path(only_file(root).path)).write_bytes(data)
    add(root, b"")


def grown(root: Root, intake: Intake) -> list[Batch]:
    intake.file = only_file(root)
    return [batch for _, batch in intake.batches(NOW)]


def begun(root: Root) -> Intake:
    intake = Intake(only_file(root), None)
    list(intake.batches(NOW))
    return intake


def test_a_file_read_whole_is_one_batch_that_ends_where_it_does(root: Root) -> None:
    ((_, batch),) = taken(root)

    assert (batch.begins, batch.source.offset, batch.source.lines) == (0, len(DATA), 4)


def test_what_was_taken_in_is_not_taken_in_again(root: Root) -> None:
    assert grown(root, begun(root)) == []


def test_a_source_that_is_known_goes_on_from_its_checkpoint(root: Root) -> None:
    known = begun(root).source
    add(root, Transcript(uuid_prefix="n").says("more").bytes())
    ((_, batch),) = taken(root, known)

    assert (batch.begins, len(batch.lines), batch.lines[0].line_number) == (len(DATA), 1, 5)


def test_an_intake_that_was_kept_and_a_new_one_give_the_same(root: Root) -> None:
    kept, known = begun(root), begun(root).source
    add(root, Transcript(uuid_prefix="n").user("and?").says("more").bytes())

    # Only how long ago a state was written is not the same for both.
    stateless = [structs.replace(batch, state=b"") for _, batch in taken(root, known)]
    assert grown(root, kept) == stateless


def read_again(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Which parts of files are read to get a fold ready, in what follows."""
    found: list[tuple[int, int]] = []
    real = intake_module._lines_between

    def noted(path: str, start: int, end: int) -> Iterator[Line | LineSpan]:
        if start != end:
            found.append((start, end))
        return real(path, start, end)

    monkeypatch.setattr(intake_module, "_lines_between", noted)
    return found


def indexed(root: Root, store: Store, now: int = NOW) -> Batch:
    """Take in what is new, as a new process does."""
    known = store.sources()
    intake = Intake(only_file(root), known[0] if known else None, store)
    (batch,) = (batch for _, batch in intake.batches(now))
    store.commit([batch])
    return batch


def test_after_a_restart_nothing_is_read_again(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    store, parts = MemoryStore(), read_again(monkeypatch)
    indexed(root, store)
    add(root, Transcript(uuid_prefix="n").says("more").bytes())
    batch = indexed(root, store)

    assert parts == []
    assert batch.lines[0].line_number == 5
    assert batch.sessions[0].recent_output == "more"


def test_after_a_restart_only_what_came_since_the_state_is_read_again(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, parts = MemoryStore(), read_again(monkeypatch)
    intake = Intake(only_file(root), None, store)
    for text in ("a", "b"):
        store.commit(grown(root, intake))
        add(root, Transcript(uuid_prefix=text).says(text).bytes())
    store.commit(grown(root, intake))
    end = store.sources()[0].offset
    add(root, Transcript(uuid_prefix="c").says("c").bytes())
    indexed(root, store)

    assert parts == [(len(DATA), end)]


@pytest.mark.parametrize("trouble", ["none", "another version", "another generation"])
def test_without_a_state_of_ours_the_file_is_read_again(
    root: Root, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    store, parts = MemoryStore(), read_again(monkeypatch)
    indexed(root, store)
    states = {"none": None, "another version": (len(DATA), b"\x92\xc4\x00\xc0")}
    monkeypatch.setattr(store, "fold_state", lambda *_: states.get(trouble, (10**6, b"")))
    add(root, Transcript(uuid_prefix="n").says("more").bytes())
    batch = indexed(root, store)

    assert parts == [(0, len(DATA))]
    assert (batch.lines[0].line_number, batch.sessions[0].goal) == (5, "héllo 😀")


def test_a_state_is_written_once_a_second_or_after_many_bytes(root: Root) -> None:
    intake = Intake(only_file(root), None)

    def state(text: str, at: int) -> bytes:
        add(root, Transcript(uuid_prefix=text[:9]).says(text).bytes())
        intake.file = only_file(root)
        ((_, batch),) = intake.batches(NOW + at)
        return batch.state

    assert state("a", 0)
    assert not state("b", 999)
    assert state("c", 1_000)
    assert state("d" * 65_536, 1_001)


def test_a_file_that_nobody_writes_to_has_no_state(root: Root) -> None:
    day = 86_400
    age(Path(only_file(root).path), seconds=day + 1)
    ((_, old),) = taken(root)
    age(Path(only_file(root).path), seconds=day)
    ((_, new),) = taken(root)

    assert (old.state == b"", new.state == b"") == (True, False)


def test_an_unfinished_line_waits(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"user","uu', quiet=False)

    assert grown(root, intake) == []


def test_a_file_with_something_waiting_is_looked_at_again(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"mode"}\n{"type":"user","uu', quiet=False)
    (batch,) = grown(root, intake)

    assert batch.source.mtime_ns == 0


def test_a_whole_record_without_its_newline_is_shown_once_it_is_quiet(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"mode","mode":"plan"}')
    (batch,) = grown(root, intake)

    assert (batch.is_provisional, len(batch.lines)) == (True, 1)
    assert batch.source.offset == batch.begins == len(DATA)


def test_a_shown_line_is_not_shown_again_until_it_changes(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"mode","mode":"plan"}')
    grown(root, intake)

    assert grown(root, intake) == []


def test_a_shown_line_is_taken_in_when_its_newline_comes(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"mode","mode":"plan"}')
    (shown,) = grown(root, intake)
    add(root, b"\n")
    (batch,) = grown(root, intake)

    assert (batch.is_provisional, batch.lines) == (False, shown.lines)
    assert batch.source.lines == 5


def test_half_a_record_is_not_shown_and_not_asked_about_again(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"user","uu')
    (batch,) = grown(root, intake)

    assert (batch.lines, batch.bad, grown(root, intake)) == ([], [], [])


@pytest.mark.parametrize("rest", [b'{"type":"mode"}', b'{"type":"user","uu'])
def test_what_is_not_a_line_yet_is_archived_too(root: Root, rest: bytes) -> None:
    intake = begun(root)
    add(root, rest)
    intake.file = only_file(root)
    (((segment,), _),) = intake.batches(NOW)

    assert (segment.offset, unpacked(segment)) == (len(DATA), rest)


def test_an_unfinished_line_that_was_cut_off_leaves_the_archive(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"mode"}')
    grown(root, intake)
    write(root, DATA)
    intake.file = only_file(root)
    (((segment,), batch),) = intake.batches(NOW)

    assert (segment.offset, unpacked(segment), batch.lines) == (len(DATA), b"", [])


def test_a_shown_line_that_grows_into_no_record_is_taken_back(root: Root) -> None:
    intake = begun(root)
    add(root, b'{"type":"mode"}')
    grown(root, intake)
    add(root, b'{"torn')
    (batch,) = grown(root, intake)

    assert (batch.begins, batch.lines) == (len(DATA), [])


def test_a_file_that_was_only_touched_changes_nothing_but_its_time(root: Root) -> None:
    intake = begun(root)
    age(Path(only_file(root).path), seconds=60)
    (batch,) = grown(root, intake)

    assert (batch.lines, batch.source.mtime_ns) == ([], only_file(root).mtime_ns)


def test_an_empty_file_is_known_and_has_nothing(tmp_path: Path) -> None:
    ((segments, batch),) = taken(saved(tmp_path, Transcript()))

    assert (segments, batch.lines, batch.source.offset) == ([], [], 0)


def test_a_rewritten_file_begins_a_new_generation(root: Root) -> None:
    intake = begun(root)
    write(root, Transcript(uuid_prefix="x").user("another").bytes())
    (batch,) = grown(root, intake)

    assert (batch.source.generation, batch.begins) == (1, 0)
    assert (len(batch.lines), batch.source.lines) == (1, 1)


def test_a_file_cut_to_nothing_is_a_new_generation_without_lines(root: Root) -> None:
    intake = begun(root)
    write(root, b"")
    (batch,) = grown(root, intake)

    assert (batch.source.generation, batch.lines, batch.source.offset) == (1, [], 0)


def test_a_file_that_is_gone_gives_nothing(root: Root) -> None:
    file = only_file(root)
    os.unlink(file.path)

    assert list(Intake(file, None).batches(NOW)) == []


def test_a_file_that_is_back_is_gone_no_longer(root: Root) -> None:
    known = structs.replace(begun(root).source, gone_at=1)
    ((_, batch),) = taken(root, known)

    assert (batch.source.gone_at, batch.lines) == (None, [])


def test_a_large_file_comes_in_pieces_that_follow_on_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.intake.PIECE", 400)
    batches = [batch for _, batch in taken(saved(tmp_path, MADE))]

    assert [one.source.offset for one in batches[:-1]] == [one.begins for one in batches[1:]]
    assert len(batches) > 2


def test_until_all_of_a_file_is_taken_in_a_sweep_looks_at_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspool.engine.indexing.intake.PIECE", 400)
    times = [batch.source.mtime_ns for _, batch in taken(saved(tmp_path, MADE))]

    assert (set(times[:-1]), times[-1] > 0) == ({0}, True)


def test_a_legacy_agent_gets_its_session_when_its_first_line_names_one(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "p" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    ((_, before),) = taken(root_of(tmp_path))
    path.write_bytes(Transcript(session="s9", agent="a1").user("look").bytes())
    ((_, after),) = taken(root_of(tmp_path), before.source)

    assert (before.source.session_id, after.source.session_id) == ("", "s9")


def test_a_session_keeps_its_project_when_its_root_is_given_another_number(root: Root) -> None:
    known = begun(root).source
    add(root, b'{"type":"mode"}\n')
    file = structs.replace(only_file(root), project_id="r2~-repo")
    ((_, batch),) = Intake(file, known).batches(NOW)

    (session,) = batch.sessions
    assert (batch.source.project_id, session.project_id) == ("-repo", "-repo")


@given(st.lists(st.integers(0, len(DATA)), max_size=6), st.booleans())
def test_the_pieces_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], restarted: bool
) -> None:
    root = saved(tmp_path_factory.mktemp("pieces"), Transcript())
    intake, lines, last = Intake(only_file(root), None), list[StoredLine](), None
    for start, end in pairwise([0, *sorted(cuts), len(DATA)]):
        add(root, DATA[start:end])
        known = intake.source if restarted else None
        intake = Intake(only_file(root), known) if restarted else intake
        for last in grown(root, intake):
            lines += [] if last.is_provisional else last.lines
    whole = saved(tmp_path_factory.mktemp("whole"), MADE)
    ((_, expected),) = taken(whole)

    assert [structs.replace(line, line_id=0) for line in lines] == [
        structs.replace(line, line_id=0) for line in expected.lines
    ]
    assert last is not None
    (session,) = expected.sessions
    assert last.sessions == [structs.replace(session, transcript_path=intake.file.path)]
