"""A hub with a long history, and how much of it the database reads for one question."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.hub.machines import HubDatabase
from tests.hub.made import shipment
from tests.store.made import START, Source
from unspool.model.shipping import Shipment
from unspool.store.postgres.database import Pool

HALF_DAY = 43_200_000
PROJECTS = 3  # of each machine
_AT_ONCE = 40
# In tables of a few pages PostgreSQL goes through all rows, whatever index there is.
_AS_IF_LARGE = (
    "enable_seqscan = off",
    "enable_hashjoin = off",
    "enable_mergejoin = off",
    "plan_cache_mode = force_custom_plan",  # whichever statement comes for the sixth time
)
_READ = """
    SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables
            WHERE schemaname = 'unspool')
        + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
            WHERE schemaname = 'unspool')
"""


class History:
    """Two machines of two people, a session each half day: the more, the longer ago they began."""

    def __init__(self, hub: HubDatabase) -> None:
        self.hub, self.sessions = hub, 0
        self._senders = [hub.machine("laptop", "ada"), hub.machine("desk", "bob")]
        with hub.pool.connection() as connection:
            ((name,),) = connection.execute("SELECT current_database()").fetchall()
            for setting in _AS_IF_LARGE:
                connection.execute(f"ALTER DATABASE {name} SET {setting}".encode())

    def grow(self, sessions: int) -> None:
        """Let the history be so many sessions long."""
        for sender, machine in zip(self._senders, range(2), strict=True):
            mine = [n for n in range(self.sessions, sessions) if n % 2 == machine]
            for first in range(0, len(mine), _AT_ONCE):
                self.hub.accept(sender, *map(_session, mine[first : first + _AT_ONCE]))
        self.sessions = sessions
        for owner in {one.owner for one in self._senders}:
            for _ in (store := self.hub.store(owner)).merge():
                pass
            for name in store.unlinked():
                store.put_agents(*name, [])
        with self.hub.pool.connection() as connection:
            connection.execute("VACUUM ANALYZE")
        _read(self.hub.pool)  # or it would be noted as read by who comes later


def _session(number: int) -> Shipment:
    """One of three turns, with a call and an edit."""
    at = START - number * HALF_DAY
    project = f"-repo-{number // 2 % PROJECTS}"
    source = Source(number + 1, f"s{number:05}", project=project, at=at)
    for turn in range(3):
        id = f"toolu_{number}_{turn}"
        source.line(f"prompt number {number}", turn=turn + 1)
        source.line("working on it", "answer", turn=turn + 1).spends(f"m:{number}:{turn}")
        source.calls("Edit", id).touches("/repo/a.py").attributes(command="/go")
        source.line("done", "tool_result", turn=turn + 1).answers(id)
    cwd = project.replace("-", "/")
    about = {"title": f"Session {number}", "cwd": cwd, "git_branch": f"b{number % 5}"}
    source.tells(start_time=at, end_time=source.at, model="claude-opus-4-6", **about)
    return shipment(source.batch())


@contextmanager
def counted(pool: Pool) -> Iterator[list[int]]:
    """How many rows and index entries the connections of a pool read meanwhile: one number."""
    before, found = _read(pool), list[int]()
    yield found
    found.append(_read(pool) - before)


def _read(pool: Pool) -> int:
    with ExitStack() as stack:
        every = [stack.enter_context(pool.connection()) for _ in range(pool.max_size)]
        for one in every:
            one.execute("SELECT pg_stat_force_next_flush()")
            one.execute("SELECT 1")  # what it noted is written when it is idle
        ((rows,),) = every[0].execute(_READ).fetchall()
        return int(rows)
