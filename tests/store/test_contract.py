"""What a store takes in, and when that is a change."""

import pytest
from msgspec.structs import replace

from tests.store.made import START, Source, agent
from tests.store.stores import EVERYTHING, AnyStore, shown
from unspool.errors import StoreError
from unspool.model.files import TailState
from unspool.model.query import Change, SessionQuery, TextQuery, TotalsQuery

NAME = ("-repo", "s1")


def test_a_batch_that_comes_twice_is_taken_once(store: AnyStore) -> None:
    batch = Source().line("once").spends().calls().bad().tells().batch()
    head, before = store.commit([batch]), shown(store)

    assert store.commit([batch]) == head == 1
    assert shown(store) == before


def test_a_gap_is_refused(store: AnyStore) -> None:
    source = Source().line("first")
    source.batch()

    with pytest.raises(StoreError, match="do not continue"):
        store.commit([source.line("second").batch()])


def test_a_commit_with_a_gap_in_it_writes_nothing(store: AnyStore) -> None:
    source = Source().line("first")
    first = source.batch()
    source.line("lost").batch()

    with pytest.raises(StoreError):
        store.commit([first, source.line("third").batch()])
    assert (store.sources(), store.search(TextQuery()), store.head()) == ([], [], 0)


def test_batches_of_one_commit_follow_on_each_other(store: AnyStore) -> None:
    source = Source()
    store.commit([source.line("one").batch(), source.line("two").batch()])

    assert [hit.line_number for hit in store.search(TextQuery())] == [2, 1]


def test_a_source_keeps_its_checkpoint(store: AnyStore) -> None:
    source = Source().line("one")
    tail = TailState(offset=100, head_hash=b"h", chain=b"c")
    source.row = replace(source.row, size=150, mtime_ns=7, tail=tail)
    store.commit([source.batch()])

    assert store.sources() == [source.row]


def test_a_checkpoint_that_only_moves_its_clock_is_no_change(store: AnyStore) -> None:
    source = Source().line("one")
    store.commit([source.batch()])
    source.row = replace(source.row, mtime_ns=9)

    assert store.commit([source.batch()]) == 1
    assert store.sources()[0].mtime_ns == 9


def test_an_older_generation_is_refused_once_a_newer_one_has_begun(store: AnyStore) -> None:
    old, new = Source().line("old"), Source().restart().line("new")
    store.commit([new.batch()])

    with pytest.raises(StoreError):
        store.commit([old.batch()])


def test_a_file_that_begins_anew_hides_what_it_said(store: AnyStore) -> None:
    source = Source().line("old").calls().bad().hooks().touches("/a").tells()
    store.commit([source.batch()])
    store.commit([source.restart().line("new").batch()])
    status, (row,) = store.status(), store.sessions(SessionQuery())

    assert [hit.generation for hit in store.search(TextQuery())] == [1]
    assert (status.lines, status.superseded, status.bad_lines, status.hook_events) == (1, 1, 0, 0)
    assert (row.events, row.tool_calls) == (1, 0)
    assert [change.kind for change in store.changes()] == ["lines", "restart"]


def test_what_was_spent_stays_spent_when_a_file_begins_anew(store: AnyStore) -> None:
    source = Source().line("old").spends()
    store.commit([source.batch()])
    before = list(store.totals(TotalsQuery()))
    store.commit([source.restart().line("new").batch()])

    assert list(store.totals(TotalsQuery())) == before


def test_an_unfinished_line_is_shown_until_it_is_finished(store: AnyStore) -> None:
    source = Source().line("first")
    store.commit([source.batch(), source.line("half").calls().provisional()])
    seen = [hit.offset for hit in store.search(TextQuery())]
    store.commit([source.line("whole").calls().batch()])

    assert seen == [100, 0]
    assert store.search(TextQuery(terms="half")) == []
    assert store.sessions(EVERYTHING)[0].tool_calls == store.status().lines - 1 == 1


def test_the_same_unfinished_line_again_is_no_change(store: AnyStore) -> None:
    source = Source().line("half")
    batch = source.provisional()

    assert (store.commit([batch]), store.commit([batch])) == (1, 1)


def test_an_unfinished_line_goes_with_its_generation(store: AnyStore) -> None:
    source = Source().line("half").bad()
    store.commit([source.provisional()])
    store.commit([source.restart().line("new").batch()])

    assert (store.status().lines, store.status().superseded) == (1, 0)


def test_an_unfinished_line_that_vanishes_is_a_change(store: AnyStore) -> None:
    source = Source().line("half")
    store.commit([source.provisional()])

    assert store.commit([source.batch()]) == 2
    assert store.search(TextQuery()) == []


def test_news_about_a_session_alone_is_a_change(store: AnyStore) -> None:
    source = Source().line("one").tells(title="a")
    store.commit([source.batch()])
    store.commit([source.tells(title="b").batch()])
    head = store.commit([source.tells(title="b").batch()])

    assert [change.kind for change in store.changes()] == ["lines", "session"]
    assert (head, store.sessions(SessionQuery())[0].title) == (2, "b")


def test_a_hook_does_not_speak_over_a_transcript(store: AnyStore) -> None:
    main, log = Source().line().tells(title="told"), Source(2, kind="hook_log").line()
    log.tells(title="heard", origin="hook")
    store.commit([log.batch(), main.batch()])
    store.commit([log.line().tells(title="heard again", origin="hook").batch()])

    assert store.sessions(SessionQuery())[0].title == "told"


def test_agents_speak_for_a_session_until_somebody_knows_more(store: AnyStore) -> None:
    late, early = (Source(n, kind="subagent", agent=f"a{n}").line() for n in (2, 3))
    late.tells(title="late", origin="agents", start_time=START + 9, last_activity=START + 20)
    early.tells(title="early", origin="agents", start_time=START, last_activity=START + 10)
    titles = []
    for made in (late, early, Source(4, kind="hook_log").line().tells(title="heard", origin="hook"),
                 Source().line().tells(title="told")):  # fmt: skip
        store.commit([made.batch()])
        (row,) = store.sessions(SessionQuery())
        titles.append((row.title, row.origin, row.last_activity == START + 20))
    store.commit([late.line().tells(title="later", origin="agents", start_time=START + 9).batch()])

    assert titles[:2] == [("late", "agents", True), ("early", "agents", True)]
    assert [title for title, *_ in titles[2:]] == ["heard", "told"]
    assert store.sessions(SessionQuery())[0].title == "told"


def test_a_file_that_tells_late_whose_it_is_takes_its_lines_along(store: AnyStore) -> None:
    source = Source(session="").line("early").calls().hooks()
    store.commit([source.batch()])
    source.row = replace(source.row, session_id="s9")
    store.commit([source.line("late").batch()])

    assert {hit.session_id for hit in store.search(TextQuery())} == {"s9"}
    assert {row.session_id: row.events for row in store.sessions(EVERYTHING)} == {"": 0, "s9": 2}


def test_facts_are_of_the_newest_generation(store: AnyStore) -> None:
    source, other = Source().line().knows(b"old"), Source(2, agent="a").line().knows(b"agent")
    store.commit([source.batch(), other.batch(), source.line().batch()])
    before = store.facts("-repo", "s1")
    store.commit([source.restart().line().knows(b"new").batch()])

    assert before == {1: b"old", 2: b"agent"}
    assert store.facts("-repo", "s1") == {1: b"new", 2: b"agent"}
    assert store.facts("-repo", "nobody") == {}


def test_new_facts_wait_until_agents_are_put(store: AnyStore) -> None:
    source = Source().line().knows(b"facts")
    store.commit([source.batch(), source.line().batch()])
    waiting = store.unlinked()
    store.put_agents("-repo", "s1", [])

    assert (waiting, store.unlinked(), store.head()) == ([("-repo", "s1")], [], 2)


def test_the_same_agents_again_are_no_change(store: AnyStore) -> None:
    rows = [agent("a1", facts=b"1"), agent("a2", depth=2, facts=b"2")]
    store.put_agents("-repo", "s1", rows)
    store.put_agents("-repo", "s1", rows[::-1])

    assert [change.kind for change in store.changes()] == ["agents"]
    assert {name: sorted(facts) for name, facts in store.agents_of([NAME, ("-", "")]).items()} == {
        NAME: [b"1", b"2"]
    }


def test_agents_are_replaced(store: AnyStore) -> None:
    store.put_agents("-repo", "s1", [agent("a1"), agent("a2")])
    store.put_agents("-repo", "s1", [agent("a1")])

    assert (store.head(), store.agents_of([NAME])) == (2, {NAME: [b""]})


def test_a_file_is_gone_once_and_its_lines_stay(store: AnyStore) -> None:
    store.commit([Source().line("kept").tells().batch()])
    store.mark_gone([1, 77], START)
    store.mark_gone([1], START + 1)

    assert [source.gone_at for source in store.sources()] == [START]
    assert [change.kind for change in store.changes()] == ["lines", "gone"]
    assert len(store.search(TextQuery(terms="kept"))) == store.status().gone == 1
    assert store.sessions(SessionQuery())[0].source_gone


def test_a_file_that_is_back_is_not_gone(store: AnyStore) -> None:
    source = Source().line().tells()
    store.commit([source.batch()])
    store.mark_gone([1], START)
    store.commit([source.line().batch()])

    assert not store.sessions(SessionQuery())[0].source_gone


def test_an_agent_that_lives_on_does_not_bring_its_session_back(store: AnyStore) -> None:
    main, helper = Source().line().tells(), Source(2, kind="subagent", agent="a1").line()
    store.commit([main.batch(), helper.batch()])
    store.mark_gone([1], START)

    assert store.sessions(SessionQuery())[0].source_gone


def test_the_feed_goes_on_from_where_one_was(store: AnyStore) -> None:
    source = Source()
    for _ in range(3):
        store.commit([source.line().batch()])

    assert [change.seq for change in store.changes(after=1, limit=1)] == [2]
    assert store.changes(after=2) == [Change(3, "-repo", "s1", 1, 0, 200, 300, "lines")]
    assert store.changes(after=3) == []


def test_closing_twice_is_harmless(store: AnyStore) -> None:
    store.close()
    store.close()
