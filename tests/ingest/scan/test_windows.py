from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.ingest.scan.windows import windows
from unspool.source.reader import FileLines


def seen(path: Path, data: bytes, start: int = 0, **sizes: int) -> list[tuple[int, bytes]]:
    path.write_bytes(data)
    with FileLines(path) as file:
        found = windows(file, start, len(data), **sizes)
        return [(base, piece[:stop]) for base, piece, stop in found]


@given(data=st.text("ab\n", max_size=60).map(str.encode), size=st.integers(1, 20))
def test_windows_hold_every_byte_once_and_end_with_a_line(
    data: bytes, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = seen(tmp_path_factory.getbasetemp() / "file", data, window=size)

    assert b"".join(piece for _, piece in found) == data
    assert all(data[at : at + len(piece)] == piece for at, piece in found)
    assert all(piece.endswith(b"\n") for _, piece in found[:-1])


def test_a_window_begins_where_it_is_told_to(tmp_path: Path) -> None:
    assert seen(tmp_path / "file", b"one\ntwo\n", 4) == [(4, b"two\n")]


def test_a_line_longer_than_a_window_comes_whole(tmp_path: Path) -> None:
    long = b"x" * 50 + b"\n"

    assert seen(tmp_path / "file", b"a\n" + long + b"b\n", window=8) == [
        (0, b"a\n"),
        (2, long),
        (53, b"b\n"),
    ]


@pytest.mark.parametrize("ending", [b"\n", b"\nb\n", b""])
def test_a_line_longer_than_a_line_may_be_is_left_out(tmp_path: Path, ending: bytes) -> None:
    found = seen(tmp_path / "file", b"a\n" + b"x" * 50 + ending, window=8, longest=40)

    assert [piece for _, piece in found] == [b"a\n"] + [b"b\n"] * (b"b" in ending)


def test_a_line_as_long_as_a_line_may_be_is_kept(tmp_path: Path) -> None:
    assert seen(tmp_path / "file", b"x" * 40 + b"\n", longest=40) == [(0, b"x" * 40 + b"\n")]
    assert seen(tmp_path / "file", b"x" * 40, longest=40) == [(0, b"x" * 40)]


def test_a_file_that_shrank_meanwhile_ends_where_it_ends(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\n")
    with FileLines(tmp_path / "file") as file:
        assert [*windows(file, 0, 100)] == [(0, b"one\n", 4)]
