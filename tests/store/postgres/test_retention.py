"""Retention: what a hub need not keep is dropped by the week, and no machine sends it again."""

from collections.abc import Iterator

import pytest

from tests.engine.indexing.roots import PRICER
from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.store.made import Source
from tests.store.postgres.cluster import CLUSTER
from unspool.cli import config
from unspool.engine.settings import decoded
from unspool.hub.maintenance import HubMaintenance
from unspool.model.query import SessionQuery, TextQuery, TotalsQuery
from unspool.store.postgres.partitions import DAY, known_weeks
from unspool.store.postgres.retention import drop_old
from unspool.store.postgres.schema import migrate

KEEP = {"text": 30, "bytes": 90, "rows": 400}


@pytest.fixture
def hub(cluster: None) -> Iterator[HubDatabase]:
    """With a database of its own: no other test gets one that lacks weeks."""
    made = HubDatabase(CLUSTER.database(is_empty=True))
    with made.pool.connection() as connection:
        migrate(connection)
    yield made
    made.close()


def sent(hub: HubDatabase, *days_ago: int) -> None:
    """A session of each of some days."""
    machine, now = hub.machine(), config.now()
    for number, days in enumerate(days_ago, 1):
        source = Source(number, f"s{days}", at=now - days * DAY)
        batch = source.line("kettle").spends(f"m:{days}").hooks(id=f"h{days}").tells().batch()
        hub.accept(machine, shipment(batch))
    for _ in hub.store(1).merge():
        pass


def test_text_goes_before_lines_and_sums_stay(hub: HubDatabase) -> None:
    sent(hub, 1, 60, 500)
    before = list(hub.store(1).totals(TotalsQuery()))

    dropped = drop_old(hub.pool, KEEP)

    store = hub.store(1)
    assert len([name for name in dropped if name.startswith("body")]) == 2
    assert len([name for name in dropped if name.startswith("line")]) == 1
    assert [hit.session_id for hit in store.search(TextQuery(terms="kettle"))] == ["s1"]
    assert store.line_counts().keys() == {(1, 0), (2, 0)}
    assert list(store.totals(TotalsQuery())) == before
    assert {row.session_id for row in store.sessions(SessionQuery())} == {"s1", "s60", "s500"}
    assert store.status().hook_events == len(store.hooks("laptop~-repo", "s1")) * 2 == 2
    assert drop_old(hub.pool, KEEP) == []


def test_nothing_is_dropped_unless_it_is_asked_for(hub: HubDatabase) -> None:
    sent(hub, 500)
    before = hub.tables()

    HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0).step()

    assert hub.tables()["line"] == before["line"]
    assert hub.tables()["body"] == before["body"]


def test_upkeep_drops_what_the_settings_say(hub: HubDatabase) -> None:
    sent(hub, 60)
    keep = decoded('[keep]\ntext = "30d"\nrows = "ever"').keep

    HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0, keep=keep).step()

    assert (len(hub.tables()["body"]), len(hub.tables()["line"])) == (0, 1)


def test_bytes_go_by_when_they_came_and_their_size_with_them(hub: HubDatabase) -> None:
    sent(hub, 1, 100)  # so that there is a week of then
    with hub.pool.connection() as connection:
        connection.execute("UPDATE segment SET at = at - 100 * 86400000::bigint")
    store = hub.store(1)
    assert store.status().archived_bytes == 200

    drop_old(hub.pool, KEEP)

    assert (store.status().archived_bytes, store.raw(1, 0, 0, 99)) == (0, None)
    state, _ = hub.writer.states(hub.people.by_key(hub.keys["laptop"], 0), 0).sources  # type: ignore[arg-type]
    assert (state.offset, state.archived) == (100, 100)  # so its machine does not send it again


def test_a_late_line_of_a_dropped_week_is_taken(hub: HubDatabase) -> None:
    sent(hub, 500)
    drop_old(hub.pool, KEEP)
    machine = hub.people.by_key(hub.keys["laptop"], 0)
    assert machine is not None
    late = Source(9, "late", at=config.now() - 500 * DAY).line("kettle").tells()

    hub.accept(machine, shipment(late.batch()))

    assert hub.store(1).line_counts().keys() >= {(2, 0)}
    with hub.pool.connection() as connection:
        assert known_weeks(connection)


def test_settings_that_cannot_be_read_keep_everything() -> None:
    found = decoded('[keep]\ntext = "soon"\nbytes = 90\nsums = "1d"')

    assert (dict(found.keep), len(found.trouble)) == ({}, 3)
    assert any('write text = "90d"' in one for one in found.trouble)
