"""Shipments of machines -> rows, raw bytes, checkpoints and feed: one transaction, each once."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

import psycopg
from msgspec.structs import asdict, replace
from psycopg import errors

from unspool.errors import ShipmentUnfit, StoreError
from unspool.model.rows import Segment, SourceRow
from unspool.model.shipping import (
    WITH_BYTES,
    Envelope,
    MachineIdentity,
    MachineReport,
    Receipt,
    Shipment,
    ShippedOutput,
    SourceState,
    StatePage,
)
from unspool.model.usage import Price
from unspool.store.cleaning import sendable
from unspool.store.postgres.archive import RawArchive
from unspool.store.postgres.database import Database, Pool, Row
from unspool.store.postgres.forgetting import (
    RENEW,
    drop_outputs,
    forget,
    forget_words,
    forgotten_among,
    tombstones_of,
)
from unspool.store.postgres.machines import AWAY_MS
from unspool.store.postgres.partitions import NOW, Partitions
from unspool.store.postgres.pieces import pieces
from unspool.store.postgres.writing.batches import BatchTables
from unspool.store.postgres.writing.groups import GroupQueue, Work, Writing
from unspool.store.postgres.writing.transaction import Transaction
from unspool.store.shipping import (
    Verdict,
    hub_batch,
    hub_output,
    is_under_rules,
    next_output_state,
    next_state,
    output_verdict,
    session_names,
    tombstone_digest,
    under_rules,
    verdict,
    without_forgotten,
)

PAGE: Final = 1_000
_STATE: Final = """
    local_id, edition, generation, "offset", encode(mark, 'hex'), archived, is_gone, mode, rules
"""
_PAGE: Final = f"""
    SELECT {_STATE} FROM shipped WHERE owner = ANY(%(visible)s) AND machine = %(machine)s
        AND local_id > %(after)s ORDER BY local_id LIMIT %(limit)s
"""  # noqa: S608
_KNOWN: Final = f"""
    SELECT source_id, {_STATE} FROM shipped
    WHERE owner = %(owner)s AND machine = %(machine)s AND local_id = ANY(%(ids)s) FOR UPDATE
"""  # noqa: S608
_ADD: Final = """
    INSERT INTO shipped (owner, machine, local_id, edition, generation, "offset", mark, archived,
        is_gone, mode, rules)
    VALUES (%(owner)s, %(machine)s, %(local_id)s, 0, 0, 0, '', 0, false, %(mode)s, %(rules)s)
    RETURNING source_id
"""
_MOVE: Final = """
    UPDATE shipped SET edition = %(edition)s, generation = %(generation)s, "offset" = %(offset)s,
        mark = decode(%(mark)s, 'hex'), archived = %(archived)s, is_gone = %(is_gone)s,
        mode = %(mode)s, rules = %(rules)s
    WHERE owner = %(owner)s AND source_id = %(source_id)s
"""
_QUARANTINE: Final = """
    INSERT INTO quarantine (owner, machine, source_id, begins, at, reason, body)
    VALUES (%(owner)s, %(machine)s, %(source_id)s, %(begins)s, %(at)s, %(reason)s, %(body)s)
"""
# A WebSocket knows better how far a clock is ahead: it leaves out the way.
_SEEN: Final = f"""
    UPDATE machine SET seen_at = %(now)s, mode = %(mode)s,
        skew_ms = CASE WHEN link_seen_at > %(now)s - {AWAY_MS} THEN skew_ms ELSE %(skew)s END,
        version = %(version)s, platform = coalesce(%(platform)s, platform),
        waiting_bytes = %(waiting_bytes)s, waiting_at = %(waiting_at)s,
        newest_at = greatest(newest_at, %(newest)s)
    WHERE owner = %(owner)s AND machine = %(machine)s
"""  # noqa: S608
# In another mode, or under newer rules, the machine sends the same bytes again.
_OLD: Final = "owner = %(owner)s AND source_id = %(source_id)s AND generation < %(edition)s"
_REPLACED: Final = (
    f"DELETE FROM segment WHERE {_OLD}",  # noqa: S608
    f"DELETE FROM generation WHERE {_OLD}",  # noqa: S608
    # Rows that were refused are as their mode had them.
    "DELETE FROM quarantine WHERE owner = %(owner)s AND source_id = %(source_id)s",
    *(
        f"DELETE FROM {table} AS t USING source AS s WHERE s.owner = t.owner"  # noqa: S608
        " AND s.source = t.source AND s.owner = %(owner)s AND s.source_id = %(source_id)s"
        " AND s.generation < %(edition)s"
        for table in ("line", "bad")
    ),
)
_UNFIT: Final = (psycopg.DataError, psycopg.IntegrityError, errors.ProgramLimitExceeded)
_CLOCK_MS: Final = 2**53


class ShipmentWriter:
    """Takes envelopes of any machine, from any thread; those that wait share a transaction."""

    def __init__(self, pool: Pool, price: Price, *, weeks_ahead: int = 8) -> None:
        self._pool, self.price = pool, price
        self._partitions = Partitions(pool, weeks_ahead)
        self._archives: dict[int, RawArchive] = {}
        self.queue = GroupQueue(pool)

    def accept(self, sender: MachineIdentity, envelope: Envelope, now: int) -> Receipt:
        """Take what is due; ShipmentUnfit where PostgreSQL takes a value in no form."""

        def prepare(shipments: list[Shipment]) -> Work[Receipt]:
            return lambda transaction: _Acceptance(self, transaction, sender, envelope).take(
                shipments, now
            )

        times = {line.line_id >> 22 for one in envelope.shipments for line in one.batch.lines}
        self._partitions.make(times, self._database_time(sender))
        try:
            whose = Writing(sender.owner, sender.machine)
            receipt, seq = self.queue.put(prepare, envelope.shipments, whose)
        except StoreError as error:
            if isinstance(error.__cause__, _UNFIT):
                raise ShipmentUnfit("PostgreSQL does not accept one of its values.") from error
            raise
        return replace(receipt, seq=seq)

    def states(
        self, sender: MachineIdentity, after: int, limit: int = PAGE, forgotten: str | None = None
    ) -> StatePage:
        """How far the sources of a machine have come, in the order of their numbers there.

        All tombstones go along where the machine says that it has others.
        """
        database = self._own(sender)
        rows = database.every(_PAGE, machine=sender.machine, after=after, limit=limit)
        found = tuple(map(_state, rows))
        known = tombstones_of(database, sender.machine) if forgotten is not None else []
        return StatePage(
            sources=found,
            next=found[-1].local_id if len(found) == limit else None,
            forgotten=tuple(known) if forgotten not in (None, tombstone_digest(known)) else None,
        )

    def _own(self, sender: MachineIdentity) -> Database:
        return Database(self._pool, sender.owner, sender.machine, [sender.owner])

    def _database_time(self, sender: MachineIdentity) -> int:
        ((now,),) = self._own(sender).every(NOW)
        return int(now)

    def archive(self, sender: MachineIdentity) -> RawArchive:
        """The archive of an owner."""
        if sender.owner not in self._archives:
            self._archives[sender.owner] = RawArchive(self._own(sender), self._partitions)
        return self._archives[sender.owner]


class _Acceptance:
    """One envelope in one transaction."""

    def __init__(
        self,
        writer: ShipmentWriter,
        transaction: Transaction,
        sender: MachineIdentity,
        envelope: Envelope,
    ) -> None:
        self._writer, self._transaction, self._sender = writer, transaction, sender
        self._envelope = envelope
        self._known: dict[int, SourceState] = {}
        self._numbers: dict[int, int] = {}
        self._acked: dict[int, SourceState] = {}
        self._expected: dict[int, SourceState] = {}
        self._tables = BatchTables(transaction, writer.queue.kinds(transaction.owner))

    def take(self, shipments: Sequence[Shipment], now: int) -> Receipt:
        """Obey tombstones, then take what is due, in order."""
        forget(self._transaction, self._sender, self._envelope.forgotten)
        shipments, outputs, refused = self._without_forgotten(shipments)
        self._load(shipments, outputs)
        for one in shipments:
            id = one.batch.source.source_id
            self._answer(id, verdict(one, self._known.get(id)), partial(self._take, one, now))
        for part in outputs:
            id = part.local_id
            known = self._known.get(id)
            is_outdated = known is not None and not is_under_rules(known, self._envelope)
            said = output_verdict(part, known, is_outdated=is_outdated)
            self._answer(id, said, partial(self._take_output, part))
        self._tables.add_up(self._writer.price)
        for id, state in self._acked.items():
            self._transaction.later(_MOVE, source_id=self._numbers[id], **asdict(state))
        taken = (one for one in shipments if one.batch.source.source_id in self._acked)
        self._note_machine(taken, now)
        return Receipt(
            acked=tuple(self._acked.values()),
            expected=tuple(self._expected.values()),
            refused=refused,
        )

    def _answer(self, id: int, said: Verdict, take: Callable[[], None]) -> None:
        if said == "conflict":
            self._expected[id] = self._known.get(id) or SourceState(local_id=id)
            return
        if said == "due":
            take()
        self._acked[id] = self._known[id]

    def _without_forgotten(
        self, shipments: Sequence[Shipment]
    ) -> tuple[list[Shipment], list[ShippedOutput], tuple[int, ...]]:
        """What may be taken, and the sources of which nothing may."""
        outputs = self._envelope.outputs
        names = {name for one in shipments for name in session_names(one)}
        names |= {(one.file.project_id, one.file.session_id) for one in outputs}
        gone = forgotten_among(self._transaction, self._sender.machine, names)
        if not gone:
            return list(shipments), outputs, ()
        every = [(one, without_forgotten(one, gone.__contains__)) for one in shipments]
        refused = {one.batch.source.source_id for one, left in every if left is None}
        kept = [one for one in outputs if (one.file.project_id, one.file.session_id) not in gone]
        refused |= {one.local_id for one in outputs} - {one.local_id for one in kept}
        return [left for _, left in every if left is not None], kept, tuple(sorted(refused))

    def _note_machine(self, taken: Iterable[Shipment], now: int) -> None:
        """What the machine says of itself, and the time of the newest line that is here."""
        report = self._envelope.report or MachineReport()
        times = [line.line_id >> 22 for one in taken for line in one.batch.lines]
        self._transaction.later(
            _SEEN,
            now=now,
            machine=self._sender.machine,
            mode=self._envelope.mode,
            skew=max(-_CLOCK_MS, min(self._envelope.sent_at - now, _CLOCK_MS)),
            version=sendable(report.version) or None,
            platform=sendable(report.platform) or None,
            waiting_bytes=report.waiting_bytes,
            waiting_at=report.waiting_at,
            newest=max(times, default=None),
        )

    def _load(self, shipments: Sequence[Shipment], outputs: Sequence[ShippedOutput]) -> None:
        ids = {one.batch.source.source_id for one in shipments}
        ids |= {one.local_id for one in outputs}
        sender = self._sender.machine
        for number, *row in self._transaction.run(_KNOWN, machine=sender, ids=list(ids)):
            state = _state(tuple(row))
            self._known[state.local_id], self._numbers[state.local_id] = state, number
        named = [
            hub_batch(one.batch, self._sender, self._numbers.get(id, 0), one.edition)
            for one in shipments
            for id in [one.batch.source.source_id]
        ]
        self._tables.load(named, self._numbers.values())

    def _take(self, shipment: Shipment, now: int) -> None:
        id = shipment.batch.source.source_id
        known = self._known.get(id)
        if id not in self._numbers:
            self._numbers[id] = self._add(id)
        number = self._numbers[id]
        batch = hub_batch(shipment.batch, self._sender, number, shipment.edition)
        segments = [
            Segment(number, shipment.edition, one.begins, one.ends, one.checksum, one.packed)
            for one in shipment.pieces
        ]
        begun = [batch.source] if batch.begins == 0 else []
        if segments or begun:
            archive = self._writer.archive(self._sender)
            archive.keep(self._transaction.connection, segments, begun, self._transaction.now)
        is_replaced = known is not None and self._is_replaced(known, shipment)
        if is_replaced:
            forget_words(self._transaction, [number])
        self._tables.take(batch)
        if is_replaced:
            self._drop_replaced(batch.source, number)
        if shipment.refused:
            self._quarantine(shipment, number, now)
        held = None if is_replaced else known
        self._known[id] = under_rules(next_state(shipment, known), held, self._envelope)

    def _take_output(self, part: ShippedOutput) -> None:
        id, connection = part.local_id, self._transaction.connection
        if id not in self._numbers:
            self._numbers[id] = self._add(id)
        file = hub_output(part.file, self._sender)
        found = [
            piece
            for one in part.pieces
            for piece in pieces(Segment(0, 0, one.begins, one.ends, one.checksum, one.packed))
        ]
        archive, number = self._writer.archive(self._sender), self._numbers[id]
        archive.keep_output(connection, file, found, number, part.begins)
        self._transaction.note("session", (file.project_id, file.session_id))
        held = self._known.get(id) if part.begins else None  # the first part replaces all
        self._known[id] = under_rules(next_output_state(part), held, self._envelope)

    def _add(self, local_id: int) -> int:
        rules = {"mode": self._envelope.mode, "rules": self._envelope.rules}
        machine = self._sender.machine
        ((number,),) = self._transaction.run(_ADD, machine=machine, local_id=local_id, **rules)
        self._tables.load([], [number])
        return int(number)

    def _is_replaced(self, known: SourceState, shipment: Shipment) -> bool:
        """Whether all that is here comes again, in another mode or under other rules.

        A later generation is a file that was rewritten: what is here of it does not come again.
        """
        is_again = shipment.batch.source.generation <= known.generation
        is_other = not is_under_rules(known, self._envelope)
        return shipment.edition > known.edition and is_again and is_other

    def _drop_replaced(self, source: SourceRow, number: int) -> None:
        self._transaction.flush()
        for drop in _REPLACED:
            self._transaction.run(drop, source_id=number, edition=source.generation)
        self._transaction.run(RENEW)
        if self._envelope.mode not in WITH_BYTES:
            drop_outputs(self._transaction, [(source.project_id, source.session_id)])

    def _quarantine(self, shipment: Shipment, number: int, now: int) -> None:
        batch = shipment.batch
        values: dict[str, Any] = {
            "machine": self._sender.machine,
            "source_id": number,
            "begins": batch.begins,
            "at": now,
            "reason": sendable("; ".join(row.reason for row in batch.bad))[:200],
            "body": shipment.refused,
        }
        self._transaction.later(_QUARANTINE, **values)


def _state(row: Row) -> SourceState:
    return SourceState(**dict(zip(SourceState.__struct_fields__, row, strict=True)))
