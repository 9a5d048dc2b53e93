"""What a hub shows to nobody: limits and directories of whoever runs it, and what its database says
of anybody's rows.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.machines import HubDatabase
from tests.hub.team import Team, team_hub
from tests.waiting import until
from unspool.engine.quota import latest_quota, record_quota
from unspool.errors import StoreError
from unspool.hub.maintenance import HubMaintenance
from unspool.model.usage import Quota, QuotaWindow
from unspool.store.postgres.database import in_our_words
from unspool.store.postgres.people import PeopleTable
from unspool.store.postgres.store import PostgresStore

ROW = "zqsomebodysrowzq"
SAID = "PostgreSQL: duplicate key, 23505"


@pytest.fixture
def team(hub: HubDatabase, tmp_path: Path) -> Iterator[Team]:
    with team_hub(hub, tmp_path) as (made, _):
        yield made


@pytest.mark.parametrize("who", ["ada", "adam"])
def test_usage_limits_of_whoever_runs_it(team: Team, who: str) -> None:
    window = QuotaWindow(43.0, team.clock() + 3_600_000)
    record_quota(str(team.place), Quota(team.clock(), window, None))
    assert latest_quota(str(team.place)) is not None
    blocks = team.ask(who, "GET", "/api/cost?by=blocks").json()
    page = team.ask(who, "GET", "/spend").text

    assert set(blocks["quota"].values()) == {None}
    assert 'class="quota' not in page


def test_the_directory_it_runs_in(team: Team) -> None:
    for path in ("/api/index", "/api/health", "/health"):
        assert str(team.place) not in team.ask("ada", "GET", path).text


def test_details_of_an_error_of_the_database(hub: HubDatabase) -> None:
    with hub.pool.connection() as connection:
        connection.execute("CREATE TEMP TABLE t (name text PRIMARY KEY)")
        with pytest.raises(StoreError) as error, in_our_words():
            connection.execute("INSERT INTO t VALUES (%(one)s), (%(one)s)", {"one": ROW})
        connection.execute("DROP TABLE t")

    assert ROW in str(error.value.__cause__)
    said = 'PostgreSQL: duplicate key value violates unique constraint "t_pkey", 23505'
    assert str(error.value) == said


def test_why_its_upkeep_fails_unless_an_admin_asks(
    team: Team, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(_: HubMaintenance) -> bool:
        raise StoreError(SAID)

    monkeypatch.setattr(HubMaintenance, "_keep_all", failing)
    team.maintenance.start()
    try:
        assert until(lambda: team.maintenance.trouble)
        told = {who: team.ask(who, "GET", "/api/hub").json() for who in ("ada", "lea", "adam")}
    finally:
        team.maintenance.stop()

    assert {one["status"] for one in told.values()} == {"trouble"}
    assert [SAID in told[who]["trouble"] for who in ("ada", "lea", "adam")] == [False, False, True]
    assert told["ada"]["trouble"] == [
        "The hub's upkeep has failed and is tried again; its log and its admins know why."
    ]
    assert [record.getMessage() for record in caplog.records] == [f"maintenance: {SAID}"]


def test_why_a_page_fails(
    team: Team, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert team.ask("ada", "GET", "/sessions").status_code == 200  # there is a view

    def failing(*_: object, **__: object) -> None:
        raise StoreError(SAID)

    monkeypatch.setattr(PostgresStore, "totals", failing)
    monkeypatch.setattr(PeopleTable, "machines", failing)
    found = [team.ask("ada", "GET", path) for path in ("/api/cost", "/spend", "/api/hub")]

    assert [one.status_code for one in found] == [503] * 3
    assert not [one.text for one in found if SAID in one.text]
    assert SAID in caplog.text
