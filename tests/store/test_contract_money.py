"""One ledger: each response once, whoever told of it, and sums that agree with it."""

from itertools import permutations

import pytest

from tests.store.made import START, UNPRICED, Source, price
from tests.store.stores import AnyStore
from unspool.derive.usage.responses import QUARTER, known_agent, unknown_agent
from unspool.model.query import ModelUsage, TotalsQuery, UsageTotal
from unspool.model.usage import UsageRow


def spent(store: AnyStore) -> list[tuple[str, int]]:
    return [(total.session_id, total.output_tokens) for total in store.totals(TotalsQuery())]


def test_a_quarter_of_an_hour_is_added_up(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 5).line().spends("m:2", 7, geo=UNPRICED)
    store.commit([source.line().spends("m:3", 1, is_finished=False).batch()], price)
    first, last = START + 1000, START + 3000
    name = (START // QUARTER * QUARTER, "-repo", "s1", "", "claude-opus-4-6")

    assert list(store.totals(TotalsQuery())) == [
        UsageTotal(*name, 9, 13, 300, 60, 0, 2000, 1, 1, 3, first, last)
    ]


def test_quarters_agents_and_models_are_kept_apart(store: AnyStore) -> None:
    source = Source().line().spends("m:1").line().spends("m:2", agent_id="a1")
    source.line().spends("m:3", model="other").line().spends("m:4", at=START + QUARTER)
    store.commit([source.batch()])

    assert [(t.agent_id, t.model, t.responses) for t in store.totals(TotalsQuery())] == [
        ("", "claude-opus-4-6", 1),
        ("", "other", 1),
        ("a1", "claude-opus-4-6", 1),
        ("", "claude-opus-4-6", 1),
    ]


def test_the_line_with_the_greatest_rank_gives_the_counts(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 1, model="early").line().spends("m:1", 9, model="late")
    store.commit([source.line().spends("m:1", 4, model="between").batch()])

    assert [(t.model, t.output_tokens, t.responses) for t in store.totals(TotalsQuery())] == [
        ("late", 9, 1)
    ]


def test_when_a_response_moves_the_feed_names_who_lost_it(store: AnyStore) -> None:
    fork, main = Source(1, "s1").line(), Source(2, "s0").line()
    store.commit([fork.spends("m:1", 9, claim=b"2").batch()])
    head = store.head()
    store.commit([main.spends("m:1", 9, claim=b"1").batch()])
    found = [(one.session_id, one.kind) for one in store.changes(after=head)]

    assert found == [("s0", "lines"), ("s1", "usage")]


def test_the_least_claim_owns_a_response_and_its_time_is_the_earliest(store: AnyStore) -> None:
    fork, main = Source(2, "fork").line().line(), Source(1, "main").line()
    fork.spends("m:1", 9, claim=b"2", at=START + 5)
    main.spends("m:1", 5, claim=b"1", at=START + 9)
    store.commit([fork.batch(), main.batch()])

    assert [(t.session_id, t.output_tokens, t.first_at) for t in store.totals(TotalsQuery())] == [
        ("main", 9, START + 5)
    ]


def test_one_finished_line_is_enough(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 9, is_finished=False).line().spends("m:1", 1)
    store.commit([source.batch()])

    assert [total.lower_bound for total in store.totals(TotalsQuery())] == [0]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_arrival_does_not_move_money(store: AnyStore, order: tuple[int, ...]) -> None:
    sources = [
        Source(n, f"s{n}").line().spends("m:1", 5 - n, at=START + n * QUARTER) for n in (1, 2)
    ]
    sources.append(Source(3, "s3").line().spends("m:1", 4, at=None, claim=b"\xff"))
    batches = [source.batch() for source in sources]
    for place in order:
        store.commit([batches[place]])

    assert spent(store) == [("s1", 4)]


def test_a_response_without_a_time_is_counted(store: AnyStore) -> None:
    store.commit([Source().line().spends("m:1", at=None, claim=b"1").batch()])

    assert [
        (total.quarter, total.first_at, total.responses) for total in store.totals(TotalsQuery())
    ] == [(0, 0, 1)]


def test_a_session_shows_what_it_owns(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 5).line().spends("m:2", 6, geo=UNPRICED).tells()
    store.commit([source.batch()], price)
    found = store.usage_of([("-repo", "s1"), ("-repo", "s2")])

    model = "claude-opus-4-6"
    assert found == {("-repo", "s1"): [ModelUsage(model, 6, 11, 200, 40, 40, 0, 1000, 1, 0)]}


def test_what_a_session_owns_is_told_by_model(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 5, is_finished=False)
    source.line().spends("m:2", 6, model="other", cache_creation_5m=0, cache_creation_1h=20)
    store.commit([source.batch()])
    found = {one.model: one for one in store.usage_of([("-repo", "s1")])["-repo", "s1"]}

    assert [found["other"].cache_creation_1h, found["other"].lower_bound] == [20, 0]
    assert found["claude-opus-4-6"].lower_bound == 1


def test_new_prices_reach_rows_and_sums(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 5).line().spends("m:2", 7).tells()
    store.commit([source.batch()])
    store.reprice(lambda row: None if row.message_key == "m:1" else row.tokens.output * 10, "t2")

    assert [(t.usd_pico, t.unpriced) for t in store.totals(TotalsQuery())] == [(70, 1)]
    assert [change.kind for change in store.changes()] == ["lines", "usage"]


def test_the_same_prices_again_are_no_change(store: AnyStore) -> None:
    store.commit([Source().line().spends("m:1").batch()], price)
    store.reprice(price, "t1")

    assert store.head() == 1


def test_a_response_is_priced_by_all_its_lines(store: AnyStore) -> None:
    """By its earliest time and its best counts, wherever these came from."""

    def by_day(row: UsageRow) -> int | None:
        return row.tokens.output if (row.timestamp or 0) < START + QUARTER else 1_000_000

    late, early = Source(1).line().spends("m:1", 9, at=START + QUARTER), Source(2).line()
    store.commit([late.batch()], by_day)
    assert [total.usd_pico for total in store.totals(TotalsQuery())] == [1_000_000]
    store.commit([early.spends("m:1", 1, at=START).batch()], by_day)

    assert [(total.output_tokens, total.usd_pico) for total in store.totals(TotalsQuery())] == [
        (9, 9)
    ]


def test_whoever_asks_is_told_who_owns_a_response(store: AnyStore) -> None:
    fork, main = Source(2, "fork").line(), Source(1, "main").line()
    fork.spends("m:1", 9, claim=b"2").line().spends("m:2", 4, claim=b"2")
    store.commit([fork.batch(), main.spends("m:1", 5, claim=b"1").batch()], price)

    assert store.owners(["m:1", "m:2", "m:3"]) == {
        "m:1": ("-repo", "main"),
        "m:2": ("-repo", "fork"),
    }
    assert store.owners([]) == {}


def test_the_responses_of_a_session_are_those_it_owns(store: AnyStore) -> None:
    fork, main = Source(2, "fork").line(), Source(1, "main").line()
    fork.spends("m:1", 9, claim=b"2").line().spends("m:2", 4, claim=b"2")
    store.commit([fork.batch(), main.spends("m:1", 5, claim=b"1").batch()], price)
    (row,) = store.responses("-repo", "fork")

    assert (row.message_key, row.tokens.output, row.usd_pico) == ("m:2", 4, 1000)
    assert [one.tokens.output for one in store.responses("-repo", "main")] == [9]
    assert store.responses("-other", "fork") == []


def agents(store: AnyStore) -> list[tuple[str, str, int, int]]:
    found = store.totals(TotalsQuery())
    return [(one.session_id, one.agent_id, one.lower_bound, one.responses) for one in found]


@pytest.mark.parametrize("is_told_first", [True, False])
def test_an_agent_counts_as_a_lower_bound_until_it_is_told(
    store: AnyStore, is_told_first: bool
) -> None:
    claim = unknown_agent("a1", b"1", START)
    batches = [Source(1).line().uses(claim), Source(2).line().uses(known_agent("a1"))]
    first, last = reversed(batches) if is_told_first else batches
    store.commit([first.batch()])

    assert agents(store) == ([] if is_told_first else [("s1", "a1", 1, 1)])
    store.commit([last.batch()])
    assert agents(store) == []
    assert store.usage_of([("-repo", "s1")]).get(("-repo", "s1"), []) == []
    assert [row.message_key for row in store.responses("-repo", "s1")] == ["a:a1"]


def test_an_agent_that_is_told_takes_nothing_from_the_quarter_it_stood_in(store: AnyStore) -> None:
    source = Source().line().spends("m:1", 5, agent_id="a1").uses(unknown_agent("a1", b"1", START))
    store.commit([source.batch()])
    store.commit([Source(2).line().uses(known_agent("a1")).batch()])

    assert agents(store) == [("s1", "a1", 0, 1)]
    assert spent(store) == [("s1", 5)]
