from typing import Any

import pytest

from tests.derive.insights.facts import response
from unspool.derive.insights.breaks import breaks
from unspool.model.insights import CacheBreak, ResponseFact

MINUTE = 60_000


def price(_: ResponseFact, tokens: int, is_write: bool) -> int:
    return tokens * (10 if is_write else 1)


def found(
    *responses: ResponseFact, compactions: dict[int, list[int]] | None = None
) -> list[CacheBreak]:
    return breaks(responses, compactions or {}, price)


def filled(at: int = 0, **more: Any) -> ResponseFact:
    return response(at, cache_read=40_000, cache_write=10_000, **more)


def emptied(at: int = 1_000, **more: Any) -> ResponseFact:
    return response(at, **{"cache_read": 0, "cache_write": 52_000, **more})


def test_what_was_cached_and_is_written_again_is_a_break() -> None:
    (one,) = found(filled(), emptied())

    assert (one.tokens, one.pico) == (50_000, 450_000)
    assert one.why == "the beginning of the prompt changed"


@pytest.mark.parametrize(
    ("later", "why"),
    [
        (emptied(6 * MINUTE), "a pause longer than the cache lives"),
        (emptied(6 * MINUTE, write_1h=52_000), "the beginning of the prompt changed"),
        (emptied(61 * MINUTE, write_1h=52_000), "a pause longer than the cache lives"),
        (emptied(model="claude-haiku-4-5"), "another model"),
    ],
)
def test_a_break_says_why(later: ResponseFact, why: str) -> None:
    assert [one.why for one in found(filled(), later)] == [why]


def test_a_compaction_in_between_is_the_reason() -> None:
    (one,) = found(filled(), emptied(cache_write=20_000), compactions={1: [500]})

    assert (one.why, one.tokens) == ("after a compaction", 20_000)


@pytest.mark.parametrize(
    "later",
    [
        response(1_000, cache_read=50_000, cache_write=900),
        response(1_000, cache_read=30_000, cache_write=20_000),
        emptied(agent="a1"),
        emptied(session=2),
        response(1_000, cache_read=0, cache_write=100),
    ],
    ids=["read", "mostly read", "another agent", "another session", "nothing written"],
)
def test_what_is_no_break(later: ResponseFact) -> None:
    assert found(filled(), later) == []


def test_a_small_cache_is_not_worth_a_name() -> None:
    assert found(response(0, cache_write=8_000), emptied()) == []


def test_the_dearest_comes_first() -> None:
    later = response(3_000, cache_read=0, cache_write=90_000)
    again = response(2_000, cache_read=50_000, cache_write=50_000)

    assert [one.tokens for one in found(filled(), emptied(), again, later)] == [90_000, 50_000]
