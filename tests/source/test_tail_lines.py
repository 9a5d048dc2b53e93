from functools import reduce
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from unspool.model.files import LineSpan, TailState
from unspool.source.tail import (
    BLOCK,
    Line,
    LineBuffer,
    OpenBlock,
    advance,
    fold,
    line_spans,
    restart,
    split_lines,
)

TEXT = st.binary(max_size=80).map(lambda data: data.replace(b"a", b"\n"))


def fed(pieces: list[bytes], max_line: int = 1000) -> list[Line | LineSpan]:
    buffer = LineBuffer(max_line_bytes=max_line)
    return [line for piece in pieces for line in buffer.feed(piece)]


def test_a_line_is_its_offset_and_its_length_without_the_newline() -> None:
    assert list(line_spans(b"ab\n\ncd\n", 10)) == [(10, 2), (13, 0), (14, 2)]


def test_an_unfinished_line_is_not_a_line() -> None:
    assert list(split_lines(b"ab\ncd", 5)) == [(5, b"ab")]


def test_only_the_newline_byte_ends_a_line() -> None:
    data = "a\u2028b\rc\x0bd\x85".encode() + b"\n"

    assert list(split_lines(data)) == [(0, data[:-1])]


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

    assert fed([whole[a:b] for a, b in pairwise(edges)]) == list(split_lines(whole))


@given(TEXT)
def test_lines_and_newlines_together_are_the_bytes(whole: bytes) -> None:
    lines = [line for _, line in split_lines(whole)]

    assert b"".join(line + b"\n" for line in lines) == whole[: whole.rfind(b"\n") + 1]


WHOLE = bytes(range(251)) * 1100  # four blocks and a bit


def consumed(pieces: list[bytes]) -> TailState:
    state, before = TailState(), b""
    for piece in pieces:
        state = advance(state, before, piece)
        before = b"".join(pieces)[state.offset - state.offset % BLOCK : state.offset]
    return state


@given(st.lists(st.integers(1, len(WHOLE) - 1), max_size=5, unique=True))
def test_the_pieces_do_not_matter_to_the_chain(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(WHOLE)]
    state = consumed([WHOLE[a:b] for a, b in pairwise(edges)])
    at_once = consumed([WHOLE])

    assert (state.chain, state.open_hash) == (at_once.chain, at_once.open_hash)
    assert (state.offset, state.head_hash) == (at_once.offset, at_once.head_hash)


def test_the_head_grows_to_a_kibibyte_and_stays() -> None:
    lengths = [consumed([b"x" * 1000]), consumed([b"x" * 1000, b"y" * 1000, b"z"])]

    assert [state.head_len for state in lengths] == [1000, 1024]
    assert lengths[1].head_hash == consumed([b"x" * 1000 + b"y" * 24]).head_hash


def test_the_mark_is_the_last_bytes_before_the_offset() -> None:
    in_two, at_once = consumed([b"a" * 70, b"bcd"]), consumed([b"a" * 70 + b"bcd"])

    assert (in_two.mark_len, in_two.mark_hash) == (64, at_once.mark_hash)


def test_every_block_hangs_on_those_before_it() -> None:
    blocks = [b"a" * BLOCK, b"b" * BLOCK]
    chains = [
        reduce(lambda chain, block: fold(chain, b"", block)[0], order, b"")
        for order in (blocks, blocks[::-1])
    ]

    assert chains[0] != chains[1]


def test_a_new_generation_remembers_nothing_but_its_number() -> None:
    assert restart(consumed([b"x\n"])) == TailState(generation=1)


@given(st.lists(st.integers(1, 40_000), min_size=1, max_size=12))
def test_a_block_that_is_hashed_once_comes_to_the_same(lengths: list[int]) -> None:
    edges = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    whole = (WHOLE * 2)[: edges[-1]]
    state = TailState()
    for begin, end in pairwise(edges):
        before, data = whole[begin - begin % BLOCK : begin], whole[begin:end]
        chained = advance(state, before, data)

        assert OpenBlock(before).advance(state, data) == chained
        state = chained
