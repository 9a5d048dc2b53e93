"""What machines say through their open sockets: rows of their boards, and that they are there."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from unspool.model.query import SessionKey
from unspool.model.secondary import MOST_ROWS, Hello, QueueMessage, RawPlace
from unspool.model.shipping import MachineIdentity
from unspool.store.postgres.database import Connection, Database, Pool, in_our_words, searchable
from unspool.store.postgres.machines import AWAY_MS
from unspool.store.postgres.people import KEY_IS_GOOD

# After so long without a sign of life nobody knows what a session does, and then nobody asks.
UNKNOWN_MS: Final = AWAY_MS
DROPPED_MS: Final = 3_600_000
_CLOCK_MS: Final = 2**53

_OPENED: Final = """
    UPDATE machine SET link = %(link)s, linked_at = %(now)s, link_seen_at = %(now)s,
        seen_at = %(now)s, mode = %(mode)s, version = coalesce(%(version)s, version),
        platform = coalesce(%(platform)s, platform)
    WHERE owner = %(owner)s AND machine = %(machine)s
"""
_CLOSED: Final = """
    UPDATE machine SET link = NULL, linked_at = NULL
    WHERE owner = %(owner)s AND machine = %(machine)s AND link = %(link)s
"""
_HELD: Final = """
    SELECT FROM machine
    WHERE owner = %(owner)s AND machine = %(machine)s AND link = %(link)s FOR UPDATE
"""
# Machines whose rows are being committed are left for the next time.
_SEEN: Final = """
    WITH free AS MATERIALIZED (
        SELECT machine FROM machine WHERE link = ANY(%(links)s::text[])
        ORDER BY machine FOR NO KEY UPDATE SKIP LOCKED
    ), seen AS (
        UPDATE machine AS m
        SET seen_at = greatest(m.seen_at, %(now)s), link_seen_at = %(now)s,
            skew_ms = coalesce(s.skew, m.skew_ms)
        FROM free, unnest(%(links)s::text[], %(skews)s::bigint[]) AS s (link, skew)
        WHERE m.machine = free.machine AND m.link = s.link
    )
    SELECT link FROM machine WHERE link = ANY(%(links)s::text[])
"""
_QUEUE: Final = """
    UPDATE machine SET waiting_bytes = %(bytes)s, waiting_at = %(newest)s
    WHERE owner = %(owner)s AND machine = %(machine)s AND link = %(link)s
"""
_GOOD: Final = f"SELECT k.sha {KEY_IS_GOOD} AND k.sha = ANY(%(keys)s)"
_OF: Final = "owner = %(owner)s AND machine = %(machine)s"
_CLEAR: Final = f"DELETE FROM live WHERE {_OF}"  # noqa: S608
_GONE: Final = f"""
    {_CLEAR} AND (project_id, session_id) IN
        (SELECT * FROM unnest(%(projects)s::text[], %(sessions)s::text[]))
"""  # noqa: S608
_PUT: Final = """
    INSERT INTO live (owner, machine, project_id, session_id, row, at)
    SELECT %(owner)s, %(machine)s, project, session, row, %(now)s
    FROM unnest(%(projects)s::text[], %(sessions)s::text[], %(rows)s::bytea[])
        AS u (project, session, row)
    ON CONFLICT (machine, project_id, session_id) DO UPDATE
        SET owner = excluded.owner, row = excluded.row, at = excluded.at
"""
_TOO_MANY: Final = f"""
    {_CLEAR} AND (project_id, session_id) IN (
        SELECT project_id, session_id FROM live WHERE {_OF}
        ORDER BY at DESC, project_id, session_id OFFSET {MOST_ROWS}
    )
"""  # noqa: S608
_ROWS: Final = """
    SELECT m.name, m.link_seen_at, l.row FROM live AS l
    JOIN machine AS m ON m.owner = l.owner AND m.machine = l.machine
    WHERE l.owner = ANY(%(visible)s) AND m.revoked_at IS NULL AND m.link_seen_at > %(since)s
    ORDER BY l.machine, l.project_id, l.session_id
"""
_MACHINE: Final = """
    SELECT machine, owner, name, link IS NOT NULL AS is_linked FROM machine
    WHERE owner = ANY(%(visible)s) AND name = %(name)s AND revoked_at IS NULL
"""
# Of an edition that was begun again the machine may have the lines elsewhere.
_PLACES: Final = """
    SELECT h.local_id, h.generation, l."offset", l.length
    FROM unnest(%(sources)s::bigint[], %(editions)s::bigint[], %(offsets)s::bigint[])
        WITH ORDINALITY AS u (source_id, edition, "offset", number)
    JOIN shipped AS h ON h.source_id = u.source_id AND h.edition = u.edition
    JOIN source AS s
        ON s.owner = h.owner AND s.source_id = h.source_id AND s.generation = h.edition
    JOIN line AS l ON l.owner = s.owner AND l.source = s.source AND l."offset" = u."offset"
    WHERE h.owner = ANY(%(visible)s) AND h.machine = %(machine)s ORDER BY u.number
"""


class KnownMachine(NamedTuple):
    """A machine that may be asked for lines; a hub that was killed leaves it linked."""

    machine: int
    owner: int
    name: str
    is_linked: bool


class OpenLink(NamedTuple):
    """An open socket: whose it is, and a name that no other has."""

    sender: MachineIdentity
    link: str


class LiveRow(NamedTuple):
    """What a machine last said of a session, and when it was last there."""

    machine: str
    seen_at: int
    row: bytes


class LiveTable:
    """Boards of all machines, from any thread and any hub process.

    A machine has one socket: of another one nothing is taken once a newer one was opened.
    Whatever waits for commits of others has connections of its own, `writing`.
    """

    def __init__(self, pool: Pool, writing: Pool | None = None) -> None:
        self._pool, self._writing = pool, writing or pool

    def opened(self, of: OpenLink, hello: Hello, now: int) -> None:
        """Note that a machine is there."""
        about = {"version": hello.version or None, "platform": hello.platform or None}
        with self._changing() as connection:
            _run(connection, _OPENED, of, now=now, mode=hello.mode, **about)

    def closed(self, of: OpenLink) -> None:
        """Note that it is not, unless it came back meanwhile."""
        with self._changing() as connection:
            _run(connection, _CLOSED, of)

    def seen(self, links: Mapping[str, int | None], now: int) -> set[str]:
        """Note signs of life, each with how far its clock is ahead; the links that are still it."""
        skews = [_clock(one) for one in links.values()]
        with self._changing() as connection:
            given = {"links": list(links), "skews": skews, "now": now}
            return {link for (link,) in connection.execute(_SEEN, given)}

    def good_keys(self, keys: Collection[bytes], now: int) -> set[bytes]:
        """Those of these hashes whose keys are neither unknown nor revoked nor expired."""
        with in_our_words(), self._pool.connection() as connection:
            given = {"keys": list(keys), "now": now}
            return {bytes(sha) for (sha,) in connection.execute(_GOOD.encode(), given)}

    def queue(self, of: OpenLink, told: QueueMessage) -> None:
        """Note what waits on a machine."""
        with self._changing() as connection:
            _run(connection, _QUEUE, of, bytes=told.bytes, newest=told.newest)

    def put(
        self,
        of: OpenLink,
        rows: Mapping[SessionKey, bytes],
        gone: Sequence[SessionKey] = (),
        *,
        whole: bool,
        now: int,
    ) -> bool:
        """Take in rows by project and session; whether this is still the machine's socket."""
        with self._changing() as connection:
            if not _run(connection, _HELD, of):
                return False
            if whole:
                _run(connection, _CLEAR, of)
            elif gone:
                _run(connection, _GONE, of, **_names(gone))
            if rows:
                _run(connection, _PUT, of, now=now, rows=list(rows.values()), **_names(rows))
                _run(connection, _TOO_MANY, of)
        return True

    def rows(self, visible: Sequence[int], now: int) -> list[LiveRow]:
        """What the machines of some owners last said, as long as it may matter."""
        database = Database(self._pool, 0, 0, visible)
        return [LiveRow(*row) for row in database.every(_ROWS, since=now - DROPPED_MS)]

    def machine(self, name: str, visible: Sequence[int]) -> KnownMachine | None:
        """A machine of these owners, by its name."""
        row = Database(self._pool, 0, 0, visible).first(_MACHINE, name=name)
        return KnownMachine(*row) if row else None

    def places(self, machine: KnownMachine, events: Sequence[tuple[int, ...]]) -> list[RawPlace]:
        """Where a machine has the lines of some events: source, edition and offset here."""
        sources, editions, offsets = zip(*events, strict=True) if events else ((), (), ())
        rows = Database(self._pool, 0, 0, [machine.owner]).every(
            _PLACES, machine=machine.machine, sources=sources, editions=editions, offsets=offsets
        )
        # The newline that ends a line is not counted.
        return [RawPlace(id, generation, at, length + 1) for id, generation, at, length in rows]

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        with in_our_words(), self._writing.connection() as connection, connection.transaction():
            yield connection


def _names(names: Collection[SessionKey]) -> dict[str, list[str]]:
    return {
        "projects": [project for project, _ in names],
        "sessions": [session for _, session in names],
    }


def _clock(skew: int | None) -> int | None:
    return None if skew is None else max(-_CLOCK_MS, min(skew, _CLOCK_MS))


def _run(connection: Connection, statement: str, of: OpenLink, **values: Any) -> int:
    """Run a statement about a machine; how many rows it found or changed."""
    given = {name: searchable(value) for name, value in values.items()}
    about = {"owner": of.sender.owner, "machine": of.sender.machine, "link": of.link}
    return connection.execute(statement.encode(), {**about, **given}).rowcount
