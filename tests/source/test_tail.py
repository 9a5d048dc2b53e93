import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.errors import NotFound, SourceError
from unspool.model.files import LineSpan, TailRead, TailState
from unspool.source.tail import Line, read, split_lines, unfinished_line, verify

Make: TypeAlias = Callable[[Path], None]

WHOLE = "".join(f'{{"n":{n},"text":"héé😀 {"x" * (n % 7)}"}}\n\n' for n in range(30)).encode()
BIG = b"".join(b'{"n":%07d,"text":"%s"}\n' % (n, b"x" * 200) for n in range(1000))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> pytest.TempPathFactory:
    return tmp_path_factory


def append(path: Path, data: bytes) -> None:
    with open(path, "ab") as file:
        file.write(data)


def after(path: Path, data: bytes) -> TailState:
    path.write_bytes(data)
    return read(path, TailState()).state


def overwrite(path: Path, offset: int, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def drained(path: Path, limit: int, max_line: int = 1 << 20) -> list[Line | LineSpan]:
    found: list[Line | LineSpan] = []
    piece = TailRead(TailState(), 0, 0, more=True)
    while piece.more:
        piece = read(path, piece.state, limit=limit, max_line=max_line)
        found += [*split_lines(piece.data, piece.base), *piece.oversize]
    return found


def test_a_first_read_gives_the_whole_lines(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthr")
    piece = read(path, TailState())

    assert (piece.base, piece.data, piece.reset) == (0, b"one\ntwo\n", False)
    assert (piece.state.offset, piece.state.pending, piece.more) == (8, 3, False)


def test_a_second_read_gives_only_what_came_since(path: Path) -> None:
    state = after(path, b"one\n")
    append(path, b"two\n")
    piece = read(path, state)

    assert (piece.base, piece.data, piece.generation) == (4, b"two\n", 0)


def test_a_file_that_did_not_grow_gives_nothing_and_changes_nothing(path: Path) -> None:
    state = after(path, b"one\ntw")

    assert read(path, state) == TailRead(state, 0, 4)


# devtools 114
def test_a_partial_line_waits_and_comes_once_when_it_is_whole(path: Path) -> None:
    state = after(path, b'{"a":1}\n{"b"')
    append(path, b":2}\n")

    assert read(path, state).data == b'{"b":2}\n'


# devtools 119
@given(st.lists(st.integers(0, len(WHOLE)), max_size=12))
def test_the_pieces_do_not_matter(folders: pytest.TempPathFactory, cuts: list[int]) -> None:
    path, state = folders.mktemp("grow") / "s.jsonl", TailState()
    lines: list[Line] = []
    for start, end in pairwise([0, *sorted(cuts), len(WHOLE)]):
        append(path, WHOLE[start:end])
        piece = read(path, state)
        lines += split_lines(piece.data, piece.base)
        state = piece.state

    assert lines == list(split_lines(WHOLE))


@given(st.integers(1, 300), st.integers(1, 100))
def test_the_size_of_a_read_does_not_matter(
    folders: pytest.TempPathFactory, limit: int, max_line: int
) -> None:
    path = folders.mktemp("read") / "s.jsonl"
    path.write_bytes(WHOLE)

    lines = [
        LineSpan(at, len(line)) if len(line) > max_line else (at, line)
        for at, line in split_lines(WHOLE)
    ]
    assert drained(path, limit, max_line) == lines


def test_a_file_taken_in_pieces_ends_in_the_state_of_one_taken_at_once(path: Path) -> None:
    path.write_bytes(BIG)
    piece = read(path, TailState(), limit=1000)
    while piece.more:
        piece = read(path, piece.state, limit=1000)

    at_once = read(path, TailState()).state
    assert piece.state == at_once


# devtools 118
def test_a_file_rewritten_smaller_is_read_again_as_a_new_generation(path: Path) -> None:
    state = after(path, b"one\ntwo\n")
    path.write_bytes(b"new\n")
    piece = read(path, state)

    assert (piece.reset, piece.generation, piece.base, piece.data) == (True, 1, 0, b"new\n")


def test_a_file_emptied_is_a_new_generation_without_lines(path: Path) -> None:
    state = after(path, b"one\n")
    os.truncate(path, 0)
    piece = read(path, state)

    assert (piece.reset, piece.data, piece.state.offset) == (True, b"", 0)
    assert not read(path, piece.state).reset


def test_a_file_cut_and_regrown_past_the_offset_is_read_again(path: Path) -> None:
    state = after(path, BIG)
    os.truncate(path, 5000)
    append(path, b"other\n" * 60_000)
    piece = read(path, state)

    assert (piece.reset, piece.data) == (True, path.read_bytes())


def test_another_head_under_the_same_tail_is_another_file(path: Path) -> None:
    state = after(path, BIG)
    overwrite(path, 0, b"#")
    append(path, b"more\n")

    assert read(path, state).reset


def test_an_edit_near_the_offset_is_seen_when_more_comes(path: Path) -> None:
    state = after(path, BIG)
    overwrite(path, len(BIG) - 3000, b"#")
    append(path, b"more\n")

    assert read(path, state).reset


def test_a_middle_edit_of_the_same_length_is_seen_by_the_time_it_leaves(path: Path) -> None:
    state = after(path, BIG)
    overwrite(path, 70_000, b"#")
    os.utime(path, (0, 0))

    assert read(path, state).reset
    assert not verify(path, state)


def test_a_file_that_was_only_touched_is_the_same(path: Path) -> None:
    state = after(path, BIG)
    os.utime(path, (0, 0))
    piece = read(path, state)

    assert (piece.reset, piece.data, piece.state.mtime_ns) == (False, b"", 0)


def test_a_middle_edit_that_leaves_no_time_is_found_by_verifying(path: Path) -> None:
    state = after(path, BIG)
    before = path.stat()
    overwrite(path, 70_000, b"#")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert not read(path, state, is_proven=False).reset
    assert not verify(path, state)


@pytest.mark.parametrize("is_proven", [True, False])
def test_a_middle_edit_of_a_file_that_grew_is_seen_where_nobody_watched(
    path: Path, is_proven: bool
) -> None:
    state = after(path, BIG)
    overwrite(path, 70_000, b"#")
    append(path, b"more\n")
    os.utime(path, (0, 0))

    assert read(path, state, is_proven=is_proven).reset is not is_proven


def test_a_file_that_only_grew_verifies(path: Path) -> None:
    state = after(path, BIG)
    append(path, b"more\nand")

    assert verify(path, state)
    assert verify(path, TailState())


def test_a_shorter_file_does_not_verify(path: Path) -> None:
    state = after(path, BIG)
    os.truncate(path, 100_000)

    assert not verify(path, state)


def test_the_same_bytes_under_a_new_inode_are_the_same_generation(path: Path) -> None:
    state = after(path, BIG)
    copy = path.with_name("copy")
    copy.write_bytes(BIG + b"more\n")
    os.replace(copy, path)
    piece = read(path, state)

    assert (piece.reset, piece.data) == (False, b"more\n")
    assert piece.state.inode == path.stat().st_ino != state.inode


def test_a_replacement_that_differs_only_in_the_middle_is_a_new_generation(path: Path) -> None:
    state = after(path, BIG)
    copy = path.with_name("copy")
    copy.write_bytes(BIG[:70_000] + b"#" + BIG[70_001:] + b"more\n")
    os.replace(copy, path)

    assert read(path, state).reset


def test_a_new_file_on_a_used_inode_is_never_skipped(path: Path) -> None:
    state = TailState()
    for number in range(50):
        path.unlink(missing_ok=True)
        path.write_bytes(b"file %05d\n" % number)
        piece = read(path, state)
        state = piece.state

        assert piece.data == b"file %05d\n" % number


def test_a_missing_file_is_gone_and_its_state_kept(path: Path) -> None:
    state = after(path, b"one\n")
    path.unlink()

    assert read(path, state) == TailRead(state, 0, 4, gone=True)


def test_a_file_that_comes_back_the_same_goes_on(path: Path) -> None:
    state = after(path, b"one\n")
    path.unlink()
    gone = read(path, state)
    path.write_bytes(b"one\ntwo\n")

    assert read(path, gone.state).data == b"two\n"


def test_verifying_a_missing_file_says_it_is_gone(path: Path) -> None:
    with pytest.raises(NotFound):
        verify(path, TailState())


def test_the_unfinished_line_can_be_had_without_taking_it(path: Path) -> None:
    state = after(path, b'one\n{"whole":1}')

    assert unfinished_line(path, state) == b'{"whole":1}'
    assert read(path, state).state.offset == 4


def test_there_is_no_unfinished_line_where_none_is(path: Path) -> None:
    state = after(path, b"one\n")
    assert unfinished_line(path, state) is None

    append(path, b"two\nthree")
    assert unfinished_line(path, state) is None
    path.unlink()
    assert unfinished_line(path, state) is None


def test_an_unfinished_line_too_long_to_hold_is_not_given(path: Path) -> None:
    state = after(path, b"12345")

    assert unfinished_line(path, state, max_line=4) is None
    assert unfinished_line(path, state, max_line=5) == b"12345"


def test_an_oversize_line_is_its_place_and_the_rest_goes_on(path: Path) -> None:
    path.write_bytes(b"a\n" + b"x" * 3_000_000 + b"\nb\n")

    assert drained(path, 1000, 100_000) == [(0, b"a"), LineSpan(2, 3_000_000), (3_000_003, b"b")]


def test_a_line_one_byte_too_long_is_oversize(path: Path) -> None:
    path.write_bytes(b"x" * 100 + b"\n" + b"y" * 101 + b"\n")

    for limit in (50, 1000):
        assert drained(path, limit, 100) == [(0, b"x" * 100), LineSpan(101, 101)]


def test_a_line_longer_than_one_read_comes_whole(path: Path) -> None:
    path.write_bytes(b"x" * 3_000_000 + b"\nb\n")

    assert drained(path, 1000, 4_000_000) == [(0, b"x" * 3_000_000), (3_000_001, b"b")]


def test_an_oversize_line_is_verified_like_any_other(path: Path) -> None:
    path.write_bytes(b"x" * 3_000_000 + b"\n")
    state = read(path, TailState(), max_line=1000).state
    assert verify(path, state)

    overwrite(path, 1_500_000, b"#")
    assert not verify(path, state)


def test_a_long_line_that_grows_is_not_read_from_its_start_again(path: Path) -> None:
    state = after(path, b"x" * 300_000)
    overwrite(path, 200_000, b"\n")
    append(path, b"x" * 10)
    assert read(path, state).state.pending == 300_010

    append(path, b"\n")
    assert len(list(split_lines(read(path, state).data))) == 2


def test_an_unfinished_line_cut_short_is_looked_at_anew(path: Path) -> None:
    state = after(path, b"one\n" + b"x" * 300_000)
    os.truncate(path, 100_000)
    append(path, b"\n")

    assert read(path, state).data == b"x" * 99_996 + b"\n"


def test_an_unfinished_line_is_looked_at_anew_in_a_replacement(path: Path) -> None:
    state = after(path, b"one\n" + b"x" * 300_000)
    copy = path.with_name("copy")
    copy.write_bytes(b"one\ntwo\n" + b"x" * 300_000)
    os.replace(copy, path)

    assert read(path, state).data == b"two\n"


def test_an_append_costs_the_same_however_long_the_file(tmp_path: Path) -> None:
    """Bytes read, not seconds: counted by the kernel for this process."""
    costs = []
    for name, size in (("small", 1), ("large", 30)):
        path = tmp_path / name
        state = after(path, BIG * size)
        append(path, b"more\n")
        start = bytes_read()
        read(path, state)
        costs.append(bytes_read() - start)

    assert abs(costs[1] - costs[0]) <= 2 * 65_536


def bytes_read() -> int:
    counters = Path("/proc/self/io")
    if not counters.exists():
        pytest.skip("this system does not count the bytes a process reads")
    return int(counters.read_text().split("rchar: ")[1].split()[0])


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_regular_file_is_refused_without_waiting(path: Path, make: Make) -> None:
    make(path)

    with pytest.raises(SourceError, match="not a regular file"):
        read(path, TailState())


def test_a_file_that_cannot_be_read_says_so_in_a_sentence(path: Path) -> None:
    path.write_bytes(b"")

    with pytest.raises(SourceError, match=r"^Cannot read .*: Not a directory\. Check"):
        read(path / "below", TailState())
