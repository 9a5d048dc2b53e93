"""What the indexer writes: batches that wait for one another share a transaction."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import astuple

from unspool.model.rows import AgentRow, Batch, SourceRow
from unspool.model.usage import Price
from unspool.store.postgres.database import Database, Row
from unspool.store.postgres.partitions import NOW, Partitions
from unspool.store.postgres.writing.batches import BatchTables
from unspool.store.postgres.writing.groups import GroupQueue, Work, Writing
from unspool.store.postgres.writing.ledger import ResponseTable
from unspool.store.postgres.writing.sources import SessionTable
from unspool.store.postgres.writing.transaction import Transaction

_AGENT: Final = (
    "agent_id", "parent_agent_id", "tool_use_id", "depth", "proof", "type", "description",
    "start_time", "end_time", "facts",
)  # fmt: skip
_AGENTS: Final = f"""
    SELECT {", ".join(_AGENT)} FROM agent WHERE owner = %(owner)s AND session = %(session)s
"""  # noqa: S608
_DROP_AGENTS: Final = "DELETE FROM agent WHERE owner = %(owner)s AND session = %(session)s"
_ADD_AGENT: Final = f"""
    INSERT INTO agent (owner, session, {", ".join(_AGENT)})
    VALUES (%(owner)s, %(session)s, {", ".join(f"%({name})s" for name in _AGENT)})
"""  # noqa: S608
_LINKED: Final = """
    UPDATE session SET is_unlinked = false WHERE owner = %(owner)s AND session = %(session)s
"""
_GONE: Final = """
    UPDATE source AS s SET gone_at = %(at)s FROM session AS e
    WHERE s.owner = %(owner)s AND s.source_id = %(source_id)s AND s.gone_at IS NULL
        AND NOT s.superseded AND e.owner = s.owner AND e.session = s.session
    RETURNING s.source_id, s.generation, s.root, s.path, s.kind, e.project_id, e.session_id,
        s."offset"
"""
_PRICES: Final = "UPDATE person SET prices = %(prices)s WHERE owner = %(owner)s"


class GroupWriter:
    """Writes for one owner, from any thread."""

    def __init__(self, database: Database, partitions: Partitions) -> None:
        self._database, self._partitions = database, partitions
        self._whose = Writing(database.owner, database.machine)
        self.queue = GroupQueue(database.pool)

    def commit(self, batches: Sequence[Batch], price: Price) -> int:
        """Take every batch that is due; the seq of the last change."""
        given = list(batches)
        return self.queue.put(lambda given: self._commit(given, price), given, self._whose)[1]

    def _commit(self, batches: list[Batch], price: Price) -> Work[None]:
        times = {line.line_id >> 22 for batch in batches for line in batch.lines}

        def work(transaction: Transaction) -> None:
            tables = BatchTables(transaction, self.queue.kinds(transaction.owner))
            tables.load(batches, {batch.source.source_id for batch in batches})
            for batch in batches:
                tables.take(batch)
            tables.add_up(price)

        ((now,),) = self._database.every(NOW)
        self._partitions.make(times, now)
        return work

    def reprice(self, price: Price, prices: str) -> None:
        """Price the ledger again, and remember by which table."""

        def prepare(name: str) -> Work[None]:
            def work(transaction: Transaction) -> None:
                if ResponseTable(transaction, SessionTable(transaction)).reprice(price):
                    transaction.note("usage", ("", ""))
                transaction.run(_PRICES, prices=name)

            return work

        self.queue.put(prepare, prices, self._whose)

    def put_agents(self, project_id: str, session_id: str, rows: Sequence[AgentRow]) -> None:
        """Replace a session's agents, if they are others than before."""

        def prepare(given: tuple[str, str, list[AgentRow]]) -> Work[None]:
            *name, agents = given

            def work(transaction: Transaction) -> None:
                key = str(name[0]), str(name[1])
                session = SessionTable(transaction).number(key)
                new = {row.agent_id: astuple(row) for row in agents}
                known = transaction.run(_AGENTS, session=session)
                if {row[0]: row for row in known} != new:
                    transaction.run(_DROP_AGENTS, session=session)
                    for row in new.values():
                        values = dict(zip(_AGENT, row, strict=True))
                        transaction.later(_ADD_AGENT, session=session, **values)
                    transaction.note("agents", key)
                transaction.run(_LINKED, session=session)

            return work

        self.queue.put(prepare, (project_id, session_id, list(rows)), self._whose)

    def mark_gone(self, source_ids: Sequence[int], at: int) -> None:
        """Note that files are gone."""

        def prepare(given: tuple[list[int], int]) -> Work[None]:
            def work(transaction: Transaction) -> None:
                for source_id in given[0]:
                    for row in transaction.run(_GONE, source_id=source_id, at=given[1]):
                        source = _source(row)
                        name = source.project_id, source.session_id
                        transaction.note("gone", name, source, source.offset)

            return work

        self.queue.put(prepare, (list(source_ids), at), self._whose)


def _source(row: Row) -> SourceRow:
    names = "source_id", "generation", "root", "path", "kind", "project_id", "session_id", "offset"
    return SourceRow(**dict(zip(names, row, strict=True)))
