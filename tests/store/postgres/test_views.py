"""Views for people who ask in SQL: documented columns, the sums of the API, and nothing else."""

import re
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from tests.store.made import Source, agent, price
from tests.store.postgres.cluster import SearchableStore
from tests.store.stores import TABLES as STORED
from unspool.derive.usage.responses import known_agent, unknown_agent
from unspool.model.query import TotalsQuery
from unspool.store.sqlite.store import SqliteStore

TABLES = Path(__file__).parents[3] / "docs" / "tables.md"
VIEWS = (
    *("sessions", "lines", "usage", "usage_totals", "messages", "tool_calls", "agents"),
    *("files_touched", "sources", "bad_lines", "oddities", "changes"),
)
# What only unspool knows at the time of the question, and the marks of a reader.
NOT_HERE = {
    *("status", "status_evidence", "waiting_state", "status_since", "git_context"),
    *("status_until", "status_error"),
    *("project_group", "project_group_name", "hidden", "pinned"),
    *("preview", "content_text", "waited_ms"),
}
COMPARED = {
    **STORED,
    "sessions": "session_id, project_id, agents, lines, root, origin, usd_pico, tool_calls",
    "messages": "message_key, project_id, session_id, agent_id, model, timestamp, finished",
}


def documented(view: str) -> list[str]:
    section = TABLES.read_text().split(f"\n## {view}\n")[1].split("\n## ")[0]
    heads = re.findall(r"^- ((?:`\w+`(?:, )?)+):", section, re.MULTILINE)
    return [name for head in heads for name in re.findall(r"`(\w+)`", head)]


def filled(store: SearchableStore) -> None:
    source = Source().line("text").spends("m:1", 7).bad().calls().touches("/a.py").wonders()
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


def test_rows_are_those_that_unspool_sql_has(
    postgres: SearchableStore, sqlite: SqliteStore
) -> None:
    main = Source().line("text", uuid="0" * 36).calls().spends("m:1", 7).bad().touches("/a.py")
    main.line().answers(state="error").calls("Read", "toolu_2").wonders().tells()
    # The agent's file repeats a call of the main one, and has the answer of another.
    agents = Source(2, kind="subagent", agent="a1", at=main.at - 5_000)
    agents.line().calls().answers().line(message_id="m", request_id="r").answers("toolu_2")
    agents.uses(known_agent("a1")).uses(unknown_agent("a2", b"", agents.at))
    rewritten = Source(3, "s2").line().calls(id="toolu_3").touches("/b.py")
    spool = Source(4, "", kind="spool", project="").line()
    spool.tells(session_id="h1", project_id="-repo", origin="hook")
    first = [main.batch(), agents.batch(), rewritten.batch(), spool.batch()]
    second = [rewritten.restart().line("anew").calls(id="toolu_3").wonders().batch()]
    for batches in (first, second):
        postgres.commit(batches, price)
        sqlite.commit(batches, price)
    asks = {view: f"SELECT {COMPARED[view]} FROM {view}" for view in VIEWS if view in COMPARED}  # noqa: S608
    with postgres.connected() as connection:
        found = {
            view: sorted(connection.execute(ask.encode()).fetchall(), key=str)
            for view, ask in asks.items()
        }

    assert found == {
        view: sorted(sqlite.sql(ask, limit=1_000)[1], key=str) for view, ask in asks.items()
    }
    assert all(found.values())


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
