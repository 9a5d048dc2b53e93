"""Reading begins near the end of a file: what comes earlier is not looked at."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.model.files import TailRead, TailState
from unspool.source.tail import BLOCK, near_end, read, split_lines, verify

LINES = [b'{"n":%05d,"text":"%s"}' % (n, b"x" * (n * 37 % 900)) for n in range(1_500)]
WHOLE = b"\n".join([*LINES, b""])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tail") / "s.jsonl"
    made.write_bytes(WHOLE)
    return made


def before(path: Path, state: TailState, end: int) -> list[bytes]:
    """The lines that begin before a place, read from a state on."""
    found: list[bytes] = []
    piece = TailRead(state, 0, 0, more=True)
    while piece.more:
        piece = read(path, piece.state, limit=100_000)
        assert not piece.reset
        found += [line for offset, line in split_lines(piece.data, piece.base) if offset < end]
    return found


@given(end=st.integers(0, len(WHOLE)), count=st.integers(0, 100))
def test_it_begins_so_many_whole_lines_before_a_place(path: Path, end: int, count: int) -> None:
    state = near_end(path, end, count)
    whole = WHOLE[:end].count(b"\n")
    is_cut = end > 0 and not WHOLE[:end].endswith(b"\n")
    found = before(path, state, end)

    assert found == LINES[whole + is_cut - len(found) : whole + is_cut]
    if state.offset:
        assert len(found) == count + is_cut
    else:
        assert len(found) == whole + is_cut


def test_the_beginning_of_a_long_file_is_not_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, pread = list[tuple[int, int]](), os.pread

    def noting(fd: int, length: int, offset: int) -> bytes:
        places.append((offset, length))
        return pread(fd, length, offset)

    monkeypatch.setattr(os, "pread", noting)
    state = near_end(path, len(WHOLE), 10)
    read(path, state)
    early = sum(length for offset, length in places if offset < len(WHOLE) - 3 * BLOCK)

    assert early <= 4_096  # the head, by which a file is known


def test_what_was_read_is_verified_from_where_reading_began(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(WHOLE)
    state = read(path, near_end(path, len(WHOLE), 300)).state
    assert verify(path, state)
    path.write_bytes(WHOLE.replace(b'"n":01490', b'"n":99999'))

    assert not verify(path, state)
    assert read(path, state).reset


def test_a_copy_in_its_place_is_read_on(tmp_path: Path) -> None:
    path, copy = tmp_path / "s.jsonl", tmp_path / "copy"
    path.write_bytes(WHOLE)
    state = read(path, near_end(path, len(WHOLE), 300)).state
    copy.write_bytes(WHOLE + b"more\n")
    copy.replace(path)
    piece = read(path, state)

    assert (piece.data, piece.reset) == (b"more\n", False)


def test_a_file_that_is_gone_has_no_end(tmp_path: Path) -> None:
    assert near_end(tmp_path / "none", 1_000, 10) == TailState()
