"""Batches that are due -> all tables they fill, in one transaction of one owner."""

from collections.abc import Collection, Sequence

from unspool.model.rows import Batch
from unspool.model.usage import OwnedUsage, Price
from unspool.store.contract import owner, with_project
from unspool.store.postgres.writing.ledger import ResponseTable
from unspool.store.postgres.writing.lines import Kinds, LineTables, traces
from unspool.store.postgres.writing.sources import SessionTable, SourceTable, TargetSource
from unspool.store.postgres.writing.transaction import Transaction


class BatchTables:
    """The tables of one transaction; what was used is added up at the end."""

    def __init__(self, transaction: Transaction, kinds: Kinds) -> None:
        self._transaction = transaction
        self._sessions = SessionTable(transaction)
        self._sources = SourceTable(transaction, self._sessions)
        self._lines = LineTables(transaction, kinds, self._sessions)
        self._usage: list[OwnedUsage] = []
        kinds.load(transaction)

    def load(self, batches: Sequence[Batch], source_ids: Collection[int]) -> None:
        """Lock what is known of sources, and ask for the sessions of batches, at once."""
        self._sources.load(source_ids)
        self._sessions.load(batches)

    def take(self, batch: Batch) -> None:
        """Write a batch, if it is due."""
        target = self._sources.due(batch)
        if target is not None:
            placed = with_project(batch, self._sessions.projects)
            self._usage += self._take(placed, target)

    def add_up(self, price: Price) -> None:
        """Put all that was used into the ledger."""
        table = ResponseTable(self._transaction, self._sessions)
        for name in sorted(table.put(self._usage, price)):
            self._transaction.note("usage", name)  # it has no line of its own to say so

    def _take(self, batch: Batch, target: TargetSource) -> list[OwnedUsage]:
        """Rows, checkpoint, session and feed of one batch; gives what it used."""
        for old in target.superseded:
            self._lines.supersede(old)
        before = self._lines.retract(target.source, batch.begins)
        numbers, counts = self._lines.put(batch, target)
        self._sources.advance(batch, target, counts)
        news = {name for row in batch.sessions if (name := self._sessions.tell(row))}
        source = batch.source
        mine = source.project_id, source.session_id
        if target.superseded or source.offset > batch.begins or before != traces(batch):
            kind = "restart" if target.superseded else "lines"
            self._transaction.note(kind, mine, source, batch.begins)
        elif mine in news:
            self._transaction.note("session", mine, source, batch.begins)
        news |= {owner(hook, source) for hook in batch.hooks}
        for name in sorted(news - {mine}):
            self._transaction.note("session", name, source, batch.begins)
        return [
            OwnedUsage(*mine, row._replace(line_id=numbers.of(row.line_id).number))
            for row in batch.usage
        ]
