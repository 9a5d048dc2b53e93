"""A hub that is exported, and what other readers find in the files."""

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.dataset as ds  # type: ignore[import-untyped]
import pytest

from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.store.made import START, UNPRICED, Source
from unspool.hub import export as module
from unspool.hub.export import MANIFEST, ExportManifest, ExportReport, export
from unspool.model.query import TotalsQuery
from unspool.model.shipping import MachineIdentity
from unspool.store.postgres.store import PostgresStore

TABLES = ("usage", "sessions", "tool_calls")
DAY = 86_400_000
TODAY, TOMORROW = "2025-10-09", "2025-10-10"  # of START, and the day after


class Export(NamedTuple):
    """A hub and the directory it is exported to."""

    hub: HubDatabase
    path: Path

    def __call__(self, *tables: str, since: int = 0) -> ExportReport:
        return export(self.hub.pool, self.path, tables or TABLES, since)

    def files(self) -> dict[str, tuple[int, int]]:
        """Every file with what differs when it is written again."""
        found = [one for one in self.path.rglob("*") if one.is_file() and one.name != ".lock"]
        stats = {str(one.relative_to(self.path)): one.stat() for one in found}
        return {name: (it.st_ino, it.st_mtime_ns) for name, it in stats.items()}

    def changed(self, before: dict[str, tuple[int, int]]) -> set[str]:
        """The names that were written, made or removed since."""
        now = self.files()
        names = before.keys() | now.keys()
        return {name for name in names if before.get(name) != now.get(name)} - {MANIFEST}

    def manifest(self) -> ExportManifest:
        return msgspec.json.decode((self.path / MANIFEST).read_bytes(), type=ExportManifest)

    def ask(self, query: str) -> list[Any]:
        """What DuckDB answers; `{usage}` and the like are the tables."""
        tables = {
            table: f"read_parquet('{self.path}/{table}/*/*.parquet', hive_partitioning = true)"
            for table in TABLES
        }
        with duckdb.connect() as connection:
            return connection.execute(query.format(**tables)).fetchall()

    def arrow(self, table: str) -> list[dict[str, Any]]:
        """The rows as pyarrow reads them."""
        schema = pa.schema([("day", pa.string())])
        parts = ds.partitioning(schema, flavor="hive")
        found = ds.dataset(self.path / table, format="parquet", partitioning=parts)
        return list(found.to_table().to_pylist())

    def reader(self) -> PostgresStore:
        """A store that sees everybody."""
        owners = [one.owner for one in self.hub.people.people()]
        return PostgresStore(self.hub.pool, owner=owners[0], visible=owners, weeks_ahead=0)


@pytest.fixture
def exported(hub: HubDatabase, tmp_path: Path) -> Export:
    return Export(hub, tmp_path / "lake")


def sums(store: PostgresStore) -> dict[str, tuple[int, int]]:
    """Picodollars and responses of each UTC day, as the hub's totals have them."""
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in store.totals(TotalsQuery()):
        of_day = found[module._date(one.quarter // DAY)]
        of_day[0] += one.usd_pico
        of_day[1] += one.responses
    return {day: (pico, count) for day, (pico, count) in found.items()}


def two_days(hub: HubDatabase) -> tuple[MachineIdentity, MachineIdentity]:
    """A laptop with responses on two days, and a desk of somebody else on the first."""
    laptop, desk = hub.machine(), hub.machine("desk", "bob")
    source = Source(5).line().spends("m:1").calls().line().answers(state="error").tells(
        title="Kettles", start_time=START, model="claude-opus-4-6"
    )  # fmt: skip
    source.at += DAY
    source.line().spends("m:2", 7).line().spends("m:3", geo=UNPRICED)
    hub.accept(laptop, shipment(source.batch()))
    hub.accept(desk, shipment(Source(6, "s2").line().spends("m:1").tells(start_time=START).batch()))
    return laptop, desk


def late(hub: HubDatabase, sender: MachineIdentity, key: str, at: int, id: int = 9) -> None:
    """A response that is sent after others, of any time."""
    hub.accept(sender, shipment(Source(id, f"s{id}", at=at).line().spends(key).tells().batch()))
