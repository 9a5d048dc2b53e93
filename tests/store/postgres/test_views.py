"""Views for people who ask in SQL: documented columns, the sums of the API, and nothing else."""

import re
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from tests.store.made import Source, agent, price
from tests.store.postgres.cluster import SearchableStore
from unspool.model.query import TotalsQuery

TABLES = Path(__file__).parents[3] / "docs" / "tables.md"
VIEWS = ("sessions", "usage", "usage_totals", "messages", "agents", "sources", "bad_lines")
# What only unspool knows at the time of the question, and the marks of a reader.
NOT_HERE = {
    *("status", "status_evidence", "waiting_state", "status_since", "git_context"),
    *("project_group", "project_group_name", "hidden", "pinned"),
}


def documented(view: str) -> list[str]:
    section = TABLES.read_text().split(f"\n## {view}\n")[1].split("\n## ")[0]
    heads = re.findall(r"^- ((?:`\w+`(?:, )?)+):", section, re.MULTILINE)
    return [name for head in heads for name in re.findall(r"`(\w+)`", head)]


def filled(store: SearchableStore) -> None:
    source = Source().line("text").spends("m:1", 7).bad()
    source.line().spends("m:2", 4, agent_id="a1", is_finished=False)
    store.commit([source.tells(title="kettle").batch()], price)
    store.put_agents("-repo", "s1", [agent("a1")])


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_the_documented_columns(view: str, postgres: SearchableStore) -> None:
    filled(postgres)
    with postgres.connected() as connection:
        cursor = connection.execute(f"SELECT * FROM {view}".encode())  # noqa: S608
        columns = [one.name for one in cursor.description or ()]
        assert cursor.fetchall()

    assert columns == [name for name in documented(view) if name not in NOT_HERE] + ["person"]


def test_sums_are_those_of_the_store(postgres: SearchableStore) -> None:
    filled(postgres)
    (total,) = postgres.totals(TotalsQuery(by="model"))
    asks = [
        f"SELECT sum(usd_pico), sum(output_tokens) FROM {view}"  # noqa: S608
        for view in ("sessions", "usage", "usage_totals")
    ]
    with postgres.connected() as connection:
        found = [connection.execute(ask.encode()).fetchone() for ask in asks]

    assert found == [(total.usd_pico, total.output_tokens)] * 3 == [(2000, 11)] * 3


def test_a_reader_sees_the_views_alone(postgres: SearchableStore) -> None:
    filled(postgres)
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("SET ROLE unspool_reader")
        assert connection.execute("SELECT title FROM unspool.sessions").fetchone() == ("kettle",)
        for table in ("segment", "person", "machine_key", "body"):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(f"SELECT * FROM unspool.{table}".encode())  # noqa: S608
