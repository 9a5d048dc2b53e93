from pathlib import Path

import pytest

from unspool.engine.indexing.segments import PIECE, long_line_segments, runs, segments
from unspool.errors import SourceError
from unspool.model.files import TailState
from unspool.source import tail
from unspool.store.pack import unpacked


def test_a_piece_is_one_segment_of_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"one\ntwo\nthr")
    (made,) = segments(7, tail.read(path, TailState()))

    assert (made.source_id, made.offset, made.end, unpacked(made)) == (7, 0, 8, b"one\ntwo\n")


def test_a_line_too_long_to_hold_is_archived_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x" * 100 + b"\nnext\n")
    piece = tail.read(path, TailState(), max_line=50)
    (made,) = long_line_segments(7, piece, str(path))

    assert unpacked(made) == b"x" * 100 + b"\n"
    assert segments(7, piece) == []


def test_no_segment_is_larger_than_a_piece(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x" * (PIECE + 5))
    places = [(made.offset, made.end) for made in runs(str(path), 7, 0, 2, PIECE + 5)]

    assert places == [(2, PIECE + 2), (PIECE + 2, PIECE + 5)]


def test_a_file_that_shrinks_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"short")

    with pytest.raises(SourceError, match="shrank"):
        list(runs(str(path), 7, 0, 0, 99))
