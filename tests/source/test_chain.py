from functools import reduce
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from unspool.model.files import TailState
from unspool.source.chain import BLOCK, Block, advanced, fold, restarted

WHOLE = bytes(range(251)) * 1100  # four blocks and a bit


def consumed(pieces: list[bytes]) -> TailState:
    state, before = TailState(), b""
    for piece in pieces:
        state = advanced(state, before, piece)
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
    assert restarted(consumed([b"x\n"])) == TailState(generation=1)


@given(st.lists(st.integers(1, 40_000), min_size=1, max_size=12))
def test_a_block_that_is_hashed_once_comes_to_the_same(lengths: list[int]) -> None:
    edges = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    whole = (WHOLE * 2)[: edges[-1]]
    state = TailState()
    for begin, end in pairwise(edges):
        before, data = whole[begin - begin % BLOCK : begin], whole[begin:end]
        chained = advanced(state, before, data)

        assert Block(before).advanced(state, data) == chained
        state = chained
