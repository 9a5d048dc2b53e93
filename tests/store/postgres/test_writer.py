"""Commits: those that wait share a transaction, and no value that a file holds makes one fail."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from tests.store.made import START, Source, agent, price
from tests.store.postgres.cluster import SearchableStore
from tests.store.stores import EVERYTHING
from tests.waiting import until
from unspool.errors import StoreError
from unspool.model.query import TextQuery, TotalsQuery
from unspool.store.postgres.store import PostgresStore

HOSTILE = "nul \0 and half \ud800 of a character"
CLEAN = "nul \ufffd and half ? of a character"


@contextmanager
def held(store: PostgresStore) -> Iterator[None]:
    """Keep every writer of the owner waiting."""
    with store.connected() as connection, connection.transaction():
        connection.execute("SELECT 1 FROM person WHERE owner = 1 FOR UPDATE")
        yield


def wait_for(store: PostgresStore, count: int) -> None:
    """Wait until so many commits wait for the next transaction."""
    assert until(lambda: len(store._writer.queue._waiting) == count)


@pytest.mark.parametrize(("count", "most"), [(64, 3), (200, 5)])
def test_commits_that_wait_share_a_transaction(
    postgres: SearchableStore, count: int, most: int
) -> None:
    batches = [Source(n, f"s{n}").line(f"text {n}").batch() for n in range(count)]
    before = postgres._writer.queue.transactions
    with ThreadPoolExecutor(count) as threads:
        with held(postgres):
            first = threads.submit(postgres._writer.commit, [batches[0]], price)
            assert until(lambda: postgres._writer.queue._is_busy)
            rest = [threads.submit(postgres._writer.commit, [one], price) for one in batches[1:]]
            wait_for(postgres, count - 1)
        seqs = [one.result() for one in (first, *rest)]

    assert postgres._writer.queue.transactions - before <= most
    assert sorted(seqs) == list(range(1, count + 1))
    assert [one.seq for one in postgres.changes()] == list(range(1, count + 1))
    assert len(postgres.sources()) == count


def test_one_that_fails_takes_no_other_along(postgres: SearchableStore) -> None:
    gap = Source(3, "s3").line("lost")
    gap.batch()
    batches = [Source(n, f"s{n}").line(HOSTILE if n == 2 else "text").batch() for n in (1, 2, 4)]
    with ThreadPoolExecutor(9) as threads:
        with held(postgres):
            first = threads.submit(postgres.commit, [Source(9, "s9").line().batch()])
            assert until(lambda: postgres._writer.queue._is_busy)
            refused = threads.submit(postgres.commit, [gap.line("found").batch()])
            taken = [threads.submit(postgres.commit, [one]) for one in batches]
            wait_for(postgres, 4)
        with pytest.raises(StoreError, match="do not continue"):
            refused.result()
        for one in (first, *taken):
            one.result()

    assert [source.source_id for source in postgres.sources()] == [1, 2, 4, 9]
    assert [change.seq for change in postgres.changes()] == [1, 2, 3, 4]


def test_what_waits_together_goes_on_from_what_came_before(postgres: SearchableStore) -> None:
    source = Source(1).line("x").calls(id="toolu_1").spends("m:1", 5)
    first = source.tells(title="One").batch()
    second = source.line("y").answers("toolu_1").spends("m:1", 9).tells(title="Two").batch()
    before = postgres._writer.queue.transactions
    with ThreadPoolExecutor(3) as threads, held(postgres):
        threads.submit(postgres.commit, [Source(9, "s9").line().batch()])
        assert until(lambda: postgres._writer.queue._is_busy)
        for count, batch in enumerate((first, second), 1):
            threads.submit(postgres.commit, [batch], price)
            wait_for(postgres, count)

    assert postgres._writer.queue.transactions - before == 2  # none was tried again
    assert [row.title for row in postgres.sessions(EVERYTHING) if row.title] == ["Two"]
    assert [total.output_tokens for total in postgres.totals(TotalsQuery())] == [9]
    assert postgres.check(thorough=True) == []


def test_two_processes_write_for_one_owner(postgres: SearchableStore) -> None:
    other = PostgresStore(postgres.url, weeks_ahead=0)
    one, two = Source(1).line("x").spends("m:1"), Source(2).line("x").spends("m:1", 9)
    postgres.commit([one.batch()])
    other.commit([two.batch()])
    postgres.commit([one.line("y", subtype="other").batch()])
    other.close()

    assert [total.output_tokens for total in postgres.totals(TotalsQuery())] == [9]
    assert postgres.check(thorough=True) == []
    assert [len(postgres.message_uuids(n, 0, 999)) for n in (1, 2)] == [0, 0]


def test_texts_that_no_database_takes_are_cleaned(postgres: SearchableStore) -> None:
    source = Source(session="s\0").line(HOSTILE, uuid="\0").calls(HOSTILE).touches(HOSTILE)
    source.hooks(input=HOSTILE, key=HOSTILE).wonders(HOSTILE).bad(HOSTILE)
    source.attributes(skill=HOSTILE).spends(model=HOSTILE).tells(title=HOSTILE)
    postgres.commit([source.batch()], price)
    postgres.put_agents("-repo", "s\0", [agent("a\0", description=HOSTILE)])
    postgres.reprice(price, HOSTILE)

    (row,) = postgres.sessions(EVERYTHING)
    assert (row.session_id, row.title) == ("s\ufffd", CLEAN)
    assert [hit.session_id for hit in postgres.search(TextQuery(terms="half"))] == ["s\ufffd"]
    assert len(postgres.hooks("-repo", "s\0")) == 1
    assert [one.reason for one in postgres.bad_lines(limit=9)] == [CLEAN]
    assert postgres.prices() == CLEAN


@pytest.mark.parametrize("number", [2**63, 2**80, -(2**80)])
def test_numbers_beyond_64_bits_are_cleaned(postgres: SearchableStore, number: int) -> None:
    source = Source().line("x", turn=number, timestamp=number)
    source.hooks(print=number).spends("m:1", 5, input_tokens=number)
    source.spends("m:2", 5, input_tokens=number).tells(compactions=number, last_activity=number)
    source.row = replace(source.row, size=number, mtime_ns=number)
    postgres.commit([source.batch()], price)

    largest = max(-(2**63 - 1), min(number, 2**63 - 1))
    assert [total.input_tokens for total in postgres.totals(TotalsQuery())] == [2 * largest]
    assert postgres.sources()[0].size == largest
    assert len(postgres.search(TextQuery(terms="x"))) == 1


def test_money_beyond_64_bits_is_exact(postgres: SearchableStore) -> None:
    source = Source().line().spends("m:1").spends("m:2")
    postgres.commit([source.batch()], lambda _: 10**30 + 1)

    assert [total.usd_pico for total in postgres.totals(TotalsQuery())] == [2 * 10**30 + 2]
    assert {row.usd_pico for row in postgres.responses("-repo", "s1")} == {10**30 + 1}


def test_names_longer_than_an_index_takes_are_shortened(postgres: SearchableStore) -> None:
    long = "".join(chr(0x4E00 + n) for n in range(9_000))
    source = Source(session=long).line(long, agent_id=long).calls(id=long, agent=long)
    source.answers(long).hooks(key=long, tool_use_id=long).touches(long)
    batch = source.spends(long, model=long).tells().batch()
    postgres.commit([batch], price)
    postgres.commit([source.line().calls(id=long).batch()], price)

    (row,) = postgres.sessions(EVERYTHING)
    assert (row.session_id[:9], len(row.session_id), row.tool_calls) == (long[:9], 300, 1)
    assert len(postgres.responses("-repo", row.session_id)) == 1


def test_a_clock_that_is_wrong_does_not_make_partitions(postgres: SearchableStore) -> None:
    before = set(postgres.partitions._weeks)
    for number, at in enumerate((0, 4_000_000_000_000)):
        postgres.commit([Source(number, f"s{number}", at=at).line("x").batch()])
    with postgres.connected() as connection:
        ((first, last, now),) = connection.execute(
            "SELECT min(at), max(at), (extract(epoch FROM now()) * 1000)::bigint FROM line"
        )

    assert first == 1_577_836_800_000
    assert now <= last <= now + 86_400_000
    assert len(set(postgres.partitions._weeks) - before) <= 2
    assert [hit.source_id for hit in postgres.search(TextQuery(terms="x"))] == [1, 0]
    assert len(postgres.search(TextQuery(terms="x", until=START))) == 1
