"""The export: other readers find what the hub says."""

import json
import re
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.demo.generator.made import PRICES
from tests.engine.indexing.roots import PRICER
from tests.hub.collector.machine import FaultyLink, LocalMachine, service
from tests.hub.exports import TABLES, TODAY, TOMORROW, Export, sums, two_days
from tests.hub.exports import exported as exported
from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.hub.processes import HubProcess
from tests.plain_http import NO_TLS
from tests.store.made import START, Source, price, usage
from tests.store.stores import EVERYTHING
from tests.waiting import until
from unspool.cli import config, main
from unspool.demo import generate
from unspool.derive.usage.responses import unknown_agent
from unspool.hub import export as module
from unspool.hub.export import MANIFEST
from unspool.hub.maintenance import HubMaintenance
from unspool.model.usage import Price, UsageRow
from unspool.store.postgres.export import COLUMNS


def test_days_and_machines_have_files_that_readers_find(exported: Export) -> None:
    two_days(exported.hub)
    report = exported()

    assert exported.files().keys() == {
        MANIFEST,
        f"usage/day={TODAY}/part-laptop.parquet",
        f"usage/day={TOMORROW}/part-laptop.parquet",
        f"usage/day={TODAY}/part-desk.parquet",
        f"sessions/day={TODAY}/part-laptop.parquet",
        f"sessions/day={TODAY}/part-desk.parquet",
        f"tool_calls/day={TODAY}/part-laptop.parquet",
    }
    assert (report.tables["usage"].written, report.tables["usage"].rows) == (3, 4)
    assert exported.ask('SELECT day::text, machine, person, "at"::text FROM {usage} ORDER BY ALL')[
        0
    ][:3] == (TODAY, "desk", "bob")
    file = pq.ParquetFile(exported.path / f"usage/day={TODAY}/part-laptop.parquet")
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.schema_arrow.field("at").type == pa.timestamp("ms", tz="UTC")
    assert file.schema_arrow.field("usd_pico").type == pa.decimal128(38, 0)


def documented(engine: str, path: Path) -> str:
    """The query that the guide has for an engine, of files in this place."""
    text = Path("docs/hub.md").read_text()
    block = text.partition("### Query it")[2].partition(engine)[2].partition("```sql")[2]
    return block.partition("```")[0].replace("/srv/lake", str(path)).replace("2026-", "2025-")


def test_the_query_of_the_guide_is_answered_by_duckdb(exported: Export) -> None:
    two_days(exported.hub)
    exported()
    rows = exported.ask(documented("DuckDB", exported.path))

    assert [row[1:] for row in rows] == [("ada", 2e-9), ("bob", 1e-9)]


def test_the_guide_lists_the_columns_of_every_table() -> None:
    cells = [line.split("|") for line in Path("docs/hub.md").read_text().splitlines()]
    listed = {one[1].strip(" `"): re.findall(r"`(\w+)`", one[3]) for one in cells if len(one) == 5}

    for table in TABLES:
        assert listed[table] == list(COLUMNS[table])


def test_rows_say_what_the_hub_knows(exported: Export) -> None:
    two_days(exported.hub)
    exported()
    usage = {(row["machine"], row["message_key"]): row for row in exported.arrow("usage")}
    (call,) = exported.arrow("tool_calls")
    session = {row["machine"]: row for row in exported.arrow("sessions")}["laptop"]

    one, unpriced = usage["laptop", "m:1"], usage["laptop", "m:3"]
    assert (one["usd_pico"], one["is_priced"], one["output_tokens"]) == (1000, True, 5)
    assert (one["at"].timestamp() * 1000, one["day"]) == (START + 1000, TODAY)
    assert (unpriced["usd_pico"], unpriced["is_priced"]) == (None, False)
    assert (call["name"], call["state"], call["is_error"]) == ("Bash", "error", True)
    assert (call["answered"] - call["start_time"]).total_seconds() == 1
    assert (session["title"], session["project_id"]) == ("Kettles", "laptop~-repo")
    assert (session["usd_pico"], session["responses"], session["unpriced"]) == (2000, 3, 1)
    assert (session["events"], session["tool_calls"]) == (4, 1)


def test_a_spool_is_no_session_and_hooks_do_not_count_agents(exported: Export) -> None:
    spool = Source(4, "", kind="spool", project="").line()
    spool.tells(session_id="h1", project_id="-repo", origin="hook")
    exported.hub.accept(exported.hub.machine(), shipment(spool.batch()))
    exported("sessions")

    rows = [(row["session_id"], row["agents"]) for row in exported.arrow("sessions")]
    assert rows == [("h1", None)]


def filled(hub: HubDatabase, path: Path) -> None:
    """Two machines of one person and one of another have sent generated roots; two are copies."""
    for name, person, seed in (("laptop", "ada", 1), ("desk", "ada", 1), ("server", "bob", 2)):
        generate(path / name, mb=0, seed=seed, prices=PRICES)
        machine = LocalMachine(path / name)
        machine.sweep()
        hub.machine(name, person)
        link = FaultyLink(service(hub), hub.keys[name], Random(0), 0)
        machine.collector(lambda link=link: link).run(once=True)
    HubMaintenance(hub.pool, PRICER, "", weeks_ahead=0).step()


def test_the_sums_of_generated_roots_are_those_of_the_hub(exported: Export, tmp_path: Path) -> None:
    filled(exported.hub, tmp_path / "roots")
    report, store = exported(), exported.reader()
    wanted = sums(store)
    by_day = "SELECT day::text, sum(usd_pico)::bigint, count(*) FROM {usage} GROUP BY 1"
    arrow = [row["usd_pico"] or 0 for row in exported.arrow("usage")]
    sessions = {(row["project_id"], row["session_id"]): row for row in exported.arrow("sessions")}
    owned = store.usage_of(list(sessions))
    calls = store.facts_of(0, 2**62).calls()

    assert {day: (pico or 0, count) for day, pico, count in exported.ask(by_day)} == wanted
    assert sum(arrow) == sum(pico for pico, _ in wanted.values()) > 0
    assert exported.manifest().tables["usage"].seq == report.seq == store.head()
    assert sessions.keys() == {(it.project_id, it.session_id) for it in store.sessions(EVERYTHING)}
    assert {key: row["usd_pico"] for key, row in sessions.items() if row["responses"]} == {
        key: sum(one.usd_pico for one in models) for key, models in owned.items()
    }
    (same,) = exported.ask("SELECT sum(usd_pico)::bigint FROM {sessions}")
    assert same == (sum(arrow),)
    timed = exported.ask("SELECT count(*) FROM {tool_calls} WHERE start_time IS NOT NULL")
    assert timed == [(len(calls),)]
    assert len(wanted) > 3
    assert not any(exported().tables[table].written for table in TABLES)


def _unless(stand_in: UsageRow) -> Price:
    """A price for everything but one."""
    return lambda row: None if row.message_key == stand_in.message_key else price(row)


def test_an_agent_of_which_nothing_is_known_is_a_row_without_a_price(exported: Export) -> None:
    laptop = exported.hub.machine()
    stand_in = unknown_agent("a1", b"", START)
    source = Source(5).line().spends().uses(stand_in).tells()
    exported.hub.accept(laptop, shipment(source.batch()))
    exported.reader().reprice(_unless(stand_in), "p")
    exported()
    rows = {row["agent_id"]: row for row in exported.arrow("usage")}

    assert sums(exported.reader()) == {TODAY: (1000, 2)}
    assert (rows["a1"]["model"], rows["a1"]["is_priced"]) == ("unknown agent", False)
    assert sum(row["usd_pico"] or 0 for row in rows.values()) == 1000


def test_times_that_nobody_knows_or_has_lie_on_days_that_readers_have(exported: Export) -> None:
    laptop = exported.hub.machine()
    source = Source(5).line().spends("m:none", at=None).spends("m:never", at=2**62)
    source.uses(usage("m:before", 5)._replace(timestamp=-5))
    exported.hub.accept(laptop, shipment(source.tells().batch()))
    exported()
    found = exported.ask('SELECT message_key, day::text, "at" IS NULL FROM {usage} ORDER BY 1')

    assert found == [
        ("m:before", "1970-01-01", False),
        ("m:never", "9999-12-31", False),
        ("m:none", "1970-01-01", True),
    ]


def test_a_long_day_is_written_in_groups_of_rows(
    exported: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_GROUP", 3)
    laptop, source = exported.hub.machine(), Source(5)
    for number in range(10):
        source.line().spends(f"m:{number}")
    exported.hub.accept(laptop, shipment(source.batch()))
    exported("usage")
    (file,) = exported.path.rglob("*.parquet")

    assert pq.ParquetFile(file).metadata.num_row_groups == 4
    assert exported.ask("SELECT count(DISTINCT message_key) FROM {usage}") == [(10,)]


@pytest.mark.slow
def test_clickhouse_adds_up_to_what_the_hub_answers(
    exported: Export, home: Path, tmp_path: Path
) -> None:
    import chdb  # noqa: PLC0415 - hundreds of megabytes

    generate(home / ".claude", mb=0, seed=3, prices=PRICES)
    with HubProcess(exported.hub.url, tmp_path / "hub") as process:
        runtime = process.start()
        owner = next(it.owner for it in exported.hub.people.people() if it.role == "admin")
        code = exported.hub.people.new_code(owner, config.now())
        assert main(["index", "build"]) == 0
        send = ["collect", "--once", "--hub", runtime.url, "--code", code, "--name", "laptop"]
        assert main(send) == 0
        exported()
        headers = {"authorization": f"Bearer {runtime.token}"}
        url = f"{runtime.url}/api/cost?timezone=UTC"
        responses = sum(count for _, count in sums(exported.reader()).values())

        def asked() -> dict[str, Any]:
            text = httpx.get(url, headers=headers, timeout=60, verify=NO_TLS).text
            return dict(json.loads(text, parse_float=Decimal))

        assert until(lambda: asked()["totals"]["responses"] == responses)
        answer = asked()
    said = {one["date"]: one["totalCost"] * 10**12 for one in answer["daily"]}
    by_day = "SELECT day::text, coalesce(sum(usd_pico), 0)::hugeint FROM {usage} GROUP BY 1"
    pattern = f"{exported.path}/usage/*/*.parquet"
    query = f"SELECT day, sum(usd_pico) FROM file('{pattern}', Parquet) GROUP BY day"  # noqa: S608
    answered = chdb.query(query, "CSV")  # type: ignore[no-untyped-call]
    rows = [line.split(",") for line in str(answered).split()]
    found = {day.strip('"'): 0 if pico == "\\N" else int(pico.strip('"')) for day, pico in rows}

    guide = documented("ClickHouse", exported.path)
    lines = str(chdb.query(guide, "CSV")).splitlines()  # type: ignore[no-untyped-call]
    assert {line.split(",")[0].strip('"') for line in lines} == found.keys()
    assert dict(exported.ask(by_day)) == found
    assert sum(found.values()) == answer["totals"]["totalCost"] * 10**12 > 0
    assert {day: pico for day, pico in found.items() if pico} == {
        day: pico for day, pico in said.items() if pico
    }
