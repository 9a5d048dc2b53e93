"""A person -> nothing of theirs in any table, but a number that nobody gets again."""

from typing import Final, NamedTuple

from unspool.errors import NotFound
from unspool.store.postgres.audit import note
from unspool.store.postgres.causes import add_up_days
from unspool.store.postgres.database import Connection
from unspool.store.postgres.people import shut
from unspool.store.postgres.rebuild import SUMS, discard
from unspool.store.postgres.tables import HubTable, ask, run

_MOST: Final = 20_000  # rows of one transaction, while others go on
_PERSON: Final = "SELECT owner FROM person WHERE owner > 0 AND name = %(name)s"
_COUNTS: Final = """
    SELECT (SELECT count(*) FROM machine WHERE owner = %(owner)s),
        (SELECT coalesce(sum(sessions), 0)::bigint FROM project WHERE owner = %(owner)s)
"""
# Whatever has an owner, also tables that a later version adds. Those of rows are the tables
# without partitions and each partition; triggers keep the sums and come last.
_TABLES: Final = """
    SELECT c.oid::regclass::text FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'owner'
    WHERE c.relnamespace = 'unspool'::regnamespace AND {}
        AND c.relname NOT IN ('person', 'machine')
    ORDER BY c.relname <> 'session', c.relname
"""
_OF_ROWS: Final = "c.relkind = 'r'"
_WHOLE: Final = "c.relkind IN ('r', 'p') AND NOT c.relispartition"
_SOME: Final = """
    WITH gone AS (
        DELETE FROM {0} WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM {0} WHERE owner = %(owner)s LIMIT %(most)s))
        RETURNING 1
    ) SELECT count(*) FROM gone
"""
# In the order of all who write: then none of them waits for us while we wait for it.
_LOCKS: Final = (
    "SELECT 1 FROM person WHERE owner = %(owner)s FOR UPDATE",
    "SELECT 1 FROM machine WHERE owner = %(owner)s ORDER BY machine FOR UPDATE",
    "SELECT 1 FROM source WHERE owner = %(owner)s ORDER BY source FOR UPDATE",
)
# What was done stays, and when; not by whom, with what, and from where.
_UNNAME: Final = """
    UPDATE audit SET person = NULL, machine = NULL, about = '', address = ''
    WHERE person = %(owner)s
        OR machine IN (SELECT machine FROM machine WHERE owner = %(owner)s)
        OR EXISTS (
            SELECT 1 FROM machine AS m
            WHERE m.owner = %(owner)s AND starts_with(about, m.name || '~'))
        OR (what LIKE 'person %%' OR what IN ('role changed', 'enrolment code made'))
            AND (about IN (%(name)s, 'for ' || %(name)s) OR starts_with(about, %(name)s || ', '))
"""
_MARKS: Final = (
    """UPDATE person SET marks = marks + 1 WHERE owner IN (
        SELECT viewer FROM mark WHERE owner = %(owner)s)""",
    "DELETE FROM mark WHERE viewer = %(owner)s",
)
_KEYS: Final = """
    DELETE FROM machine_key AS k USING machine AS m
    WHERE m.machine = k.machine AND m.owner = %(owner)s
"""
_NUMBER_ALONE: Final = """
    UPDATE person SET seq = 0, prices = '', marks = 0, edition = edition + 1, name = NULL,
        role = 'member', token_sha = NULL, created_at = 0, closed_at = 0
    WHERE owner = %(owner)s
"""


class ErasurePlan(NamedTuple):
    """How much there is of somebody."""

    machines: int
    sessions: int


class PersonEraser(HubTable):
    """Erases people, also those who were closed. What was begun and killed is begun again."""

    def plan(self, name: str) -> ErasurePlan:
        """What would be erased; NotFound for somebody who is not there."""
        with self._changing() as connection:
            owner = _owner(connection, name)
            return ErasurePlan(*ask(connection, _COUNTS, owner=owner)[0])

    def erase(self, name: str, now: int) -> None:
        """Refuse somebody and their machines, then take out all that is theirs."""
        with self._changing() as connection:
            owner = _owner(connection, name)
            shut(connection, owner, now)
            run(connection, _KEYS, owner=owner)
            tables = [table for (table,) in ask(connection, _TABLES.format(_OF_ROWS))]
        for table in tables:
            while self._erase_some(table, owner):
                pass
        with self._changing() as connection:
            _erase_rest(connection, owner, name)
            note(connection, now, "person erased", name)
        while add_up_days(self._pool):  # sums of everybody are without them, whoever reads them
            pass

    def _erase_some(self, table: str, owner: int) -> bool:
        """Whether there may be more."""
        with self._changing() as connection:
            ((gone,),) = ask(connection, _SOME.format(table), owner=owner, most=_MOST)
        return bool(gone == _MOST)


def _erase_rest(connection: Connection, owner: int, name: str) -> None:
    """What was written meanwhile, and what is short; nothing is written afterwards."""
    for lock in _LOCKS:
        ask(connection, lock, owner=owner)
    discard(connection, -owner)
    run(connection, _UNNAME, owner=owner, name=name)
    tables = [table for (table,) in ask(connection, _TABLES.format(_WHOLE))]
    for change in (*_MARKS, _KEYS):
        run(connection, change, owner=owner)
    for table in sorted(tables, key=lambda table: table in SUMS):
        run(connection, f"DELETE FROM {table} WHERE owner = %(owner)s", owner=owner)  # noqa: S608
    run(connection, "DELETE FROM machine WHERE owner = %(owner)s", owner=owner)
    run(connection, _NUMBER_ALONE, owner=owner)


def _owner(connection: Connection, name: str) -> int:
    rows = ask(connection, _PERSON, name=name)
    if not rows:
        raise NotFound(f"There is no person called {name!r}. `unspool hub person` lists everyone.")
    return int(rows[0][0])
