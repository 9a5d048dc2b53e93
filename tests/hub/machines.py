"""A laid out database for a hub, people and machines in it, and all that it holds."""

from collections.abc import Iterable, Iterator
from typing import Any

import zstandard

from tests.hub.made import envelope
from tests.store.made import START, price
from tests.store.postgres.cluster import CLUSTER
from unspool.model.shipping import EnrolAnswer, EnrolRequest, MachineIdentity, Receipt, Shipment
from unspool.store.postgres.database import open_pool
from unspool.store.postgres.people import PeopleTable
from unspool.store.postgres.shipments import ShipmentWriter
from unspool.store.postgres.store import PostgresStore

_OWNED = """
    SELECT c.table_name, c.column_name FROM information_schema.columns AS c
    JOIN information_schema.tables AS t USING (table_schema, table_name)
    WHERE c.table_schema = 'unspool' AND t.table_type = 'BASE TABLE'
        AND c.column_name IN ('owner', 'viewer', 'person')
"""


class HubDatabase:
    """A database of its own, as a hub has it open: this one, or one of the tests' cluster."""

    def __init__(self, url: str = "") -> None:
        self.url, self._is_ours = url or CLUSTER.database(), not url
        self.pool = open_pool(self.url)
        self.people = PeopleTable(self.pool)
        self.writer = ShipmentWriter(self.pool, price, weeks_ahead=0)
        self.keys: dict[str, str] = {}

    def person(self, name: str = "ada", role: Any = "admin") -> str:
        return self.people.add_person(name, role, START)

    def machine(self, name: str = "laptop", person: str = "ada") -> MachineIdentity:
        """A machine of a person, either of whom may be new."""
        known = {one.name: one.owner for one in self.people.people()}
        if person not in known:
            self.person(person)
            known = {one.name: one.owner for one in self.people.people()}
        code = self.people.new_code(known[person], START)
        answer = self.people.enrol(EnrolRequest(code=code, name=name), START)
        assert isinstance(answer, EnrolAnswer)
        self.keys[name] = answer.key
        found = self.people.by_key(answer.key, START)
        assert found is not None
        return found

    def accept(self, sender: MachineIdentity, *shipments: Shipment) -> Receipt:
        return self.writer.accept(sender, envelope(*shipments), START)

    def store(self, owner: int) -> PostgresStore:
        """What an owner sees; it shares the pool."""
        return PostgresStore(self.pool, owner=owner, weeks_ahead=0)

    def tables(self) -> dict[str, list[str]]:
        """Every row of every table, as text."""
        ask = """
            SELECT relname FROM pg_class WHERE relnamespace = 'unspool'::regnamespace
                AND relkind IN ('r', 'p') AND NOT relispartition
        """
        with self.pool.connection() as connection:
            names = [name for (name,) in connection.execute(ask)]
            return {
                name: [row for (row,) in connection.execute(f"SELECT t::text FROM {name} AS t")]  # noqa: S608
                for name in names
            }

    def rows_of(self, owner: int) -> dict[str, int]:
        """How many rows each table has of a person, by whichever column it says so."""
        with self.pool.connection() as connection:
            named = connection.execute(_OWNED).fetchall()
            found = dict.fromkeys((table for table, _ in named), 0)
            for table, column in named:
                count = f"SELECT count(*) FROM {table} WHERE {column} = %s"  # noqa: S608
                ((rows,),) = connection.execute(count.encode(), (owner,)).fetchall()
                found[table] += rows
            keys = "SELECT count(*) FROM machine_key JOIN machine USING (machine) WHERE owner = %s"
            ((found["machine_key"],),) = connection.execute(keys, (owner,)).fetchall()
        return found

    def holds(self, words: Iterable[str]) -> set[str]:
        """Which of some words are in any value of any table, unpacked where it is packed."""
        data = b"\n".join(self.values()).lower()
        return {word for word in words if word.lower().encode() in data}

    def values(self) -> Iterator[bytes]:
        """Every row of every table as text, and every piece, unpacked."""
        for rows in self.tables().values():
            yield "\n".join(rows).encode()
        with self.pool.connection() as connection:
            for table in ("segment", "output_piece", "quarantine", "fold", "session", "agent"):
                for row in connection.execute(f"SELECT * FROM {table}".encode()):  # noqa: S608
                    yield from (_unpacked(one) for one in row if isinstance(one, bytes))

    def close(self) -> None:
        self.pool.close()
        if self._is_ours:
            CLUSTER.give_back(self.url)


def _unpacked(value: bytes) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(value, 2**26)
    except zstandard.ZstdError:
        return value
