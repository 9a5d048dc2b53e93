"""A set of hashes."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.hash_set import HashSet


@given(st.lists(st.text(max_size=2)), st.lists(st.text(max_size=2)))
def test_it_answers_as_a_set_does(given: list[str], asked: list[str]) -> None:
    mine, theirs = HashSet(), set[str]()
    for text in given:
        assert mine.add(text) is (text not in theirs)
        theirs.add(text)
        assert len(mine) == len(theirs)
    assert all((text in mine) is (text in theirs) for text in [*asked, *given])


def test_it_finds_all_of_many_and_keeps_them_small() -> None:
    many = [f"{n:08x}-line" for n in range(20_000)]
    tracemalloc.start()
    try:
        kept = HashSet()
        for text in many:
            kept.add(text)
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all(text in kept for text in many)
    assert not any(f"{text}!" in kept for text in many)
    assert size < 25 * len(many), "a set of numbers takes about 90 bytes each"
