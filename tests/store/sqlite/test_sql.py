import re
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.made import Source, agent
from unspool.errors import StoreError, UsageError
from unspool.model.live import SessionHooks
from unspool.store.sqlite.connection import INDEX, open_reader
from unspool.store.sqlite.functions import (
    teach,
    teach_groups,
    teach_hooks,
    teach_marks,
    teach_quota,
    teach_status,
)
from unspool.store.sqlite.sql import PUBLIC
from unspool.store.sqlite.store import SqliteStore

DOCS = Path(__file__).parents[3] / "docs" / "tables.md"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"

# What others may rely on, by name and column.
CONTRACT = {
    "sessions": "session_id project_id machine_id cwd transcript_path title goal status"
    " status_evidence waiting_state start_time last_activity git_branch git_context model version"
    " slug lines events tool_calls agents compactions input_tokens output_tokens"
    " cache_read_tokens cache_creation_tokens usd_pico unpriced hidden pinned origin source_gone",
    "lines": "line_id source_id generation offset length line_number session_id agent_id uuid"
    " parent_uuid type subtype timestamp role model message_id request_id preview superseded",
    "usage": "message_key session_id agent_id project_id day timestamp model input_tokens"
    " output_tokens cache_read_tokens cache_creation_5m cache_creation_1h web_searches speed geo"
    " usd_pico lower_bound line_id",
    "tool_calls": "tool_use_id session_id agent_id name call_line result_line state start_time"
    " duration_ms waited_ms is_error",
    "hook_events": "event_id session_id timestamp event_type tool_use_id tool_name decision"
    " handler_results input agent_id duration_ms source line_id",
    "agents": "agent_id session_id parent_agent_id tool_use_id depth proof type description"
    " start_time end_time tokens usd_pico",
    "files_touched": "session_id path tool line_id",
    "sources": "source_id root path generation kind size offset gone_at",
    "events": "event_id session_id timestamp event_type event_data source subagent_id event_uuid"
    " tokens_input tokens_output tokens_cache_creation tokens_cache_read tool_name duration_ms",
    "quota": "at span used_percent resets_at session_id",
    "bad_lines": "",
    "hook_join": "",
}


def columns(store: SqliteStore, table: str) -> list[str]:
    return store.sql(f"SELECT * FROM {table}", limit=0)[0]  # noqa: S608


def documented() -> dict[str, list[str]]:
    """Columns by table, as docs/tables.md lists them."""
    found: dict[str, list[str]] = {}
    for line in DOCS.read_text().splitlines():
        if line.startswith("## "):
            found[line[3:]] = []
        elif line.startswith("- `"):
            found[list(found)[-1]] += re.findall("`([A-Za-z_0-9]+)`", line.partition(":")[0])
    return found


def test_every_column_is_documented(sqlite: SqliteStore) -> None:
    assert {table: columns(sqlite, table) for table in PUBLIC} == documented()


@pytest.mark.parametrize("table", sorted(CONTRACT))
def test_the_contract_is_kept(sqlite: SqliteStore, table: str) -> None:
    promised = CONTRACT[table].split()

    assert columns(sqlite, table)[: len(promised)] == promised


def test_columns_come_even_without_rows(sqlite: SqliteStore) -> None:
    assert sqlite.sql("SELECT seq AS number, kind FROM changes") == (["number", "kind"], [])


def test_columns_come_without_running_anything(sqlite: SqliteStore) -> None:
    assert sqlite.sql(ENDLESS.replace("max(x)", "max(x) AS m"), limit=0) == (["m"], [])


def history(store: SqliteStore, sessions: range) -> None:
    """Sessions with something in every table that grows with them."""
    for number in sessions:
        session, project = f"s{number}", f"-repo-{number}"
        main = Source(2 * number, session, project=project)
        log = Source(2 * number + 1, session, project=project, kind="hook_log")
        for call in (f"toolu_{number}_{turn}" for turn in range(5)):
            main.line("word", event_type="pre_tool_use").calls(id=call).spends(f"m:{call}")
            main.touches(f"/{number}.py").line(event_type="post_tool_use").answers(call)
            log.line(event_type="").hooks("pre_tool_use", f"h{call}", tool_use_id=call)
            log.line(event_type="").hooks("notification", f"n{call}", tool_use_id="")
        store.commit([main.bad().tells().batch(), log.batch()])
        store.put_agents(project, session, [agent("a1")])


def steps(store: SqliteStore, ask: str) -> int:
    """How many instructions SQLite runs to answer."""
    count = 0

    def step() -> bool:
        nonlocal count
        count += 1
        return False

    connection = open_reader(store.home / INDEX)
    teach(connection)
    teach_marks(connection, store.marks)
    teach_quota(connection, tuple)
    teach_status(connection, lambda *_: None)
    teach_groups(connection, lambda _: None)
    teach_hooks(connection, lambda *_: SessionHooks())
    for name in ("line_text", "line_raw"):
        connection.create_scalar_function(name, lambda *_: "", 4, flags=apsw.SQLITE_INNOCUOUS)
    connection.set_progress_handler(step, 1)
    assert connection.execute(ask).fetchall() or any(
        name in ask for name in ("oddities", "marks", "quota")
    )
    connection.close()
    return count


@pytest.mark.parametrize("table", PUBLIC)
def test_the_first_rows_take_as_much_work_in_a_long_history(
    sqlite: SqliteStore, table: str
) -> None:
    history(sqlite, range(1, 4))
    ask = f"SELECT * FROM {table} LIMIT 5"  # noqa: S608
    few = steps(sqlite, ask)
    history(sqlite, range(4, 40))

    assert steps(sqlite, ask) < 2 * few


@pytest.mark.parametrize("table", "lines usage tool_calls hook_events hook_join events".split())
def test_a_session_takes_as_much_work_in_a_long_history(sqlite: SqliteStore, table: str) -> None:
    history(sqlite, range(1, 4))
    ask = f"SELECT * FROM {table} WHERE session_id = 's2'"  # noqa: S608
    few = steps(sqlite, ask)
    history(sqlite, range(4, 40))

    assert steps(sqlite, ask) < 2 * few


def test_values_are_bound_and_rows_are_limited(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line().line().line().batch()])
    ask = "SELECT line_number FROM lines WHERE line_number > ? ORDER BY 1"

    assert sqlite.sql(ask, (1,), limit=1) == (["line_number"], [(2,)])


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM line",
        "SELECT id FROM session",
        "SELECT * FROM sqlite_schema",
        "DELETE FROM lines",
        "INSERT INTO marks VALUES ('', '', 0, 0, '')",
        "CREATE TEMP TABLE x (y)",
        "PRAGMA user_version",
        "ATTACH 'other.db' AS other",
        "SELECT load_extension('x')",
        "VACUUM INTO 'copy.db'",
        "BEGIN",
    ],
)
def test_only_documented_names_can_be_read(sqlite: SqliteStore, text: str) -> None:
    with pytest.raises(UsageError):
        sqlite.sql(text)
    assert sqlite.sql("SELECT 1")[1] == [(1,)]


@pytest.mark.parametrize(
    "text", ["", " ", "-- nothing", "SELEC", "SELECT 1; SELECT 2", "SELECT ?", "SELECT 1\0"]
)
def test_what_is_no_question_is_told_in_a_sentence(sqlite: SqliteStore, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        sqlite.sql(text)

    assert "\n" not in str(caught.value)


def test_a_question_without_end_is_ended(sqlite: SqliteStore) -> None:
    with pytest.raises(StoreError, match=r"longer than 0\.05 seconds"):
        sqlite.sql(ENDLESS, seconds=0.05)


def test_a_value_without_end_is_refused(sqlite: SqliteStore) -> None:
    with pytest.raises(StoreError, match="too big"):
        sqlite.sql("SELECT zeroblob(900000000)")


def test_words_can_be_matched_in_all_texts(sqlite: SqliteStore) -> None:
    sqlite.commit([Source().line("a kettle").line("kettle", "tool_result").line("pot").batch()])
    ask = "SELECT line_number FROM texts JOIN lines USING (line_id) WHERE body MATCH ? ORDER BY 1"

    assert sqlite.sql(ask, ("kettle",))[1] == [(1,), (2,)]


def test_counting_and_json_are_allowed(sqlite: SqliteStore) -> None:
    assert sqlite.sql("SELECT count(*) FROM lines")[1] == [(0,)]
    assert sqlite.sql("SELECT value FROM json_each('[1, 2]')")[1] == [(1,), (2,)]
    assert sqlite.sql("WITH x AS (SELECT 1) SELECT count(*) FROM x")[1] == [(1,)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> SqliteStore:
    return SqliteStore(tmp_path_factory.mktemp("sql"), mode="ro")


@given(st.text())
def test_no_text_raises_anything_else(shared: SqliteStore, text: str) -> None:
    for ask in (text, f"SELECT {text}", f"SELECT 1 FROM lines WHERE {text}"):  # noqa: S608
        try:
            shared.sql(ask, seconds=0.2)
        except (StoreError, UsageError):
            continue
