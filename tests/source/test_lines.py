from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from unspool.model.files import LineSpan
from unspool.source.lines import Line, LineBuffer, scan, split

TEXT = st.binary(max_size=80).map(lambda data: data.replace(b"a", b"\n"))


def fed(pieces: list[bytes], max_line: int = 1000) -> list[Line | LineSpan]:
    buffer = LineBuffer(max_line_bytes=max_line)
    return [line for piece in pieces for line in buffer.feed(piece)]


def test_a_line_is_its_offset_and_its_length_without_the_newline() -> None:
    assert list(scan(b"ab\n\ncd\n", 10)) == [(10, 2), (13, 0), (14, 2)]


def test_an_unfinished_line_is_not_a_line() -> None:
    assert list(split(b"ab\ncd", 5)) == [(5, b"ab")]


def test_only_the_newline_byte_ends_a_line() -> None:
    data = "a\u2028b\rc\x0bd\x85".encode() + b"\n"

    assert list(split(data)) == [(0, data[:-1])]


def test_the_pending_part_is_counted_from_the_last_newline() -> None:
    buffer = LineBuffer()
    buffer.feed(b"one\ntw")

    assert buffer.pending == 2


def test_a_buffer_goes_on_from_the_offset_it_was_given() -> None:
    buffer = LineBuffer(100)

    assert buffer.feed(b"x\ny\n") == [(100, b"x"), (102, b"y")]


def test_a_line_of_the_longest_length_is_still_a_line() -> None:
    assert fed([b"abcd\n"], max_line=4) == [(0, b"abcd")]


def test_a_longer_line_is_its_place_and_the_next_one_a_line_again() -> None:
    assert fed([b"abc", b"de\nfg\n"], max_line=4) == [LineSpan(0, 5), (6, b"fg")]


def test_a_longer_line_is_not_kept_in_memory() -> None:
    buffer = LineBuffer(max_line_bytes=10)
    for _ in range(100):
        buffer.feed(b"x" * 10)

    assert sum(map(len, buffer._parts)) == 0


@given(TEXT, st.lists(st.integers(0, 80), max_size=8))
def test_the_pieces_do_not_matter(whole: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]

    assert fed([whole[a:b] for a, b in pairwise(edges)]) == list(split(whole))


@given(TEXT)
def test_lines_and_newlines_together_are_the_bytes(whole: bytes) -> None:
    lines = [line for _, line in split(whole)]

    assert b"".join(line + b"\n" for line in lines) == whole[: whole.rfind(b"\n") + 1]
