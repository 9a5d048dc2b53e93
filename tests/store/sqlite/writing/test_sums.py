from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.store.made import START, Source, price
from unspool.derive.usage.responses import QUARTER
from unspool.model.query import TotalsQuery
from unspool.model.rows import Batch
from unspool.store.memory import MemoryStore
from unspool.store.sqlite.store import SqliteStore

Said: TypeAlias = tuple[int, int, bytes, str, int]

Lines = st.tuples(
    st.integers(1, 4),  # which response
    st.integers(1, 9),  # its output
    st.sampled_from([b"1", b"2"]),
    st.sampled_from(["one", "other"]),
    st.sampled_from([0, 1, QUARTER]),
)


def batch(number: int, lines: list[Said]) -> Batch:
    source = Source(number)
    for name, output, claim, model, later in lines:
        source.line().spends(f"m:{name}", output, claim=claim, model=model, timestamp=START + later)
    return source.batch()


@settings(max_examples=examples(60))
@given(st.lists(st.lists(Lines, min_size=1, max_size=4), min_size=1, max_size=6))
def test_however_responses_come_and_change_the_sums_are_those_of_all_rows(
    commits: list[list[Said]],
) -> None:
    memory = MemoryStore()
    with TemporaryDirectory() as home:
        store = SqliteStore(Path(home))
        for number, lines in enumerate(commits, 1):
            memory.commit([batch(number, lines)], price)
            store.commit([batch(number, lines)], price)
        found = list(store.totals(TotalsQuery()))
        store.close()

    assert found == list(memory.totals(TotalsQuery()))
