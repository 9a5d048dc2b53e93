from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from unspool.model.rows import Segment
from unspool.store.pack import is_whole, packed, sliced, unpacked


@given(st.binary(min_size=1), st.integers(0, 10**6))
def test_bytes_come_back(data: bytes, offset: int) -> None:
    segment = packed(1, 0, offset, data)

    assert (segment.offset, segment.end) == (offset, offset + len(data))
    assert unpacked(segment) == data


def test_one_changed_byte_is_noticed() -> None:
    segment = packed(1, 0, 0, b"line\n" * 50)
    damaged = replace(segment, packed=segment.packed[:-1] + b"\x00")

    assert (is_whole(segment), is_whole(damaged), unpacked(damaged)) == (True, False, None)


def test_bytes_that_were_never_packed_are_none() -> None:
    segment = packed(1, 0, 0, b"line\n")
    other = packed(1, 0, 0, b"longer line\n")

    assert unpacked(replace(other, end=5)) is None
    assert unpacked(replace(segment, end=9)) is None


def test_bytes_that_are_no_frame_are_none() -> None:
    segment = Segment(1, 0, 0, 5, crc32(b"no frame"), b"no frame")

    assert (is_whole(segment), unpacked(segment), sliced([segment], 0, 5)) == (True, None, None)


def test_a_slice_needs_every_byte() -> None:
    pieces = [packed(1, 0, 0, b"abc"), packed(1, 0, 3, b"def"), packed(1, 0, 9, b"x")]

    assert (sliced(pieces, 1, 4), sliced(pieces, 4, 4), sliced(pieces, 2, 0)) == (
        b"bcde",
        None,
        b"",
    )


def test_overlapping_segments_are_not_read_twice() -> None:
    pieces = [packed(1, 0, 0, b"abcd"), packed(1, 0, 2, b"cdef")]

    assert sliced(pieces, 0, 6) == b"abcdef"
