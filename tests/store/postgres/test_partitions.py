"""Weeks: all of time in windows of one partition, made ahead and as data needs them."""

import itertools

import pytest

from tests.store.made import START, Source
from tests.store.postgres.cluster import SearchableStore
from unspool.model.query import TextQuery
from unspool.store.postgres.partitions import DAY, TABLES, WEEK, known_weeks, week_of

NOW = "SELECT (extract(epoch FROM now()) * 1000)::bigint"


def tables_of(store: SearchableStore, table: str) -> set[str]:
    with store.connected() as connection:
        ask = f"SELECT DISTINCT tableoid::regclass::text FROM {table}"  # noqa: S608
        return {name for (name,) in connection.execute(ask.encode())}


def test_a_week_begins_on_a_monday() -> None:
    assert week_of(1_760_313_600_000) == 1_760_313_600_000  # Monday, 2025-10-13
    assert week_of(1_760_313_599_999) == 1_760_313_600_000 - WEEK


def test_weeks_to_come_are_made_ahead(postgres: SearchableStore) -> None:
    ahead = SearchableStore(postgres.url)
    ahead.partitions._ahead = 2
    with postgres.connected() as connection:
        ((now,),) = connection.execute(NOW).fetchall()
        ahead.partitions._next_look = 0
        ahead.partitions.make((), now)
        weeks = known_weeks(connection)
    super(SearchableStore, ahead).close()

    assert {week_of(now) + n * WEEK for n in range(3)} <= set(weeks)


def test_each_week_of_lines_has_its_partitions(postgres: SearchableStore) -> None:
    for number in range(3):
        source = Source(number, f"s{number}", at=START + number * WEEK).line("x").hooks()
        postgres.commit([source.batch()])

    for table in ("line", "hook", "body"):
        assert len(tables_of(postgres, table)) == 3
        assert f"{table}_other" not in tables_of(postgres, table)


def test_rows_of_a_week_without_a_partition_are_found_all_the_same(
    postgres: SearchableStore,
) -> None:
    at = START - 300 * DAY
    postgres.partitions._given_up.add(week_of(at))
    postgres.commit([Source(at=at).line("old kettle").batch()])
    postgres.commit([Source(2, "s2").line("new kettle").batch()])

    assert "line_other" in tables_of(postgres, "line")
    assert [hit.source_id for hit in postgres.search(TextQuery(terms="kettle"))] == [2, 1]
    postgres.partitions._given_up.clear()
    postgres.commit([Source(3, "s3", at=at).line("old kettle").batch()])
    assert week_of(at) in postgres.partitions._given_up  # rows of that week are elsewhere
    assert len(postgres.search(TextQuery(terms="kettle"))) == 3


@pytest.mark.parametrize("since", [None, 0, START, START + 3 * WEEK])
@pytest.mark.parametrize("until", [None, START, START + WEEK, START + 90 * WEEK])
def test_windows_cover_all_time_once(
    postgres: SearchableStore, since: int | None, until: int | None
) -> None:
    postgres.partitions._weeks = {week_of(START), week_of(START) + 2 * WEEK}
    found = list(postgres.partitions.windows(since, until))

    assert all(one.since < one.until for one in found)
    assert all(late.since == early.until for late, early in itertools.pairwise(found))
    if found:
        assert found[0].until == (2**62 if until is None else until + 1)
        assert found[-1].since == (-(2**62) if since is None else since)
        assert all(one.until - one.since <= WEEK for one in found[1:-1])


def test_every_table_has_a_place_for_what_no_week_takes(postgres: SearchableStore) -> None:
    with postgres.connected() as connection:
        for table in TABLES:
            assert connection.execute("SELECT to_regclass(%s)", (f"{table}_other",)).fetchone()
