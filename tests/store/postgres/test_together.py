"""Many at once: commits of several machines, words that are made meanwhile, readers."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from tests.store.made import Source, price
from tests.store.postgres.cluster import SearchableStore
from tests.store.stores import EVERYTHING
from unspool.model.query import TextQuery, TotalsQuery
from unspool.store.postgres.store import PostgresStore

ROUNDS = 12


def written(store: PostgresStore, number: int) -> None:
    """A file that grows line by line, each of which is seen unfinished first."""
    source = Source(number, f"s{number}")
    for turn in range(ROUNDS):
        store.commit([source.line(f"half {turn}").calls(id="toolu_x").provisional()])
        key = "m:shared" if turn == 0 else f"m:{number}.{turn}"
        source.line(f"whole {number} {turn}").calls(id=f"toolu_{turn}").spends(key, 5)
        store.commit([source.tells().batch()], price)


def test_nothing_is_lost_and_nothing_counts_twice(postgres: SearchableStore) -> None:
    stores = [PostgresStore(postgres.url, weeks_ahead=0, machine=n) for n in range(3)]
    done = Event()

    def make_words(store: PostgresStore) -> None:
        while not done.is_set():
            store.project_text()

    def read() -> None:
        while not done.is_set():
            seqs = [change.seq for change in postgres.changes(limit=10_000)]
            assert seqs == list(range(1, len(seqs) + 1))  # nobody sees a later one first

    with ThreadPoolExecutor(9) as threads:
        beside = [threads.submit(make_words, store) for store in stores[:2]]
        beside.append(threads.submit(read))
        writers = [threads.submit(written, stores[n % 3], n) for n in range(6)]
        try:
            for writer in writers:
                writer.result()
        finally:
            done.set()
        for one in beside:
            one.result()
    for _ in postgres.merge():
        pass
    for store in stores:
        store.close()

    totals = list(postgres.totals(TotalsQuery(by="model")))
    assert [total.responses for total in totals] == [6 * ROUNDS - 5]
    assert len(postgres.search(TextQuery(terms="whole", limit=1_000))) == 6 * ROUNDS
    assert postgres.search(TextQuery(terms="half", limit=1_000)) == []
    assert [row.tool_calls for row in postgres.sessions(EVERYTHING)] == [ROUNDS] * 6
    assert postgres.check(thorough=True) == []
