"""A rebuilt index takes the place of the old one, for every process that reads or writes."""

from collections.abc import Iterator

import pytest

from tests.store.made import Source, price
from tests.store.postgres.cluster import SearchableStore
from unspool.model.query import TextQuery, TotalsQuery
from unspool.model.rows import Batch
from unspool.store import Store
from unspool.store.postgres.rebuild import TABLES


@pytest.fixture
def other(postgres: SearchableStore) -> Iterator[SearchableStore]:
    """The same owner's store in another process."""
    made = SearchableStore(postgres.url)
    yield made
    super(SearchableStore, made).close()


def rows_below_zero(store: SearchableStore) -> int:
    asks = [f"SELECT 1 FROM {table} WHERE owner < 0" for table in (*TABLES, "person")]  # noqa: S608
    with store.connected() as connection:
        return len(connection.execute(" UNION ALL ".join(asks).encode()).fetchall())


def full(source: Source) -> Source:
    source.line("kettle", uuid="u").calls().hooks().spends().touches("/a").wonders().bad()
    return source.attributes(skill="pdf").knows(b"facts").tells(title="told")


def committed(store: Store, batch: Batch) -> None:
    store.commit([batch], price)


def test_nothing_is_left_of_the_draft(postgres: SearchableStore) -> None:
    postgres.commit([full(Source()).batch(ties=(1,), state=b"s")], price)
    postgres.rebuild_into(
        lambda fresh: committed(fresh, full(Source()).batch(ties=(1,), state=b"s"))
    )

    assert rows_below_zero(postgres) == 0
    assert postgres.fold_state(1, 0) == (200, b"s")
    assert postgres.check(thorough=True) == []


def test_a_rebuild_that_died_is_discarded_by_the_next(postgres: SearchableStore) -> None:
    postgres.commit([full(Source()).batch()], price)

    def die(fresh: Store) -> None:
        fresh.commit([full(Source()).batch()], price)
        with postgres.connected() as connection:  # nobody tidies up after a process that is killed
            connection.execute("UPDATE person SET prices = 'left' WHERE owner < 0")
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unspool.store.postgres.store.discard", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            postgres.rebuild_into(die)
    assert rows_below_zero(postgres) > 0
    assert len(postgres.search(TextQuery(terms="kettle"))) == 1

    postgres.rebuild_into(lambda fresh: committed(fresh, full(Source()).batch()))
    assert (rows_below_zero(postgres), postgres.prices()) == (0, "")
    assert [total.responses for total in postgres.totals(TotalsQuery())] == [1]


def test_another_process_goes_on_writing(postgres: SearchableStore, other: SearchableStore) -> None:
    """What it remembers of the old index is no number of the new one."""
    source = Source().line("one")
    batch = source.batch()
    other.commit([batch])
    postgres.rebuild_into(lambda fresh: committed(fresh, batch))
    other.commit([source.line("two").batch()])

    for store in (postgres, other):
        assert [hit.line_number for hit in store.search(TextQuery())] == [2, 1]
        assert len(store.changes()) == 2


def test_readers_see_the_old_index_until_the_end(
    postgres: SearchableStore, other: SearchableStore
) -> None:
    postgres.commit([Source().line("old").batch()])
    with other.events_of("-repo", "s1").reading() as rows:
        before = rows.sources()

        def fill(fresh: Store) -> None:
            fresh.commit([Source(2, "s2").line("new").batch()])
            assert [one.source_id for one in other.sources()] == [1]

        postgres.rebuild_into(fill)
        assert rows.sources() == before
    assert [one.source_id for one in other.sources()] == [2]
