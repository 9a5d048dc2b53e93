"""Responses, sessions and tool calls as rows for other databases, by UTC day and machine.

Everything is read at one moment, through cursors: no answer is held whole. A digest of each day of
each machine is made of the very columns that its rows have, so whatever changes them shows in it.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from unspool.store.postgres.database import Connection, Database, Row
from unspool.store.postgres.partitions import DAY
from unspool.store.postgres.sessions import HEAD

ColumnKind: TypeAlias = Literal["text", "int", "pico", "time", "bool"]

_BATCH: Final = 2_000  # rows that come at a time
_LATEST: Final = 253_402_300_799_999  # the end of 9999: not every reader has dates after it
_LARGEST: Final = 2**63 - 1


class ExportColumn(NamedTuple):
    """What a column holds, and how it is asked for."""

    kind: ColumnKind
    sql: str


class DayDigest(NamedTuple):
    """The rows of a machine on a day: how many, and a sum that changes when one of them does."""

    day: int  # since 1970
    machine: str
    rows: int
    digest: str


def _time(sql: str) -> str:
    """A time that every reader has a date for: clocks, and files, may say anything."""
    # An unknown time stays unknown: `least` would leave it out.
    return f"CASE WHEN {sql} IS NOT NULL THEN greatest(0, least({sql}, {_LATEST})) END"


def _day(sql: str) -> str:
    """The day of a time; the first one of all if nobody knows the time."""
    return f"coalesce({_time(sql)}, 0) / {DAY}"


def _count(sql: str) -> str:
    """A sum of counters, each of which may be as large as a hostile file says."""
    return f"least(coalesce({sql}, 0), {_LARGEST})::bigint"


# Hooks alone do not say how many agents there are.
_IS_READ: Final = "a.agents > 0 OR e.lines IS NOT NULL"
# Names of machines have no underscore: a number cannot be taken for one.
_WHOSE: Final = {
    "person": ExportColumn("text", "coalesce(p.name, '')"),
    "machine": ExportColumn("text", "coalesce(m.name, '_' || e.machine)"),
    "project_id": ExportColumn("text", "e.project_id"),
    "session_id": ExportColumn("text", "e.session_id"),
}
_PEOPLE: Final = """
    JOIN person AS p ON p.owner = e.owner
    LEFT JOIN machine AS m ON m.owner = e.owner AND m.machine = e.machine
"""
COLUMNS: Final[Mapping[str, Mapping[str, ExportColumn]]] = {
    "usage": {
        **_WHOSE,
        "agent_id": ExportColumn("text", "r.agent_id"),
        "message_key": ExportColumn("text", "r.message_key"),
        "model": ExportColumn("text", "r.model"),
        "at": ExportColumn("time", _time("r.timestamp")),
        "input_tokens": ExportColumn("int", "r.input_tokens"),
        "output_tokens": ExportColumn("int", "r.output_tokens"),
        "cache_read_tokens": ExportColumn("int", "r.cache_read_tokens"),
        "cache_creation_tokens": ExportColumn("int", "r.cache_creation_tokens"),
        "cache_creation_5m": ExportColumn("int", "r.cache_creation_5m"),
        "cache_creation_1h": ExportColumn("int", "r.cache_creation_1h"),
        "web_searches": ExportColumn("int", "r.web_searches"),
        "speed": ExportColumn("text", "r.speed"),
        "geo": ExportColumn("text", "r.geo"),
        "usd_pico": ExportColumn("pico", "r.usd_pico"),
        "is_priced": ExportColumn("bool", "r.usd_pico IS NOT NULL"),
        "lower_bound": ExportColumn("bool", "NOT r.is_finished"),
    },
    "sessions": {
        **_WHOSE,
        "title": ExportColumn("text", "e.title"),
        "cwd": ExportColumn("text", "e.cwd"),
        "git_branch": ExportColumn("text", "e.git_branch"),
        "model": ExportColumn("text", "e.model"),
        "version": ExportColumn("text", "e.version"),
        "origin": ExportColumn("text", "e.origin"),
        "is_displayable": ExportColumn("bool", "e.is_displayable"),
        "start_time": ExportColumn("time", _time("e.start_time")),
        "end_time": ExportColumn("time", _time("e.end_time")),
        "last_activity": ExportColumn("time", _time("e.last_activity")),
        "message_count": ExportColumn("int", "e.message_count"),
        "compactions": ExportColumn("int", "e.compactions"),
        "events": ExportColumn("int", _count("s.events")),
        "tool_calls": ExportColumn("int", _count("s.calls")),
        "agents": ExportColumn("int", f"CASE WHEN {_IS_READ} THEN {_count('a.agents')} END"),
        "responses": ExportColumn("int", _count("t.responses")),
        "input_tokens": ExportColumn("int", _count("t.input_tokens")),
        "output_tokens": ExportColumn("int", _count("t.output_tokens")),
        "cache_read_tokens": ExportColumn("int", _count("t.cache_read_tokens")),
        "cache_creation_tokens": ExportColumn("int", _count("t.cache_creation_tokens")),
        "usd_pico": ExportColumn("pico", "coalesce(t.usd_pico, 0)"),
        "unpriced": ExportColumn("int", _count("t.unpriced")),
    },
    "tool_calls": {
        **_WHOSE,
        "agent_id": ExportColumn("text", "coalesce(nullif(c.agent_id, ''), c.file_agent)"),
        "tool_use_id": ExportColumn("text", "c.tool_use_id"),
        "name": ExportColumn("text", "coalesce(c.name, '')"),
        "start_time": ExportColumn("time", _time("c.called")),
        "answered": ExportColumn("time", _time("r.answered")),
        "state": ExportColumn(
            "text", "CASE WHEN r.result IS NULL THEN 'no_result' ELSE coalesce(r.state, '') END"
        ),
        "is_error": ExportColumn("bool", "coalesce(r.is_error, false)"),
    },
}
# The rows of each table: the day of one, and where it comes from. A call may stand in several
# files of a session: the earliest row that made it stands for it, and the earliest answer is
# joined to it.
_ROWS: Final = {
    "usage": (
        _day("r.timestamp"),
        f"""
        FROM response AS r JOIN session AS e ON e.owner = r.owner AND e.session = r.session
        {_PEOPLE} WHERE r.owner = ANY(%(visible)s) AND r.is_used
        """,
    ),
    "sessions": (
        _day("e.start_time"),
        f"""
        FROM session AS e {_PEOPLE} LEFT JOIN (
            SELECT owner, session, sum(events) AS events, sum(calls) AS calls FROM source
            WHERE owner = ANY(%(visible)s) AND NOT superseded GROUP BY 1, 2
        ) AS s ON s.owner = e.owner AND s.session = e.session
        LEFT JOIN (
            SELECT owner, session, count(*) AS agents FROM agent
            WHERE owner = ANY(%(visible)s) GROUP BY 1, 2
        ) AS a ON a.owner = e.owner AND a.session = e.session
        LEFT JOIN (
            SELECT owner, session, sum(responses) AS responses, sum(input_tokens) AS input_tokens,
                sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens,
                sum(cache_creation_tokens) AS cache_creation_tokens, sum(usd_pico) AS usd_pico,
                sum(unpriced) AS unpriced
            FROM total WHERE owner = ANY(%(visible)s) GROUP BY 1, 2
        ) AS t ON t.owner = e.owner AND t.session = e.session
        WHERE e.owner = ANY(%(visible)s) AND (e.project_id, e.session_id) <> ('', '')
        """,  # noqa: S608
    ),
    "tool_calls": (
        _day("coalesce(c.called, c.call_at)"),
        f"""
        FROM (
            SELECT DISTINCT ON (s.owner, s.session, t.tool_use_id) s.owner, s.session,
                s.agent_id AS file_agent, t.tool_use_id, t.agent_id, t.name, t.called, t.call_at
            FROM source AS s JOIN tool AS t ON t.owner = s.owner AND t.source = s.source
            WHERE s.owner = ANY(%(visible)s) AND NOT s.superseded AND t.call IS NOT NULL
            ORDER BY 1, 2, t.tool_use_id, t.call_at, s.kind <> 'main', s.source_id
        ) AS c LEFT JOIN (
            SELECT DISTINCT ON (s.owner, s.session, t.tool_use_id) s.owner, s.session,
                t.tool_use_id, t.result, t.answered, t.state, t.is_error
            FROM source AS s JOIN tool AS t ON t.owner = s.owner AND t.source = s.source
            WHERE s.owner = ANY(%(visible)s) AND NOT s.superseded AND t.result IS NOT NULL
            ORDER BY 1, 2, t.tool_use_id, t.result_at, s.kind <> 'main', s.source_id
        ) AS r ON r.owner = c.owner AND r.session = c.session AND r.tool_use_id = c.tool_use_id
        JOIN session AS e ON e.owner = c.owner AND e.session = c.session {_PEOPLE}
        """,  # noqa: S608
    ),
}
_DIGESTS: Final = """
    SELECT x.day, x.machine, count(*), sum(hashtextextended(x::text, 0)::numeric)::text
    FROM ({}) AS x WHERE x.day >= %(since)s GROUP BY 1, 2 ORDER BY 1, 2
"""
_OF_DAYS: Final = """
    SELECT x.* FROM ({}) AS x WHERE (x.day, x.machine) IN (
        SELECT * FROM unnest(%(days)s::bigint[], %(machines)s::text[]))
    ORDER BY x.day, x.machine, {}
"""
# The order of the rows of a file: what is asked for together lies together.
_ORDER: Final = {
    "usage": "x.at, x.message_key",
    "sessions": "x.start_time, x.project_id, x.session_id",
    "tool_calls": "x.start_time, x.session_id, x.tool_use_id",
}


def _rows(table: str) -> str:
    day, source = _ROWS[table]
    columns = ", ".join(f"{one.sql} AS {name}" for name, one in COLUMNS[table].items())
    return f"SELECT {day} AS day, {columns} {source}"


class ExportReader(Database):
    """Reads what some owners have."""

    @contextmanager
    def snapshot(self) -> Iterator["ExportSnapshot"]:
        """All tables as they are at one moment."""
        with self.moment() as connection:
            # All rows of a cursor are wanted, not the first ones soon.
            connection.execute("SET LOCAL cursor_tuple_fraction = 1")
            yield ExportSnapshot(self, connection)


class ExportSnapshot:
    """The tables at one moment, and the seq of the last change they contain."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._connection, self._visible = connection, database.visible
        ((seq,),) = database.ask(connection, HEAD)
        self.seq = int(seq)

    def digests(self, table: str, since: int = 0) -> Iterator[DayDigest]:
        """Every day of every machine that has rows, from a day on."""
        for row in self._each(_DIGESTS.format(_rows(table)), since=since):
            yield DayDigest(*row)

    def rows(self, table: str, parts: Sequence[tuple[int, str]]) -> Generator[Row]:
        """The rows of some days of some machines, one such part after the other.

        Each begins with its day and has the columns of the table after it.
        """
        days, machines = [day for day, _ in parts], [machine for _, machine in parts]
        ask = _OF_DAYS.format(_rows(table), _ORDER[table])
        yield from self._each(ask, days=days, machines=machines)

    def _each(self, ask: str, **values: Any) -> Generator[Row]:
        with self._connection.cursor("export") as cursor:
            cursor.itersize = _BATCH
            cursor.execute(ask.encode(), {**values, "visible": self._visible})
            yield from cursor
