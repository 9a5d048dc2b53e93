"""Why something was spent: sums that upkeep makes from commits, and answers from them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from unspool.model.insights import CacheBreak, CauseReport, CauseSum
from unspool.model.query import CauseQuery, SessionKey
from unspool.store.postgres.activity import ActivityRange, ActivityReader
from unspool.store.postgres.database import Connection, Pool, Row, in_our_words
from unspool.store.postgres.partitions import NOW
from unspool.store.postgres.schema import LOCK
from unspool.store.postgres.tables import IS_ERASED
from unspool.store.sql_rows import TOTAL_COUNTS, TOTAL_SUMS

Derive: TypeAlias = Callable[[ActivityRange], CauseReport]
DayOf: TypeAlias = Callable[[int], int]

_FOREVER: Final = 2**62
_MOST_SESSIONS: Final = 100
_MOST_RESPONSES: Final = 20_000  # that are read at once
_MOST_DAYS: Final = 31
_MOST_BREAKS: Final = 20  # of one session that may be among the most expensive
_TAKEN_MS: Final = 60_000  # who took a session so long ago has died
# The lock of triggers on `session_cause`.
_ALONE: Final = "SELECT pg_advisory_xact_lock(%(lock)s, 2)"

# --- What has changed ---
_STATE: Final = (
    # Nothing comes back of somebody who is being erased.
    f"""
        INSERT INTO cause_state (owner, seq, rules) SELECT owner, 0, '' FROM person
        WHERE owner = %(owner)s AND NOT {IS_ERASED} FOR KEY SHARE
        ON CONFLICT DO NOTHING
    """,  # noqa: S608
    """
        SELECT s.seq, s.rules, p.seq FROM cause_state AS s JOIN person AS p ON p.owner = s.owner
        WHERE s.owner = %(owner)s FOR UPDATE OF s
    """,
)
_BEGIN: Final = """
    INSERT INTO stale_cause (owner, session, seq)
    SELECT owner, session, %(head)s FROM session WHERE owner = %(owner)s
    ON CONFLICT (owner, session) DO UPDATE SET seq = excluded.seq, taken_at = 0
"""
_FOLLOW: Final = """
    INSERT INTO stale_cause (owner, session, seq)
    SELECT DISTINCT e.owner, e.session, %(head)s::bigint
    FROM change AS c JOIN session AS e ON e.owner = c.owner
        AND e.project_id = c.project_id AND e.session_id = c.session_id
    WHERE c.owner = %(owner)s AND c.seq > %(seq)s AND c.seq <= %(head)s
    ON CONFLICT (owner, session) DO UPDATE SET seq = excluded.seq, taken_at = 0
"""
_MOVE: Final = """
    UPDATE cause_state SET seq = %(head)s, rules = %(rules)s WHERE owner = %(owner)s
"""
_TAKE: Final = f"""
    WITH now (ms) AS MATERIALIZED ({NOW}), free AS MATERIALIZED (
        SELECT c.session FROM stale_cause AS c, now
        WHERE c.owner = %(owner)s AND c.taken_at < now.ms - %(taken)s
        ORDER BY c.session DESC LIMIT %(most)s FOR UPDATE OF c SKIP LOCKED
    )
    UPDATE stale_cause AS c SET taken_at = now.ms FROM free, now
    WHERE c.owner = %(owner)s AND c.session = free.session
    RETURNING c.session, c.seq
"""  # noqa: S608

# --- Sums of sessions ---
_SIZES: Final = """
    SELECT session, sum(responses)::bigint FROM total
    WHERE owner = ANY(%(visible)s) AND session = ANY(%(sessions)s::bigint[]) GROUP BY session
"""
_STILL: Final = """
    DELETE FROM stale_cause AS c USING unnest(%(sessions)s::bigint[], %(seqs)s::bigint[])
        AS mine (session, seq)
    WHERE c.owner = %(owner)s AND c.session = mine.session AND c.seq = mine.seq
    RETURNING c.session
"""
_NAMES: Final = """
    SELECT session, project_id, session_id FROM session
    WHERE owner = %(owner)s AND session = ANY(%(sessions)s::bigint[])
"""
_CLEAR: Final = (
    "DELETE FROM session_cause WHERE owner = %(owner)s AND session = ANY(%(sessions)s::bigint[])",
    "DELETE FROM cache_break WHERE owner = %(owner)s AND session = ANY(%(sessions)s::bigint[])",
)
_COPY: Final = "COPY session_cause FROM STDIN"
_COPY_BREAKS: Final = "COPY cache_break FROM STDIN"

# --- Sums of days ---
_DAYS: Final = """
    DELETE FROM stale_day WHERE day = ANY(ARRAY(
        SELECT day FROM stale_day ORDER BY day DESC LIMIT %(most)s)) RETURNING day
"""
_ANY_DAY: Final = "SELECT 1 FROM stale_day LIMIT 1"
_CLEAR_DAYS: Final = "DELETE FROM day_cause WHERE day = ANY(%(days)s)"
_ADD_DAYS: Final = f"""
    INSERT INTO day_cause SELECT t.day, t.model, t.side, t.name, {TOTAL_SUMS}
    FROM session_cause AS t WHERE t.day = ANY(%(days)s) GROUP BY 1, 2, 3, 4
"""  # noqa: S608

# --- Answers ---
_KNOWN: Final = """
    SELECT count(*) FILTER (WHERE owner = ANY(%(visible)s)),
        count(*) FILTER (WHERE NOT owner = ANY(%(visible)s)),
        (SELECT count(*) FROM stale_cause WHERE owner = ANY(%(visible)s)),
        ARRAY(SELECT day FROM stale_day)
    FROM cause_state
"""
_OWN: Final = "t.owner = ANY(%(visible)s)"
# Sums of everybody, but of days that have changed: these may have somebody in them who is gone.
_FRESH: Final = "NOT t.day = ANY(%(stale_days)s::bigint[])"
_STALE: Final = "t.day = ANY(%(stale_days)s::bigint[])"
_ROWS: Final = f"SELECT t.model, t.side, t.name, {TOTAL_COUNTS} FROM {{table}} AS t WHERE {{where}}"  # noqa: S608
_SUMS: Final = f"""
    SELECT 0, 0, t.model, t.side, t.name, {TOTAL_SUMS} FROM ({{rows}}) AS t
    GROUP BY t.model, t.side, t.name ORDER BY 3, 4, 5
"""  # noqa: S608
# Of each day, the first that an index has: the most expensive of many days are among them.
_BREAKS: Final = """
    SELECT b.why, b.project_id, e.session_id, b.at, b.tokens, b.usd_pico, b.agent_id, b.model,
        b.line
    FROM (SELECT DISTINCT t.day FROM day_cause AS t WHERE {days}) AS d
    CROSS JOIN LATERAL (
        SELECT * FROM cache_break AS t WHERE t.day = d.day AND {where}
        ORDER BY t.usd_pico DESC LIMIT %(most)s
    ) AS b JOIN session AS e ON e.owner = b.owner AND e.session = b.session
    ORDER BY b.usd_pico DESC, b.at LIMIT %(most)s
"""


class CauseReader(ActivityReader):
    """Answers from sums."""

    def causes(self, query: CauseQuery) -> CauseReport | None:
        """Sums by model, side and name of some days; None where upkeep has not begun."""
        if query.scope is not None:
            return None
        with self.moment() as connection:  # who is seen, and whose sums these are
            ((mine, others, stale, days),) = self.ask(connection, _KNOWN)
            if not mine:
                return None
            whole = not others and query.projects is None
            conditions, values = _asked(query)
            rows = _rows("session_cause", _OWN, *conditions)
            if whole:
                changed = _rows("session_cause", _OWN, _STALE, *conditions)
                rows = f"{_rows('day_cause', _FRESH, *conditions)} UNION ALL {changed}"
            found = self.ask(connection, _SUMS.format(rows=rows), stale_days=days, **values)
            breaks = self._breaks(connection, query) if query.breaks else []
        waiting = max(stale, bool(whole and days))
        return CauseReport([CauseSum(*row) for row in found], breaks, waiting=waiting)

    def _breaks(self, connection: Connection, query: CauseQuery) -> list[CacheBreak]:
        days, of = _asked(CauseQuery(first=query.first, last=query.last, sides=("break",)))
        only, values = _asked(CauseQuery(projects=query.projects, models=query.models))
        ask = _BREAKS.format(days=" AND ".join(days), where=" AND ".join((_OWN, *only)))
        names = "why project_id session_id at tokens pico agent model line".split()
        rows = self.ask(connection, ask, most=query.breaks, **of, **values)
        return [CacheBreak(**dict(zip(names, row, strict=True))) for row in rows]


def _rows(table: str, *conditions: str) -> str:
    return _ROWS.format(table=table, where=" AND ".join(conditions))


def _asked(query: CauseQuery) -> tuple[list[str], dict[str, Any]]:
    given = {
        "t.day >= %(first)s": query.first,
        "t.day <= %(last)s": query.last,
        "t.project_id = ANY(%(projects)s::text[])": query.projects,
        "t.model = ANY(%(models)s::text[])": query.models,
        "t.side = ANY(%(sides)s::text[])": query.sides,
    }
    conditions = [condition for condition, value in given.items() if value is not None]
    names = ("first", "last", "projects", "models", "sides")
    values = zip(names, given.values(), strict=True)
    return conditions, {name: value for name, value in values if value is not None}


class CauseProjection:
    """Works for one owner; any number of processes may do so at once."""

    def __init__(self, database: ActivityReader) -> None:
        self._database = database
        self._rules: str | None = None  # asked for once: of two hubs that differ, the last counts

    def step(self, derive: Derive, day_of: DayOf, rules: str, most: int = _MOST_SESSIONS) -> bool:
        """Add some sessions up, the newest first; whether there were any.

        They are read outside of any transaction: one that changes meanwhile is left for later.
        """
        taken: dict[int, int] = dict(self._taken(rules, most))
        for sessions in self._portions(list(taken)):
            facts = self._database.facts_of(-_FOREVER, _FOREVER, sessions=sessions)
            seqs = [taken[session] for session in sessions]
            self._store(sessions, seqs, derive(facts), day_of)
        return bool(taken)

    def _portions(self, sessions: list[int]) -> Iterator[list[int]]:
        """Sessions whose responses fit into memory together, or one that is long."""
        sizes: dict[int, int] = dict(self._database.every(_SIZES, sessions=sessions))
        portion: list[int] = []
        size = 0
        for session in sessions:
            if portion and size + sizes.get(session, 0) > _MOST_RESPONSES:
                yield portion
                portion, size = [], 0
            portion.append(session)
            size += sizes.get(session, 0)
        if portion:
            yield portion

    def _taken(self, rules: str, most: int) -> list[Row]:
        with self._database.connected() as connection, connection.transaction():
            state = [self._run(connection, one) for one in _STATE][-1]
            if not state:
                return []
            ((seq, known, head),) = state
            wanted = rules if self._rules != rules or not known else known
            if known != wanted:
                self._run(connection, _BEGIN, head=head)
            elif head > seq:
                self._run(connection, _FOLLOW, seq=seq, head=head)
            if (seq, known) != (head, wanted):
                self._run(connection, _MOVE, head=head, rules=wanted)
            self._rules = rules
            return self._run(connection, _TAKE, most=most, taken=_TAKEN_MS)

    def _store(
        self, sessions: list[int], seqs: list[int], report: CauseReport, day_of: DayOf
    ) -> None:
        """Put sums in the place of those of before, but of sessions that have changed again."""
        with self._database.connected() as connection, connection.transaction():
            connection.execute(_ALONE, {"lock": LOCK})
            rows = self._run(connection, _STILL, sessions=sessions, seqs=seqs)
            still = {"sessions": [session for (session,) in rows]}
            for clear in _CLEAR:
                self._run(connection, clear, **still)
            owner, names = self._database.owner, self._run(connection, _NAMES, **still)
            projects = {session: project for session, project, _ in names}
            numbers = {(project, id): session for session, project, id in names}
            with connection.cursor().copy(_COPY) as copy:
                for one in report.sums:
                    if one.session in projects:
                        copy.write_row((owner, one.session, projects[one.session], *one[1:]))
            with connection.cursor().copy(_COPY_BREAKS) as copy:
                for number, lost, day in _worst(report.breaks, numbers, day_of):
                    about = lost.project_id, day, lost.model, lost.at, lost.pico, lost.tokens
                    copy.write_row((owner, number, *about, lost.why, lost.agent, lost.line))

    def _run(self, connection: Connection, statement: str, **values: Any) -> list[Row]:
        given = {**values, "owner": self._database.owner}
        cursor = connection.execute(statement.encode(), given)
        return cursor.fetchall() if cursor.description else []


def _worst(
    breaks: Sequence[CacheBreak], numbers: Mapping[SessionKey, int], day_of: DayOf
) -> Iterator[tuple[int, CacheBreak, int]]:
    """The most expensive of each session and day; they come in that order."""
    counts: Counter[tuple[int, int]] = Counter()
    for one in breaks:
        number, day = numbers.get((one.project_id, one.session_id)), day_of(one.at)
        if number is not None:
            counts[number, day] += 1
            if counts[number, day] <= _MOST_BREAKS:
                yield number, one, day


def add_up_days(pool: Pool) -> bool:
    """Add up some days of everybody that have changed; whether there were any."""
    with in_our_words(), pool.connection() as connection:
        if not connection.execute(_ANY_DAY).fetchall():
            return False
        with connection.transaction():
            connection.execute(_ALONE, {"lock": LOCK})
            rows = connection.execute(_DAYS, {"most": _MOST_DAYS}).fetchall()
            days = {"days": [day for (day,) in rows]}
            connection.execute(_CLEAR_DAYS, days)
            connection.execute(_ADD_DAYS, days)
    return bool(rows)
