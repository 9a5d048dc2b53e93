import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.ingest.claims import (
    BEGAN,
    COPIED,
    HEAD,
    UNKNOWN,
    Start,
    claim,
    is_foreign,
    rank,
    ranked_at,
    start,
)

QUEUED = b'{"type":"queue-operation","operation":"enqueue"}\n'
ANSWER = b'{"type":"assistant"}\n'
PROGRAM = b'{"type":"user","entrypoint":"sdk-cli"}\n'
OTHER = b'{"type":"user","text":"say \\"queue-operation\\""}\n'


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (QUEUED + ANSWER, BEGAN),
        (PROGRAM + QUEUED, BEGAN),
        (PROGRAM + ANSWER + QUEUED, COPIED),
        (ANSWER + QUEUED, UNKNOWN),
        (OTHER + ANSWER, UNKNOWN),
        (QUEUED[:-1], UNKNOWN),
        (b"x" * HEAD + b"\n" + QUEUED, UNKNOWN),
        (b"", UNKNOWN),
    ],
)
def test_the_first_lines_tell_whether_a_session_began_here(data: bytes, found: int) -> None:
    assert start(data) == found


@given(
    st.lists(st.sampled_from([QUEUED, ANSWER, PROGRAM, OTHER, b"x" * 30_000 + b"\n"]), max_size=6)
)
def test_line_by_line_the_head_says_the_same(lines: list[bytes]) -> None:
    told, offset = Start(), 0
    for line in lines:
        if told.is_open:
            told.feed(offset, line[:-1])
        offset += len(line)

    assert told.found == start(b"".join(lines))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((False, 5, False, False, BEGAN), (False, 5, False, False, UNKNOWN)),
        ((False, 5, False, False, UNKNOWN), (False, 5, False, False, COPIED)),
        ((False, 5, False, False, COPIED), (False, 5, False, True, BEGAN)),
        ((False, 5, False, True, COPIED), (False, 5, True, False, BEGAN)),
        ((False, 5, True, True, COPIED), (False, 6, False, False, BEGAN)),
        ((False, 6, True, True, COPIED), (False, None, False, False, BEGAN)),
        ((False, None, True, True, COPIED), (True, 5, False, False, BEGAN)),
    ],
)
def test_mark_then_time_then_thread_then_start_decide(
    better: tuple[bool, int | None, bool, bool, int],
    worse: tuple[bool, int | None, bool, bool, int],
) -> None:
    assert claim(*better) < claim(*worse)


def test_a_line_without_a_session_is_at_home() -> None:
    assert [is_foreign(said, "s1") for said in (None, "", "s1", "s2")] == [
        False,
        False,
        False,
        True,
    ]
    assert not is_foreign("s2", "")


@pytest.mark.parametrize("at", [None, 0, 1_790_000_000_000])
def test_a_rank_tells_the_time_it_was_made_for(at: int | None) -> None:
    assert ranked_at(rank(7, False, True, at)) == at
