from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.msgpack import decode

from tests.engine.indexing.roots import batch_of
from unspool.demo import Transcript
from unspool.engine.indexing.replay import DAMAGED, Replay, file_of
from unspool.model.files import TailState
from unspool.model.message import LinkFacts
from unspool.model.rows import Batch, Segment, SourceRow
from unspool.model.sidecars import AgentMeta
from unspool.source import tail
from unspool.store.pack import packed

MADE = Transcript().user("héllo").calls("Bash", command="ls").returns("a").says("bye")
DATA = MADE.bytes()
ENDS = [at + 1 for at, byte in enumerate(DATA) if byte == 10]
SOURCE = SourceRow(
    source_id=7, root="/r", path="s1.jsonl", kind="main", project_id="-repo", session_id="s1"
)


def cut(*ends: int, data: bytes = DATA) -> list[Segment]:
    return [packed(7, 0, start, data[start:end]) for start, end in pairwise([0, *ends])]


def played(segments: list[Segment], source: SourceRow = SOURCE) -> list[Batch]:
    return list(Replay(source).batches(segments))


@given(st.lists(st.sampled_from(ENDS), max_size=3))
def test_however_it_was_cut_a_replay_gives_the_rows_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, ends: list[int]
) -> None:
    read = batch_of(tmp_path_factory.mktemp("replay"), MADE)
    (batch,) = played(cut(*sorted({*ends, len(DATA)})), read.source)

    assert (batch.lines, batch.texts, batch.calls) == (read.lines, read.texts, read.calls)
    assert (batch.sessions, batch.facts) == (read.sessions, read.facts)
    assert (batch.source.offset, batch.source.lines) == (len(DATA), 4)


def test_what_it_remembers_of_the_file_is_what_a_reader_would(tmp_path: Path) -> None:
    data = DATA * 300
    path = tmp_path / "s1.jsonl"
    path.write_bytes(data)
    half = 150 * len(DATA)
    state = played(cut(half, len(data), data=data))[-1].source.tail
    read = tail.read(path, TailState()).state

    assert structs.replace(state, inode=read.inode) == structs.replace(
        read, size_seen=0, mtime_ns=0
    )
    assert tail.verify(path, state)


def test_a_sweep_will_look_at_the_file() -> None:
    assert played(cut(len(DATA)))[-1].source.mtime_ns == 0


def test_a_generation_without_bytes_is_known_too() -> None:
    (batch,) = played([], structs.replace(SOURCE, generation=2))

    assert (batch.lines, batch.source.generation) == ([], 2)


@pytest.mark.parametrize("is_missing", [True, False])
def test_a_damaged_stretch_is_noted_and_the_rest_is_read(is_missing: bool) -> None:
    first, second, third = cut(ENDS[0], ENDS[1], len(DATA))
    broken = [] if is_missing else [structs.replace(second, packed=second.packed[:-1])]
    (batch,) = played([first, *broken, third])

    assert [(bad.offset, bad.length, bad.reason) for bad in batch.bad] == [
        (ENDS[0], ENDS[1] - ENDS[0] - 1, DAMAGED)
    ]
    assert [line.offset for line in batch.lines] == [0, ENDS[1], ENDS[2]]


def test_nothing_proves_a_file_to_be_one_that_was_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(DATA)
    _, second = cut(ENDS[0], len(DATA))
    state = played([second])[-1].source.tail

    assert tail.read(path, state).reset


def test_segments_that_overlap_give_each_line_once() -> None:
    first, whole = packed(7, 0, 0, DATA[: ENDS[2]]), packed(7, 0, ENDS[0], DATA[ENDS[0] :])
    (batch,) = played([first, whole])

    assert [line.offset for line in batch.lines] == [0, *ENDS[:-1]]


def test_a_line_too_long_to_hold_is_put_together_and_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unspool.source.tail.LineBuffer.__init__.__defaults__", (0, 50))
    data = b"x" * 100 + b"\n"
    (batch,) = played(cut(40, 80, 101, data=data))

    assert [(bad.offset, bad.length) for bad in batch.bad] == [(0, 100)]


def test_a_line_that_never_got_its_newline_is_shown_and_not_passed() -> None:
    batch, last = played(cut(ENDS[2], len(DATA) - 1))

    assert (last.is_provisional, last.begins, len(last.lines)) == (True, ENDS[2], 1)
    assert last.source.offset == batch.source.offset == ENDS[2]
    assert (last.source.lines, last.lines[0].line_number) == (3, 4)


def test_half_a_line_at_the_end_is_not_shown() -> None:
    (batch,) = played(cut(ENDS[2], len(DATA) - 5))

    assert (len(batch.lines), batch.source.offset) == (3, ENDS[2])


def test_an_end_that_was_cut_off_again_is_nothing() -> None:
    (batch,) = played([*cut(ENDS[2]), packed(7, 0, ENDS[2], b"")])

    assert (len(batch.lines), batch.source.offset) == (3, ENDS[2])


def test_much_is_given_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unspool.engine.indexing.replay.PIECE", 300)
    batches = played(cut(*ENDS))

    assert len(batches) > 1
    assert [one.source.offset for one in batches[:-1]] == [one.begins for one in batches[1:]]


def test_a_sidecar_that_is_gone_is_remembered(tmp_path: Path) -> None:
    source = structs.replace(SOURCE, root=str(tmp_path), kind="subagent", agent_id="a1")
    meta = AgentMeta(agent_type="scout")
    (batch,) = Replay(source, meta).batches(cut(len(DATA)))

    assert decode(batch.facts, type=LinkFacts).meta == meta


def test_a_source_is_the_file_it_was_made_from(tmp_path: Path) -> None:
    source = batch_of(tmp_path, MADE).source
    file = file_of(source)

    assert (file.path, file.size) == (f"{tmp_path}/projects/-repo/s1.jsonl", len(DATA))
    assert (file.session_id, file.agent_id) == ("s1", None)
