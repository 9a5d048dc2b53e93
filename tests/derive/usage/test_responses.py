"""Which line of a response counts, and whose it is, whatever order the lines come in."""

from functools import reduce
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.usage.responses import (
    BEGAN,
    COPIED,
    HEAD,
    UNKNOWN,
    FileStart,
    is_foreign,
    merge_rows,
    merge_usage,
    response_key,
    usage_claim,
    usage_rank,
)
from unspool.model.usage import OwnedUsage, Tokens, UsageRow

QUEUED = b'{"type":"queue-operation","operation":"enqueue"}\n'
ANSWER = b'{"type":"assistant","timestamp":"2026-01-01T00:00:09.000Z"}\n'
PROGRAM = b'{"type":"user","entrypoint":"sdk-cli"}\n'
DATED = b'{"type":"user","timestamp":"2026-01-01T00:00:05.000Z"}\n'
OTHER = b'{"type":"user","text":"say \\"queue-operation\\""}\n'
LONG = b"x" * 30_000 + b"\n"
FIVE = 1_767_225_605_000


def started(data: bytes) -> FileStart:
    return FileStart().feed_lines(0, data)


def owned(session: str = "s1", **fields: Any) -> OwnedUsage:
    row = UsageRow("m:1", b"1", b"1", 5, True, "a", Tokens(1, 2), "", 0)
    return OwnedUsage("-repo", session, row._replace(**fields))


@pytest.mark.parametrize(
    ("ids", "key"),
    [
        (("m", "r", "u"), "m:m"),
        (("", "r", "u"), "r:r"),
        (("", "", "u"), "u:u"),
        (("", "", ""), ""),
    ],
)
def test_the_best_id_names_a_response(ids: tuple[str, str, str], key: str) -> None:
    assert response_key(*ids) == key


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (QUEUED + ANSWER, BEGAN),
        (PROGRAM + QUEUED, BEGAN),
        (QUEUED + PROGRAM, BEGAN),
        (PROGRAM + ANSWER + QUEUED, COPIED),
        (ANSWER + QUEUED, UNKNOWN),
        (OTHER + ANSWER, UNKNOWN),
        (QUEUED[:-1], UNKNOWN),
        (b"x" * HEAD + b"\n" + QUEUED, UNKNOWN),
        (b"", UNKNOWN),
    ],
)
def test_the_first_lines_tell_whether_a_session_began_here(data: bytes, kind: int) -> None:
    assert started(data).kind == kind


def test_a_file_is_as_old_as_its_first_time_up_to_its_first_answer() -> None:
    assert started(OTHER + DATED + ANSWER).first_at == FIVE
    assert started(ANSWER + DATED).first_at == FIVE + 4_000
    assert started(OTHER).first_at > 2**62
    assert started(b'{"timestamp":"yesterday"}\n' + DATED).first_at == FIVE


@given(
    st.lists(st.sampled_from([QUEUED, ANSWER, PROGRAM, OTHER, DATED, LONG]), max_size=6), st.data()
)
def test_in_pieces_the_head_says_the_same(lines: list[bytes], data: st.DataObject) -> None:
    whole, cut = FileStart().feed_lines(0, b"".join(lines)), FileStart()
    at = data.draw(st.integers(0, len(lines)))
    first = b"".join(lines[:at])
    cut.feed_lines(0, first).feed_lines(len(first), b"".join(lines[at:]))

    assert (cut.kind, cut.first_at) == (whole.kind, whole.first_at)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((False, 5, False, False, DATED), (False, 5, False, False, ANSWER)),
        ((False, 5, False, False, QUEUED), (False, 5, False, False, DATED)),
        ((False, 5, False, False, OTHER), (False, 5, False, False, PROGRAM)),
        ((False, 5, False, False, PROGRAM), (False, 5, False, True, QUEUED)),
        ((False, 5, False, True, PROGRAM), (False, 5, True, False, QUEUED)),
        ((False, 5, True, True, PROGRAM), (False, 6, False, False, QUEUED)),
        ((False, 6, True, True, PROGRAM), (False, None, False, False, QUEUED)),
        ((False, None, True, True, PROGRAM), (True, 5, False, False, QUEUED)),
    ],
)
def test_mark_then_time_then_thread_then_start_then_age_decide(
    better: tuple[bool, int | None, bool, bool, bytes],
    worse: tuple[bool, int | None, bool, bool, bytes],
) -> None:
    assert _claim(*better) < _claim(*worse)


def _claim(is_fork: bool, at: int | None, is_agent: bool, foreign: bool, head: bytes) -> bytes:
    return usage_claim(is_fork, at, is_agent, foreign, started(head))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((9, False, False, 5), (8, False, True, 6)),
        ((9, False, False, 5), (9, True, True, 6)),
        ((9, False, True, 5), (9, False, False, 6)),
        ((9, False, True, 6), (9, False, True, 5)),
        ((9, False, True, 0), (9, False, True, None)),
    ],
)
def test_output_then_thread_then_end_then_time_decide(
    better: tuple[int, bool, bool, int | None], worse: tuple[int, bool, bool, int | None]
) -> None:
    assert usage_rank(*better) > usage_rank(*worse)


def test_a_line_without_a_session_is_at_home() -> None:
    stated = (None, "", "s1", "s2")

    assert [is_foreign(one, "s1") for one in stated] == [False, False, False, True]
    assert not is_foreign("s2", "")


def test_counts_are_of_one_line_and_never_a_mixture() -> None:
    low = owned(rank=b"1", tokens=Tokens(99), model="low")
    high = owned(rank=b"2", tokens=Tokens(1), model="high")

    assert merge_usage(low, high).row.tokens == Tokens(1)
    assert merge_usage(high, low).row.model == "high"


def test_ranks_are_compared_as_bytes() -> None:
    assert merge_usage(owned(rank=b"\x09"), owned(rank=b"\x10", model="x")).row.model == "x"


def test_a_line_that_is_not_there_yet_gives_way_to_the_one_that_is() -> None:
    ahead, there = owned(line_id=0), owned(line_id=7)

    assert merge_usage(ahead, there).row.line_id == merge_usage(there, ahead).row.line_id == 7


def test_the_owner_brings_its_line_and_agent() -> None:
    main = owned("main", claim=b"1", agent_id="", line_id=3)
    fork = owned("fork", claim=b"2", agent_id="a", line_id=9, rank=b"\xff")
    both = merge_usage(fork, main)

    assert (both.session_id, both.row.agent_id, both.row.line_id) == ("main", "", 3)


def test_an_unknown_time_does_not_count() -> None:
    assert merge_usage(owned(timestamp=None), owned(timestamp=9)).row.timestamp == 9
    assert merge_usage(owned(timestamp=None), owned(timestamp=None)).row.timestamp is None


def test_a_price_of_one_line_is_not_that_of_all() -> None:
    assert merge_usage(owned(usd_pico=7), owned(rank=b"0", usd_pico=9)).row.usd_pico is None


ROWS = st.builds(
    owned,
    session=st.sampled_from(["s1", "s2"]),
    rank=st.sampled_from([b"1", b"2"]),
    claim=st.sampled_from([b"1", b"2"]),
    timestamp=st.sampled_from([None, 1, 2]),
    is_finished=st.booleans(),
    tokens=st.builds(Tokens, st.integers(0, 1), st.integers(0, 2)),
    model=st.sampled_from(["a", "b"]),
    agent_id=st.sampled_from(["", "a"]),
    line_id=st.integers(0, 2),
)


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_the_order_of_lines_does_not_matter(rows: list[OwnedUsage]) -> None:
    ways = [merge_rows(way)["m:1"] for way in permutations(rows)]

    assert all(way == ways[0] for way in ways)


@given(st.lists(ROWS, min_size=1, max_size=6), st.integers(0, 6))
def test_lines_may_be_merged_in_groups_and_more_than_once(rows: list[OwnedUsage], cut: int) -> None:
    whole = reduce(merge_usage, rows)
    parts = [reduce(merge_usage, part) for part in (rows[:cut], rows[cut:]) if part]

    assert reduce(merge_usage, parts) == whole
    assert merge_usage(whole, whole) == whole
    assert all(merge_usage(whole, row) == whole for row in rows)
