"""Which session and which source a batch goes to, whether it is due, and how far it is then."""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import asdict

from unspool.model.query import SessionKey
from unspool.model.rows import Batch, SessionRow, SourceRow
from unspool.store.contract import is_due, is_stray, newer_row, owner
from unspool.store.postgres.writing.transaction import Transaction

_NAMES: Final = SessionRow.__struct_fields__
_LOAD: Final = f"""
    SELECT session, {", ".join(_NAMES)} FROM session WHERE owner = %(owner)s
        AND (project_id, session_id) IN (
            SELECT * FROM unnest(%(projects)s::text[], %(ids)s::text[]))
"""  # noqa: S608
_ADD: Final = """
    INSERT INTO session (owner, machine, project_id, session_id)
    VALUES (%(owner)s, %(machine)s, %(project_id)s, %(session_id)s) RETURNING session
"""
_WRITE: Final = f"""
    UPDATE session SET {", ".join(f"{name} = %({name})s" for name in _NAMES[2:])}
    WHERE owner = %(owner)s AND session = %(session)s
"""  # noqa: S608
_PROJECTS: Final = """
    SELECT session_id, project_id FROM session
    WHERE owner = %(owner)s AND machine = %(machine)s AND session_id = ANY(%(ids)s)
        AND project_id <> '' AND origin <> ''
    ORDER BY coalesce(last_activity, 0), project_id
"""
_STRAYS: Final = """
    SELECT e.session, e.project_id FROM session AS e
    WHERE e.owner = %(owner)s AND e.machine = %(machine)s AND e.session_id = %(session_id)s
        AND e.session <> %(session)s
        AND e.session_id <> '' AND (
            e.project_id = '' OR (e.origin = 'hook' AND e.transcript_path = ''))
        AND NOT EXISTS (
            SELECT 1 FROM source AS s WHERE s.owner = e.owner AND s.session = e.session)
"""
_ADOPT: Final = (
    "UPDATE hook SET session = %(session)s WHERE owner = %(owner)s AND session = %(stray)s",
    "DELETE FROM session WHERE owner = %(owner)s AND session = %(stray)s",
)


class SessionTable:
    """The sessions of one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._numbers: dict[SessionKey, int] = {}
        self._known: dict[int, SessionRow] = {}

    def load(self, batches: Iterable[Batch]) -> None:
        """Ask for all sessions that batches name, at once."""
        names = {name for batch in batches for name in _names(batch)}
        self._load(names - self._numbers.keys())

    def _load(self, names: Collection[SessionKey]) -> None:
        if not names:
            return
        projects, ids = [project for project, _ in names], [id for _, id in names]
        for number, *values in self._transaction.run(_LOAD, projects=projects, ids=ids):
            row = SessionRow(**dict(zip(_NAMES, values, strict=True)))
            self._numbers[row.project_id, row.session_id] = number
            self._known[number] = row

    def number(self, name: SessionKey) -> int:
        """The number of a session, which begins to exist by being asked for."""
        if name not in self._numbers:
            self._load([name])
        if name not in self._numbers:
            project_id, session_id = name
            ((number,),) = self._transaction.run(
                _ADD,
                project_id=project_id,
                session_id=session_id,
                machine=self._transaction.machine,
            )
            self._numbers[name] = number
        return self._numbers[name]

    def tell(self, row: SessionRow) -> SessionKey | None:
        """Write what is known of a session; its name, if that is news."""
        name = row.project_id, row.session_id
        number = self.number(name)
        new = newer_row(row, self._known.get(number))
        if new is None:
            return None
        self._known[number] = new
        self._transaction.later(_WRITE, session=number, **asdict(new))
        if row.project_id and not is_stray(new):
            self._adopt(row.session_id, number)
        return name

    def projects(self, session_ids: Collection[str]) -> dict[str, str]:
        """The projects of sessions by their ids alone, where they are known; the newest counts."""
        self._transaction.flush()
        machine = self._transaction.machine
        found = self._transaction.run(_PROJECTS, ids=list(session_ids), machine=machine)
        return {session: project for session, project in found}

    def _adopt(self, session_id: str, session: int) -> None:
        """Hooks that came before their session's project was known become its own."""
        run, machine = self._transaction.run, self._transaction.machine
        named = {"session_id": session_id, "session": session, "machine": machine}
        if not run(_STRAYS, **named):
            return
        self._transaction.flush()
        for stray, project_id in run(_STRAYS, **named):
            for change in _ADOPT:
                run(change, session=session, stray=stray)
            self._numbers.pop((project_id, session_id), None)
            self._known.pop(stray, None)


def _names(batch: Batch) -> Iterable[SessionKey]:
    yield batch.source.project_id, batch.source.session_id
    yield from ((row.project_id, row.session_id) for row in batch.sessions)
    yield from (owner(hook, batch.source) for hook in batch.hooks)


_GENERATIONS: Final = """
    SELECT source_id, generation, source, session, "offset", is_open, first_at, last_at
    FROM source WHERE owner = %(owner)s AND source_id = ANY(%(ids)s) ORDER BY source FOR UPDATE
"""
_ADD_SOURCE: Final = """
    INSERT INTO source
        (owner, machine, session, source_id, generation, root, path, kind, agent_id)
    VALUES (%(owner)s, %(machine)s, %(session)s, %(source_id)s, %(generation)s, %(root)s,
        %(path)s, %(kind)s, %(agent_id)s)
    RETURNING source
"""
_ADVANCE: Final = """
    UPDATE source SET "offset" = %(offset)s, lines = %(lines)s, size = %(size)s,
        mtime_ns = %(mtime_ns)s, tail = %(tail)s, gone_at = %(gone_at)s, is_open = %(is_open)s,
        facts = CASE WHEN length(%(facts)s::bytea) > 0 THEN %(facts)s ELSE facts END,
        kept = kept + %(kept)s, events = events + %(events)s, bad = bad + %(bad)s,
        calls = calls + %(calls)s, first_at = least(first_at, %(first_at)s),
        last_at = greatest(last_at, %(last_at)s), last_line = coalesce(%(last_line)s, last_line)
    WHERE owner = %(owner)s AND source = %(source)s
"""
# The source first: the projection of texts reads the session there, with a lock.
_MOVE: Final = (
    "UPDATE source SET session = %(session)s WHERE owner = %(owner)s AND source = %(source)s",
    "UPDATE hook SET session = %(session)s WHERE owner = %(owner)s AND source = %(source)s"
    " AND session = %(before)s AND at BETWEEN %(first_at)s AND %(last_at)s",
    "UPDATE body SET session = %(session)s WHERE owner = %(owner)s AND source = %(source)s"
    " AND at BETWEEN %(first_at)s AND %(last_at)s",
)
_UNLINK: Final = """
    UPDATE session SET is_unlinked = true WHERE owner = %(owner)s AND session = %(session)s
"""
_TIE: Final = """
    INSERT INTO tie (owner, tie, session) VALUES (%(owner)s, %(tie)s, %(session)s)
    ON CONFLICT DO NOTHING
"""
_STATE: Final = """
    INSERT INTO fold (owner, source, "offset", state)
    VALUES (%(owner)s, %(source)s, %(offset)s, %(state)s)
    ON CONFLICT (owner, source) DO UPDATE SET
        "offset" = excluded."offset", state = excluded.state, written = DEFAULT
"""
# Sessions of some days; a state takes some kilobytes.
_FEWER_STATES: Final = """
    DELETE FROM fold WHERE owner = %(owner)s AND written < (
        SELECT written FROM fold WHERE owner = %(owner)s ORDER BY written DESC OFFSET 256 LIMIT 1)
"""


class KnownSource(NamedTuple):
    """A generation: its row, its session's, its checkpoint, whether a line is behind that, and
    between which times its lines are.
    """

    number: int
    session: int
    offset: int = 0
    is_open: bool = False
    first_at: int | None = None
    last_at: int | None = None

    @property
    def times(self) -> dict[str, int]:
        """Times for statements about its lines: only these partitions are touched."""
        return {"first_at": self.first_at or 0, "last_at": self.last_at or 0}


class RowCounts(NamedTuple):
    """What a batch adds to the counts of its source."""

    kept: int = 0
    events: int = 0
    bad: int = 0
    calls: int = 0
    first_at: int | None = None
    last_at: int | None = None
    last_line: int | None = None


class TargetSource(NamedTuple):
    """Where a batch goes, and whether its file is new here or started over."""

    source: KnownSource
    is_new: bool = False
    superseded: tuple[KnownSource, ...] = ()


class SourceTable:
    """The sources of one transaction."""

    def __init__(self, transaction: Transaction, sessions: SessionTable) -> None:
        self._transaction, self._sessions = transaction, sessions
        self._known: dict[int, dict[int, KnownSource]] = {}

    def load(self, source_ids: Collection[int]) -> None:
        """Lock what is known of some files, oldest first, and remember it."""
        for source_id in source_ids:
            self._known[source_id] = {}
        for id, generation, *row in self._transaction.run(_GENERATIONS, ids=list(source_ids)):
            self._known[id][generation] = KnownSource(*row)

    def due(self, batch: Batch) -> TargetSource | None:
        """Where a batch goes; None when it is there already."""
        source = batch.source
        generations = self._known[source.source_id]
        known = generations.get(source.generation)
        newest = max(generations, default=None)
        if not is_due(batch, newest, known.offset if known else None):
            return None
        session = self._sessions.number((source.project_id, source.session_id))
        if known is None:
            made = self._add(source, session)
            return TargetSource(made, is_new=True, superseded=tuple(generations.values()))
        if known.session != session:
            known = self._move(known, session)
        return TargetSource(known)

    def _add(self, source: SourceRow, session: int) -> KnownSource:
        names = {name: getattr(source, name) for name in ("root", "path", "kind", "agent_id")}
        ((number,),) = self._transaction.run(
            _ADD_SOURCE,
            session=session,
            machine=self._transaction.machine,
            source_id=source.source_id,
            generation=source.generation,
            **names,
        )
        return KnownSource(number, session)

    def _move(self, known: KnownSource, session: int) -> KnownSource:
        """A file may tell late whose it is; its hooks and texts go along."""
        self._transaction.flush()
        values = {"session": session, "before": known.session, "source": known.number}
        for change in _MOVE:
            self._transaction.run(change, **values, **known.times)
        return known._replace(session=session)

    def advance(self, batch: Batch, target: TargetSource, counts: RowCounts) -> None:
        """Move the checkpoint to where a batch ends."""
        source, known, later = batch.source, target.source, self._transaction.later
        last = [row.offset for row in batch.lines[-1:]] + [row.offset for row in batch.bad[-1:]]
        is_open = batch.is_provisional or max(last, default=-1) >= source.offset
        state = {name: getattr(source, name) for name in ("offset", "lines", "size", "mtime_ns")}
        later(
            _ADVANCE,
            source=known.number,
            tail=msgspec.msgpack.encode(source.tail),
            gone_at=source.gone_at,
            is_open=is_open,
            facts=batch.facts,
            **state,
            **counts._asdict(),
        )
        if batch.facts:
            later(_UNLINK, session=known.session)
        for tie in batch.ties:
            later(_TIE, tie=tie, session=known.session)
        if batch.state:
            later(_STATE, source=known.number, offset=source.offset, state=batch.state)
            if known.number % 64 == 0:
                later(_FEWER_STATES)
        first = [at for at in (known.first_at, counts.first_at) if at is not None]
        newest = [at for at in (known.last_at, counts.last_at) if at is not None]
        self._known[source.source_id][source.generation] = known._replace(
            offset=source.offset,
            is_open=is_open,
            first_at=min(first, default=None),
            last_at=max(newest, default=None),
        )
