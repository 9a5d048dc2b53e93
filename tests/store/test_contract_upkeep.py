"""Prices, marks, hooks by key, checks and rebuilds: what a store keeps beside its rows."""

import pytest

from tests.store.made import START, Source, price
from tests.store.stores import EVERYTHING, AnyStore
from unspool.model.api import Marks, MarksUpdate
from unspool.model.query import TextQuery, TotalsQuery
from unspool.store import Store
from unspool.store.pack import packed

NAME = ("-repo", "s1")


def test_the_table_that_prices_the_ledger_is_remembered(store: AnyStore) -> None:
    store.commit([Source().line().spends().batch()], price)

    assert store.prices() == ""
    store.reprice(lambda _: 7, "table 2")
    assert store.prices() == "table 2"
    assert [total.usd_pico for total in store.totals(TotalsQuery())] == [7]


def test_a_mark_is_kept_until_it_says_nothing(store: AnyStore) -> None:
    before = store.marks.stamp()

    assert store.marks.of(*NAME) == Marks(project_id="-repo", session_id="s1")
    pinned = store.marks.change(*NAME, MarksUpdate(pinned=True, title="Mine"))
    assert (pinned.pinned, pinned.title) == (True, "Mine")
    assert (store.marks.all(), store.marks.of(*NAME)) == ({NAME: pinned}, pinned)
    assert store.marks.stamp() != before
    store.marks.change(*NAME, MarksUpdate(pinned=False))
    assert store.marks.of(*NAME).title == "Mine"
    store.marks.change(*NAME, MarksUpdate(title=""))
    assert store.marks.all() == {}


def test_marks_of_a_session_are_erased_and_others_stay(store: AnyStore) -> None:
    store.marks.change(*NAME, MarksUpdate(title="Mine"))
    other = store.marks.change("-repo", "s2", MarksUpdate(pinned=True))
    before = store.marks.stamp()

    store.marks.erase([NAME])
    assert store.marks.all() == {("-repo", "s2"): other}
    assert store.marks.stamp() != before


def test_a_session_is_called_as_its_reader_says(store: AnyStore) -> None:
    store.commit([Source().line("kettle").tells(title="Theirs").batch()])
    store.marks.change(*NAME, MarksUpdate(title="Mine"))

    assert [row.title for row in store.sessions(EVERYTHING)] == ["Mine"]
    assert [hit.title for hit in store.search(TextQuery(terms="kettle"))] == ["Mine"]


def test_hook_records_are_found_by_session_and_key_in_any_project(store: AnyStore) -> None:
    one = Source(1, kind="hook_log").line().hooks(id="h1", key="k").line().hooks(id="h2", key="k")
    two = Source(2, kind="hook_log", project="-b").line().hooks(id="h3", key="k")
    store.commit([one.batch(), two.line().hooks(id="h4", key="other").batch()])

    assert store.hook_times("s1", "k") == [START + 1_000, START + 1_000, START + 2_000]
    assert store.hook_times("s2", "k") == store.hook_times("s1", "none") == []


def test_a_store_that_is_whole_has_nothing_wrong(store: AnyStore) -> None:
    store.archive([packed(1, 0, 0, b"line\n")], [Source().row])
    store.commit([Source().line().batch()])

    assert store.check() == store.check(thorough=True) == []


def test_a_rebuild_replaces_the_index_and_keeps_all_else(store: AnyStore) -> None:
    store.archive([packed(1, 0, 0, b"line\n")], [Source().row])
    store.marks.change(*NAME, MarksUpdate(pinned=True))
    head = store.commit([Source().line("old").batch()])

    def fill(fresh: Store) -> None:
        fresh.commit([Source(2, "s2").line("new").batch()])
        assert [hit.session_id for hit in store.search(TextQuery())] == ["s1"]

    store.rebuild_into(fill)
    assert [hit.session_id for hit in store.search(TextQuery())] == ["s2"]
    assert [change.seq for change in store.changes(after=head)] == [head + 1]
    assert (store.head(), len(store.changes())) == (head + 1, 1)
    assert (store.raw(1, 0, 0, 5), store.marks.of(*NAME).pinned) == (b"line\n", True)


def test_a_rebuild_that_fails_leaves_the_index_as_it_was(store: AnyStore) -> None:
    head = store.commit([Source().line("old").batch()])

    def fill(fresh: Store) -> None:
        fresh.commit([Source(2, "s2").line("new").batch()])
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.rebuild_into(fill)
    assert [hit.session_id for hit in store.search(TextQuery())] == ["s1"]
    assert store.head() == head


def test_merging_ends_and_changes_no_answer(store: AnyStore) -> None:
    for number in range(20):
        store.commit([Source(number, f"s{number}").line(f"word{number} kettle").batch()])
    before = store.search(TextQuery(terms="kettle"))
    for _ in store.merge():
        assert store.search(TextQuery(terms="kettle")) == before

    assert len(before) == 20
    assert store.search(TextQuery(terms="kettle")) == before
