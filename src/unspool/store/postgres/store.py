"""The store that many machines share: one PostgreSQL, of which each sees its owners' rows."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from unspool.model.files import OutputFile
from unspool.model.health import StoreStatus
from unspool.model.rows import AgentRow, Batch, HookRow, Segment, SourceRow
from unspool.model.usage import Price
from unspool.store import Store
from unspool.store.contract import unpriced
from unspool.store.postgres.archive import RawArchive
from unspool.store.postgres.causes import CauseProjection, CauseReader, DayOf, Derive
from unspool.store.postgres.database import Database, Pool, in_our_words, open_pool
from unspool.store.postgres.edits import FileEditReader
from unspool.store.postgres.events import PostgresSessionEvents
from unspool.store.postgres.files import FileReader
from unspool.store.postgres.forgetting import count_again, uncounted
from unspool.store.postgres.marks import MarkTable
from unspool.store.postgres.partitions import NOW, Partitions
from unspool.store.postgres.rebuild import discard, swap
from unspool.store.postgres.schema import migrate
from unspool.store.postgres.search.hits import VectorSearch
from unspool.store.postgres.search.projection import TextProjection
from unspool.store.postgres.sessions import SessionListReader
from unspool.store.postgres.totals import TotalsReader
from unspool.store.postgres.writing.groups import Work, Writing
from unspool.store.postgres.writing.writer import GroupWriter

_OWNER: Final = "INSERT INTO person (owner) VALUES (%s) ON CONFLICT DO NOTHING"
# Sums of responses that the totals do not have, and the other way round.
_DRIFT: Final = """
    SELECT 1 FROM (
        SELECT owner, session, quarter, agent_id, model, count(*) AS responses,
            sum(output_tokens) AS output_tokens, coalesce(sum(usd_pico), 0) AS usd_pico
        FROM response WHERE owner = ANY(%(visible)s) AND is_used GROUP BY 1, 2, 3, 4, 5
    ) AS r FULL JOIN (
        SELECT owner, session, quarter, agent_id, model, responses, output_tokens, usd_pico
        FROM total WHERE owner = ANY(%(visible)s)
    ) AS t USING (owner, session, quarter, agent_id, model, responses, output_tokens, usd_pico)
    WHERE r.responses IS NULL OR t.responses IS NULL LIMIT 1
"""
_INVALID: Final = """
    SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE c.relnamespace = 'unspool'::regnamespace AND NOT i.indisvalid ORDER BY 1
"""


class PostgresStore(
    FileReader, SessionListReader, TotalsReader, CauseReader, FileEditReader, VectorSearch
):
    """Writes rows of one owner's machine, and reads those of the owners that are visible.

    Sources are known by the numbers they are given, and a number is of one source, of any owner:
    where files of several machines are taken in, each gets a number that no other file has. Event
    ids begin with it, so what reads by a number (`source`, `raw`, `segments`, `line_at`) need not
    say whose it is. Searches find what `merge` has made words of.
    """

    def __init__(
        self,
        database: Pool | str,
        *,
        owner: int = 1,
        machine: int = 1,
        visible: Sequence[int] | None = None,
        weeks_ahead: int = 8,
    ) -> None:
        pool = open_pool(database) if isinstance(database, str) else database
        self._own_pool = pool if isinstance(database, str) else None
        try:
            seen = [owner] if visible is None else visible
            self._set_up(pool, Partitions(pool, weeks_ahead), (owner, machine), seen)
        except BaseException:
            self.close()
            raise

    def _set_up(
        self, pool: Pool, partitions: Partitions, of: tuple[int, int], visible: Sequence[int]
    ) -> None:
        Database.__init__(self, pool, *of, visible)
        self.partitions = partitions
        with in_our_words(), pool.connection() as connection:
            migrate(connection)
            connection.execute(_OWNER, (self.owner,))
            ((now,),) = connection.execute(NOW).fetchall()
        partitions.make((), now)
        self._writer = GroupWriter(self, partitions)
        self._projection, self._causes = TextProjection(self), CauseProjection(self)
        self._archive = RawArchive(self, partitions)
        # Who writes compares with their own bytes alone, whatever else they may see.
        own = Database(pool, *of, [self.owner])
        self._own_archive, self.marks = RawArchive(own, partitions), MarkTable(self, own)
        self.viewer = self.marks.viewer

    def archive(self, segments: Iterable[Segment], sources: Iterable[SourceRow] = ()) -> None:
        self._own_archive.archive(segments, sources)

    def generations(self) -> list[SourceRow]:
        return self._archive.generations()

    def archived(self, source_id: int, generation: int) -> int:
        return self._archive.archived(source_id, generation)

    def segments(self, source_id: int, generation: int, after: int = 0) -> Iterator[Segment]:
        return self._archive.segments(source_id, generation, after)

    def raw(self, source_id: int, generation: int, offset: int, length: int) -> bytes | None:
        return self._archive.raw(source_id, generation, offset, length)

    def archive_outputs(self, outputs: Iterable[tuple[OutputFile, bytes]]) -> None:
        self._own_archive.archive_outputs(outputs)

    def outputs(self) -> list[OutputFile]:
        return self._archive.outputs()

    def output(self, root: str, path: str) -> bytes | None:
        return self._archive.output(root, path)

    def erase(
        self,
        source_ids: Collection[int],
        outputs: Collection[tuple[str, str]] = (),
        instead: Iterable[Segment] = (),
    ) -> None:
        self._own_archive.erase(source_ids, outputs, instead)

    def settle(self) -> None:
        """Nothing to do: a commit is on the disk when it is over."""

    def commit(self, batches: Sequence[Batch], price: Price = unpriced) -> int:
        return self._writer.commit(batches, price)

    def reprice(self, price: Price, prices: str) -> None:
        self._writer.reprice(price, prices)

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        self._writer.put_agents(project_id, session_id, rows)

    def uncounted(self) -> list[SourceRow]:
        """Files that repeat responses of a session that was erased."""
        return uncounted(self)

    def count_again(self, source: SourceRow, batches: Sequence[Batch], price: Price) -> None:
        """Add up again what such a file says that it used."""

        def prepare(given: list[Batch]) -> Work[None]:
            return lambda transaction: count_again(transaction, source, given, price)

        self._writer.queue.put(prepare, list(batches), Writing(self.owner, self.machine))

    def mark_gone(self, source_ids: Sequence[int], at: int) -> None:
        self._writer.mark_gone(source_ids, at)

    def project_text(self) -> bool:
        """Make some of the newest texts findable; whether there were any that were not."""
        return self._projection.step() or self._projection.restore_words()

    def waiting_texts(self) -> int:
        """How many lines searches do not find yet."""
        return self._projection.waiting()

    def project_causes(self, derive: Derive, day_of: DayOf, rules: str) -> bool:
        """Add up by cause what some sessions used; whether there were any that had changed.

        `rules` differ when sums of before are no longer right.
        """
        return self._causes.step(derive, day_of, rules)

    def merge(self) -> Iterator[None]:
        """Make every text findable, some at a time."""
        while self.project_text():
            yield

    def hooks(self, project_id: str, session_id: str) -> list[HookRow]:
        return self.events_of(project_id, session_id).hooks()

    def events_of(self, project_id: str, session_id: str) -> PostgresSessionEvents:
        """What the timeline of a session is made of."""
        return PostgresSessionEvents(self, project_id, session_id)

    def status(self) -> StoreStatus:
        """Counts and sizes; that of the index is of the whole database."""
        trouble = tuple(sorted(self._archive.damaged))
        return replace(self.counts(), trouble=trouble, **self._archive.sizes())

    def check(self, *, thorough: bool = False) -> list[str]:
        """What is damaged; thoroughly, also every sum and every checksum."""
        wrong = [f"the index {name} is not valid" for (name,) in self.every(_INVALID)]
        if not thorough:
            return wrong
        if self.first(_DRIFT):
            wrong.append("sums of usage differ from its responses")
        return wrong + self._archive.check()

    def rebuild_into(self, fill: Callable[[Store], None]) -> None:
        """Fill an index of an owner that nobody sees, and put it in the place of the old one."""
        draft = -self.owner
        with self.connected() as connection:
            discard(connection, draft)
        fresh = type(self).__new__(type(self))
        fresh._own_pool = None
        fresh._set_up(self.pool, self.partitions, (draft, self.machine), [draft])
        fresh._archive, fresh._own_archive = self._archive, self._own_archive
        fresh.marks, fresh.viewer = self.marks, self.viewer
        try:
            fill(fresh)
        except BaseException:
            with self.connected() as connection:
                discard(connection, draft)
            raise
        with self.connected() as connection:
            swap(connection, self.owner)

    def close(self) -> None:
        """Let go of the connections that were opened here. Safe to call twice."""
        if self._own_pool is not None:
            self._own_pool.close()
