"""Sums by cause: what upkeep makes of commits equals what all facts come to, whoever asks."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.store.made import START, Source, agent, price
from tests.store.postgres.cluster import CLUSTER
from unspool.derive.daily_causes import causes_of
from unspool.engine.causes import CauseMaker, causes_of_days, narrowed
from unspool.model.insights import CauseReport, Causes
from unspool.model.prices import PriceRow, PriceTable, Rates
from unspool.model.query import CauseQuery
from unspool.store import Store
from unspool.store.postgres.causes import add_up_days
from unspool.store.postgres.database import Pool, open_pool
from unspool.store.postgres.store import PostgresStore

DAY = 86_400_000
MODELS = ("claude-opus-4-6", "claude-haiku-4-5")
RATES = Rates(5_000_000, 25_000_000, 6_250_000, 10_000_000, 500_000)
TABLE = PriceTable(dict.fromkeys(MODELS, (PriceRow(RATES),)))
MAKER = CauseMaker(TABLE, "1")
FIRST = MAKER.day_of(START)


@pytest.fixture
def pool() -> Iterator[Pool]:
    opened = open_pool(CLUSTER.database())
    yield opened
    opened.close()


def store_of(pool: Pool, owner: int = 1, *others: int) -> PostgresStore:
    return PostgresStore(pool, owner=owner, visible=[owner, *others], weeks_ahead=0)


def added_up(*stores: PostgresStore, rules: str = MAKER.rules) -> None:
    for store in stores:
        while store.project_causes(MAKER.report, MAKER.day_of, rules):
            pass
    while add_up_days(stores[0].pool):
        pass


def worked(random: Random, number: int, *, days: int = 4) -> Source:
    """A session that goes over some days: calls that fail, caches that break, commands."""
    source = Source(number, f"s{number}", project=f"-p{number % 3}")
    for step in range(random.randint(5, 25)):
        source.at += random.choice([1_000, 60_000, 7_200_000, days * DAY // 10])
        source.line(subtype=random.choice(["", "", "", "compact_boundary"]))
        if random.random() < 0.3:
            source.attributes(command=random.choice(["/go", ""]))
        else:
            source.attributes(skill=random.choice(["", "pdf"]), mcp_server="", agent="")
        tokens: dict[str, Any] = {"cache_creation_tokens": random.choice([0, 90_000])}
        source.spends(f"m:{number}:{step}", step, model=random.choice(MODELS), **tokens)
        for call in range(random.randint(0, 2)):
            id = f"t{number}-{step}-{call}"
            source.calls(random.choice(["Bash", "mcp__atlas__find"]), id=id)
            source.answers(id, random.choice(["ok", "error", "error"]))
    return source.tells(start_time=START, last_activity=source.at)


def expected(store: PostgresStore, query: CauseQuery) -> Causes:
    """From every fact there is."""
    report = causes_of_days(store, None, query.projects, None, TABLE)
    return without_lines(causes_of(narrowed(report, query)))


def without_lines(causes: Causes) -> Causes:
    """Breaks of the same price come in any order."""
    worst = sorted(causes.worst_breaks, key=lambda one: (-one.pico, one.at, one.session_id))
    return replace(causes, worst_breaks=tuple(worst))


def answer(store: PostgresStore, query: CauseQuery) -> Causes:
    report = store.causes(query)
    assert report is not None
    return without_lines(causes_of(report))


@pytest.mark.parametrize("seed", range(4))
def test_sums_equal_what_all_facts_come_to(pool: Pool, seed: int) -> None:
    random, store = Random(seed), store_of(pool)
    sources = [worked(random, number) for number in range(1, 8)]
    store.commit([source.batch() for source in sources], price)
    added_up(store)
    days = (FIRST, FIRST + 1, FIRST + 3, None)
    for first in days:
        for last in days:
            query = CauseQuery(first=first, last=last, breaks=1_000)
            assert answer(store, query) == expected(store, query)
    for query in (
        CauseQuery(projects=("-p1",), breaks=1_000),
        CauseQuery(models=MODELS[:1], breaks=1_000),
        CauseQuery(first=FIRST + 1, projects=("-p0", "-p2"), models=MODELS[1:], breaks=1_000),
        CauseQuery(projects=(), breaks=1_000),
    ):
        assert answer(store, query) == expected(store, query)


def test_a_session_that_changes_is_added_up_again_and_until_then_told(pool: Pool) -> None:
    store, random = store_of(pool), Random(7)
    growing, still = worked(random, 1), worked(random, 2)
    store.commit([growing.batch(), still.batch()], price)
    added_up(store)
    before = answer(store, CauseQuery())
    growing.line().spends("m:new", 9, model=MODELS[0]).tells()
    store.commit([growing.batch()], price)

    assert answer(store, CauseQuery()) == before
    with pool.connection() as connection:
        store.project_causes(MAKER.report, MAKER.day_of, MAKER.rules)
        (days,) = connection.execute("SELECT count(*) FROM unspool.stale_day").fetchall()
    assert days[0] > 0
    assert answer(store, CauseQuery()).waiting == 1
    added_up(store)
    assert answer(store, CauseQuery()) == expected(store, CauseQuery()) != before


def test_the_type_of_an_agent_that_is_linked_later_counts(pool: Pool) -> None:
    store = store_of(pool)
    source = Source().line().spends(model=MODELS[0], agent_id="a1").tells()
    store.commit([source.batch()], price)
    added_up(store)
    assert [one.name for one in answer(store, CauseQuery()).askers] == ["Agents of unknown type"]
    store.put_agents("-repo", "s1", [agent("a1", type="Explore")])
    added_up(store)

    assert [one.name for one in answer(store, CauseQuery()).askers] == ["Explore"]


def test_other_prices_have_all_made_again_and_one_process_does_not_insist(pool: Pool) -> None:
    store = store_of(pool)
    store.commit([worked(Random(3), 1).batch()], price)
    added_up(store)

    assert not store.project_causes(MAKER.report, MAKER.day_of, MAKER.rules)
    newer = store_of(pool)
    assert newer.project_causes(MAKER.report, MAKER.day_of, "other")
    assert not store.project_causes(MAKER.report, MAKER.day_of, MAKER.rules)


def test_without_upkeep_nothing_is_claimed(pool: Pool) -> None:
    store = store_of(pool)
    store.commit([worked(Random(3), 1).batch()], price)

    assert store.causes(CauseQuery()) is None


def test_everybody_who_is_seen_is_in_the_sums_and_nobody_else(pool: Pool) -> None:
    mine, theirs = store_of(pool), store_of(pool, 2)
    for store, seed in ((mine, 1), (theirs, 2)):
        store.commit([worked(Random(seed), seed).batch()], price)
    added_up(mine, theirs)
    both = store_of(pool, 1, 2)

    parts = [answer(one, CauseQuery(breaks=1_000)) for one in (mine, theirs)]
    whole = answer(both, CauseQuery(breaks=1_000))
    assert parts == [expected(one, CauseQuery(breaks=1_000)) for one in (mine, theirs)]
    assert whole == expected(both, CauseQuery(breaks=1_000))
    assert whole.pico == sum(one.pico for one in parts)


def test_a_session_that_is_dropped_takes_its_sums_along(pool: Pool) -> None:
    store = store_of(pool)
    store.commit([worked(Random(seed), seed).batch() for seed in (1, 2)], price)
    added_up(store)
    with pool.connection() as connection:
        connection.execute("DELETE FROM response WHERE message_key LIKE 'm:1:%'")
        connection.execute("DELETE FROM session WHERE session_id = 's1'")
    added_up(store)

    left = answer(store, CauseQuery(breaks=1_000))
    assert {one.session_id for one in left.worst_breaks} <= {"s2"}
    assert left.pico == expected(store, CauseQuery()).pico > 0


def test_a_rebuilt_index_is_added_up_anew(pool: Pool) -> None:
    store, source = store_of(pool), worked(Random(5), 1)
    batch = source.batch()
    store.commit([batch], price)
    added_up(store)
    before = answer(store, CauseQuery())

    def fill(fresh: Store) -> None:
        fresh.commit([batch], price)

    store.rebuild_into(fill)

    assert store.causes(CauseQuery()) is None
    added_up(store)
    assert answer(store, CauseQuery()) == before


def test_a_session_that_changes_while_it_is_added_up_is_left_for_later(pool: Pool) -> None:
    store = store_of(pool)
    source = worked(Random(5), 1)
    store.commit([source.batch()], price)

    def late(facts: Any) -> CauseReport:
        report = MAKER.report(facts)
        source.line().spends("m:late", 9, model=MODELS[0]).tells()
        store.commit([source.batch()], price)
        other = store_of(pool)  # another hub sees the change first
        other.project_causes(lambda _: CauseReport([], []), MAKER.day_of, MAKER.rules)
        return report

    assert store.project_causes(late, MAKER.day_of, MAKER.rules)
    with pool.connection() as connection:
        ((rows,),) = connection.execute("SELECT count(*) FROM session_cause").fetchall()
    assert rows == 0
