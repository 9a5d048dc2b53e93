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


def summed_anew(store: SqliteStore) -> list[tuple[object, ...]]:
    """The sums as a question over the whole ledger gives them."""
    ask = """
        SELECT max(0, coalesce(timestamp, 0)) / 900000 * 900000, session_id, agent_id, model,
            sum(output_tokens), coalesce(sum(usd_pico), 0), sum(lower_bound), count(*)
        FROM usage GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    """
    return store.sql(ask)[1]


def kept(store: SqliteStore) -> list[tuple[object, ...]]:
    columns = (
        "quarter, session_id, agent_id, model, output_tokens, usd_pico, lower_bound, responses"
    )
    return store.sql(f"SELECT {columns} FROM usage_totals ORDER BY 1, 2, 3, 4")[1]  # noqa: S608


def test_sums_agree_with_rows_when_a_response_changes_hands(sqlite: SqliteStore) -> None:
    fork = Source(2, "fork").line().spends("m:1", 9, claim=b"2").line().spends("m:2", 3)
    sqlite.commit([fork.batch()], price)
    main = Source(1, "main", at=START - QUARTER).line().spends("m:1", 5, claim=b"1", model="other")
    sqlite.commit([main.batch()], price)

    assert kept(sqlite) == summed_anew(sqlite)
    assert [(row[1], row[4]) for row in kept(sqlite)] == [("main", 9), ("fork", 3)]


def test_ids_with_one_checksum_are_still_two(sqlite: SqliteStore) -> None:
    one, other = "m:plumless", "m:buckeroo"  # a known pair, the prefix does not part them
    sqlite.commit([Source().line().spends(one, 3).line().spends(other, 4).batch()])
    sqlite.commit([Source(2).line().spends(one, 5).batch()])

    assert [total.output_tokens for total in sqlite.totals(TotalsQuery())] == [9]


def test_times_before_all_time_are_counted(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().spends("m:1", at=None, timestamp=-5, claim=b"1").batch()])
    sqlite.commit([Source(2).line().spends("m:1", 9, at=None, timestamp=-5, claim=b"1").batch()])

    assert [(t.quarter, t.responses, t.output_tokens) for t in sqlite.totals(TotalsQuery())] == [
        (0, 1, 9)
    ]


def test_all_fields_are_kept(sqlite: SqliteStore) -> None:
    source = Source().line()
    source.spends("m:1", 5, speed="fast", geo="us", web_searches=2, cache_creation_1h=7)
    sqlite.commit([source.batch()])
    ask = "SELECT speed, geo, web_searches, cache_creation_5m, cache_creation_1h FROM usage"

    assert sqlite.sql(ask)[1] == [("fast", "us", 2, 20, 7)]
