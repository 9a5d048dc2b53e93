"""Weeks: tables that grow with time are cut into them, so that old rows can be dropped at once."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final, NamedTuple

from psycopg import errors

from unspool.store.postgres.database import Connection, Pool, in_our_words
from unspool.store.postgres.schema import LOCK

TABLES: Final = ("segment", "line", "hook", "body")
WEEK: Final = 7 * 86_400_000
DAY: Final = 86_400_000
EARLIEST: Final = 1_577_836_800_000  # 2020-01-01: no transcript is older
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MONDAY: Final = 4 * DAY  # 1970-01-05
_FOREVER: Final = 2**62

NOW: Final = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
_LOCK: Final = "SELECT pg_advisory_xact_lock(%s, 1)"
_KNOWN: Final = """
    SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = %s::regclass
"""
_MAKE: Final = "CREATE TABLE {table}_{name} (LIKE {table} INCLUDING ALL)"
# Attached, not made as a part: the latter keeps everyone from the whole table.
_ATTACH: Final = (
    "ALTER TABLE {table} ATTACH PARTITION {table}_{name} FOR VALUES FROM ({0}) TO ({1})"
)


class TimeWindow(NamedTuple):
    """A time from its first millisecond up to but without the last."""

    since: int
    until: int


def clamped(at: int, now: int) -> int:
    """A time that a row may have: a broken clock must not make partitions."""
    return max(EARLIEST, min(at, now + DAY))


def week_of(at: int) -> int:
    """When the week of a time began, on a Monday."""
    return at - (at - _MONDAY) % WEEK


class Partitions:
    """The weeks of one database, as this process knows them; more there are no harm."""

    def __init__(self, pool: Pool, ahead: int) -> None:
        self._pool, self._ahead, self._lock = pool, ahead, Lock()
        self._weeks: set[int] = set()
        self._given_up: set[int] = set()
        self._next_look = 0

    def make(self, times: Iterable[int], now: int) -> None:
        """See that there is a partition for each of some times, and for the weeks to come.

        Where that is not possible, because rows of that week are in the default partition or
        somebody holds it, rows go to the default partition: nothing depends on where they are.
        """
        wanted = {week_of(clamped(at, now)) for at in times}
        if now >= self._next_look:
            wanted |= {week_of(now) + week * WEEK for week in range(self._ahead + 1)}
        if wanted <= self._weeks | self._given_up:
            return
        with self._lock, in_our_words(), self._pool.connection() as connection:
            self._weeks = set(known_weeks(connection))
            self._next_look = week_of(now) + WEEK
            for week in sorted(wanted - self._weeks):
                self._make(connection, week)

    def _make(self, connection: Connection, week: int) -> None:
        try:
            with connection.transaction():
                connection.execute("SET LOCAL lock_timeout = '2s'")
                connection.execute(_LOCK, (LOCK,))
                if week not in known_weeks(connection):
                    for table in TABLES:
                        for change in (_MAKE, _ATTACH):
                            text = change.format(week, week + WEEK, table=table, name=_name(week))
                            connection.execute(text.encode())
            self._weeks.add(week)
        except (errors.CheckViolation, errors.LockNotAvailable):
            self._given_up.add(week)

    def windows(self, since: int | None = None, until: int | None = None) -> Iterator[TimeWindow]:
        """All time in windows of at most one partition each, the newest first.

        `until` is included.
        """
        first, last = since if since is not None else -_FOREVER, _FOREVER
        if until is not None:
            last = min(last, until + 1)
        for week in sorted(self._weeks, reverse=True):
            for edge in (week + WEEK, week):
                if first < edge < last:
                    yield TimeWindow(edge, last)
                    last = edge
        if first < last:
            yield TimeWindow(first, last)


def known_weeks(connection: Connection) -> list[int]:
    """The weeks that have a partition of any table: of some, old ones may have been dropped."""
    found = (partition_weeks(connection, table).values() for table in TABLES)
    return sorted({week for weeks in found for week in weeks})


def partition_weeks(connection: Connection, table: str) -> dict[str, int]:
    """The partitions of a table, each with the beginning of its week."""
    names = [name for (name,) in connection.execute(_KNOWN, (table,)).fetchall()]
    days = {name: name.removeprefix(f"{table}_") for name in names}
    return {name: _begin(day) for name, day in days.items() if day.isdigit()}


def _name(week: int) -> str:
    return f"{_EPOCH + timedelta(milliseconds=week):%Y%m%d}"


def _begin(name: str) -> int:
    began = datetime.strptime(name, "%Y%m%d").replace(tzinfo=UTC) - _EPOCH
    return began // timedelta(milliseconds=1)
