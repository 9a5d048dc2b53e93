"""Lines and what they say -> their tables; and out of them again."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from unspool.model.rows import Batch, CallRow, HookRow, ResultRow, StoredLine
from unspool.store.contract import owner
from unspool.store.postgres.database import Row
from unspool.store.postgres.writing.sources import (
    KnownSource,
    RowCounts,
    SessionTable,
    TargetSource,
)
from unspool.store.postgres.writing.transaction import Transaction

_UUID: Final = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_KIND: Final = ("type", "subtype", "role", "model", "event_type", "text_kind", "agent_id")
_KINDS: Final = f"SELECT kind, {', '.join(_KIND)} FROM kind WHERE owner = %(owner)s"  # noqa: S608
_ADD_KIND: Final = f"""
    INSERT INTO kind (owner, {", ".join(_KIND)})
    VALUES (%(owner)s, {", ".join(f"%({name})s" for name in _KIND)}) RETURNING kind
"""  # noqa: S608
_TOLD: Final = """
    SELECT tool_use_id, call IS NOT NULL FROM tool
    WHERE owner = %(owner)s AND source = %(source)s AND tool_use_id = ANY(%(ids)s)
"""
_CALL: Final = ("call", "call_at", "called", "stamp", "name", "agent_id")
_RESULT: Final = ("result", "result_at", "answered", "state", "is_error")
_TELL: Final = f"""
    UPDATE tool SET
        {
    ", ".join(f"{one} = CASE WHEN call IS NULL THEN %({one})s ELSE {one} END" for one in _CALL)
},
        {
    ", ".join(f"{one} = CASE WHEN result IS NULL THEN %({one})s ELSE {one} END" for one in _RESULT)
}
    WHERE owner = %(owner)s AND source = %(source)s AND tool_use_id = %(tool_use_id)s
"""  # noqa: S608
_BEHIND: Final = """
    SELECT l."offset", l.length, k.event_type <> ''
    FROM line AS l JOIN kind AS k ON k.owner = l.owner AND k.kind = l.kind
    WHERE l.owner = %(owner)s AND l.source = %(source)s AND l."offset" >= %(begins)s
        AND l.at BETWEEN %(first_at)s AND %(last_at)s ORDER BY l."offset"
"""
_MINE: Final = 'owner = %(owner)s AND source = %(source)s AND "offset" >= %(begins)s'
_TIMED: Final = f"{_MINE} AND at BETWEEN %(first_at)s AND %(last_at)s"
_UNSAY: Final = (
    # In this order: the projection that makes words of a text takes it out of `new_text` first.
    f"DELETE FROM new_text WHERE {_MINE}",  # noqa: S608
    f"DELETE FROM body WHERE {_TIMED}",  # noqa: S608
    f"UPDATE tool SET {', '.join(f'{one} = NULL' for one in _CALL)}"  # noqa: S608
    " WHERE owner = %(owner)s AND source = %(source)s"
    f" AND call IN (SELECT line FROM line WHERE {_TIMED})",
    f"UPDATE tool SET {', '.join(f'{one} = NULL' for one in _RESULT)}"  # noqa: S608
    " WHERE owner = %(owner)s AND source = %(source)s"
    f" AND result IN (SELECT line FROM line WHERE {_TIMED})",
    "DELETE FROM tool WHERE owner = %(owner)s AND source = %(source)s"
    " AND call IS NULL AND result IS NULL",
    f"DELETE FROM hook WHERE {_TIMED}",  # noqa: S608
    f"DELETE FROM touched WHERE {_MINE}",  # noqa: S608
    f"DELETE FROM cause WHERE {_MINE}",  # noqa: S608
    f"DELETE FROM oddity WHERE {_MINE}",  # noqa: S608
)
_DROP: Final = f"DELETE FROM line WHERE {_TIMED}"  # noqa: S608
_DROP_BAD: Final = f'DELETE FROM bad WHERE {_MINE} RETURNING "offset", length'  # noqa: S608
_UNCOUNT: Final = """
    UPDATE source SET kept = kept - %(kept)s, events = events - %(events)s, bad = bad - %(bad)s,
        calls = (SELECT count(*) FROM tool AS t WHERE t.owner = source.owner
            AND t.source = source.source AND t.call IS NOT NULL)
    WHERE owner = %(owner)s AND source = %(source)s
"""
_SUPERSEDE: Final = (
    "UPDATE source SET superseded = true WHERE owner = %(owner)s AND source = %(source)s",
    "DELETE FROM fold WHERE owner = %(owner)s AND source = %(source)s",
)

Traces: TypeAlias = list[Row]  # offset and length of each line, good ones first


class LineReference(NamedTuple):
    """A line of a batch, as other rows refer to it."""

    number: int
    at: int
    offset: int = 0
    timestamp: int | None = None


class BatchLines:
    """The numbers that a batch's lines get; whatever refers to a line by its id finds it here.

    Of two lines of one batch with one id, the first is meant.
    """

    def __init__(self, batch: Batch, transaction: Transaction) -> None:
        self.first, self._at = transaction.first_line(len(batch.lines)), transaction.at
        self.times = [transaction.at(line.line_id) for line in batch.lines]
        self._lines: dict[int, LineReference] = {}
        for number, (line, at) in enumerate(zip(batch.lines, self.times, strict=True), self.first):
            found = LineReference(number, at, line.offset, line.timestamp)
            self._lines.setdefault(line.line_id, found)

    def of(self, line_id: int) -> LineReference:
        """A line; number 0 where the batch has no such line."""
        return self._lines.get(line_id) or LineReference(0, self._at(line_id))


class Kinds:
    """Numbers of what lines are, remembered for one writer until the index is rebuilt."""

    def __init__(self) -> None:
        self._edition = -1
        self._known: dict[Row, int] = {}

    def load(self, transaction: Transaction) -> None:
        """Ask for all kinds, if they may be others than those that are known."""
        if transaction.edition != self._edition:
            found = transaction.run(_KINDS)
            self._known = {tuple(names): number for number, *names in found}
            self._edition = transaction.edition

    def of(self, line: StoredLine, transaction: Transaction) -> int:
        """The number of what a line is."""
        key = tuple([getattr(line, name) for name in _KIND])
        if key not in self._known:
            names = dict(zip(_KIND, key, strict=True))
            ((self._known[key],),) = transaction.run(_ADD_KIND, **names)
        return self._known[key]

    def forget(self) -> None:
        """After a rollback, numbers given since do not exist."""
        self._edition = -1


class LineTables:
    """The tables that lines fill, in one transaction."""

    def __init__(self, transaction: Transaction, kinds: Kinds, sessions: SessionTable) -> None:
        self._transaction, self._kinds, self._sessions = transaction, kinds, sessions

    def put(self, batch: Batch, target: TargetSource) -> tuple[BatchLines, RowCounts]:
        """Write the lines and what they say."""
        lines, source = BatchLines(batch, self._transaction), target.source.number
        copy = self._transaction.copy
        calls = self._put_tools(batch, lines, target)  # first: it reads, while nothing waits
        copy("line", self._line_rows(batch.lines, lines, source))
        copy("hook", self._hook_rows(batch, lines, source))
        copy("touched", _file_rows(batch, lines, source))
        copy("cause", _cause_rows(batch, lines, source))
        copy("bad", [(source, b.offset, b.length, b.line_number, b.reason) for b in batch.bad])
        copy("oddity", _oddity_rows(batch, lines, source))
        copy("new_text", _text_rows(batch, lines, source))
        events = sum(line.event_type != "" for line in batch.lines)
        counts = RowCounts(len(batch.lines), events, len(batch.bad), calls)
        if lines.times:
            last = lines.first + len(lines.times) - 1
            counts = counts._replace(
                first_at=min(lines.times), last_at=max(lines.times), last_line=last
            )
        return lines, counts

    def _line_rows(
        self, found: Iterable[StoredLine], lines: BatchLines, source: int
    ) -> Iterator[Row]:
        kind, transaction = self._kinds.of, self._transaction
        for number, (line, at) in enumerate(zip(found, lines.times, strict=True), lines.first):
            yield (
                source,
                line.offset,
                at,
                number,
                line.length,
                line.line_number,
                kind(line, transaction),
                line.turn,
                line.timestamp,
                *_uuid(line.uuid),
                *_uuid(line.parent_uuid),
                line.message_id or None,
                line.request_id or None,
            )

    def _put_tools(self, batch: Batch, lines: BatchLines, target: TargetSource) -> int:
        """Write calls and results; of each the first counts, which may have come before."""
        rows = {row[0]: row for row in _tool_rows(batch, lines)}
        if not rows:
            return 0
        source, known = target.source.number, dict[str, bool]()
        if not target.is_new:
            self._transaction.flush()
            found = self._transaction.run(_TOLD, source=source, ids=list(rows))
            known = {id: is_called for id, is_called in found}
        self._transaction.copy("tool", [(source, *r) for id, r in rows.items() if id not in known])
        for id in known:
            values = dict(zip((*_CALL, *_RESULT), rows[id][1:], strict=True))
            self._transaction.later(_TELL, source=source, tool_use_id=id, **values)
        return sum(row[1] is not None and not known.get(id) for id, row in rows.items())

    def _hook_rows(self, batch: Batch, lines: BatchLines, source: int) -> Iterator[Row]:
        for hook in batch.hooks:
            session = self._sessions.number(owner(hook, batch.source))
            yield _hook_row(hook, lines, source, session)

    def retract(self, source: KnownSource, begins: int) -> Traces:
        """Take out what an unfinished last line left behind the checkpoint."""
        if not source.is_open:
            return []
        self._transaction.flush()
        run, values = self._transaction.run, {"source": source.number, "begins": begins}
        lines = run(_BEHIND, **values, **source.times)
        if lines:
            self._unsay(source, begins)
            run(_DROP, **values, **source.times)
        bad = sorted(run(_DROP_BAD, **values))
        if lines or bad:
            events = sum(line[2] for line in lines)
            counts = {"kept": len(lines), "events": events, "bad": len(bad)}
            run(_UNCOUNT, source=source.number, **counts)
        return [row[:2] for row in (*lines, *bad)]

    def _unsay(self, source: KnownSource, begins: int = 0) -> None:
        """Take back what lines said; they themselves stay."""
        for undo in _UNSAY:
            self._transaction.run(undo, source=source.number, begins=begins, **source.times)

    def supersede(self, source: KnownSource) -> None:
        """An older generation keeps lines, bad lines, raw bytes and what they cost; no more."""
        self._transaction.flush()
        # Nobody could read an unfinished line back: it was never archived.
        self.retract(source, source.offset)
        self._unsay(source)
        for change in _SUPERSEDE:
            self._transaction.run(change, source=source.number)


def traces(batch: Batch) -> Traces:
    """What `retract` would find of a batch."""
    return [(row.offset, row.length) for row in batch.lines] + [
        (row.offset, row.length) for row in batch.bad
    ]


def _uuid(text: str) -> tuple[str | None, str | None]:
    """A uuid where it is written as usual, else the text itself."""
    return (text, None) if _UUID.fullmatch(text) else (None, text or None)


def _tool_rows(batch: Batch, lines: BatchLines) -> Iterator[Row]:
    calls: dict[str, CallRow] = {}
    results: dict[str, ResultRow] = {}
    for call in batch.calls:
        calls.setdefault(call.tool_use_id, call)
    for result in batch.results:
        results.setdefault(result.tool_use_id, result)
    for id in calls | results:
        yield (id, *_call(calls.get(id), lines), *_result(results.get(id), lines))


def _call(call: CallRow | None, lines: BatchLines) -> Row:
    if call is None:
        return (None,) * len(_CALL)
    line = lines.of(call.line_id)
    stamps = line.at, call.start_time, line.timestamp
    return line.number, *stamps, call.name, call.agent_id


def _result(result: ResultRow | None, lines: BatchLines) -> Row:
    if result is None:
        return (None,) * len(_RESULT)
    line = lines.of(result.line_id)
    return line.number, line.at, result.end_time, result.state, result.is_error


def _hook_row(hook: HookRow, lines: BatchLines, source: int, session: int) -> Row:
    line = lines.of(hook.line_id)
    return (
        line.number,
        line.at,
        source,
        line.offset,
        session,
        hook.event_id,
        hook.timestamp,
        hook.event_type,
        hook.tool_use_id,
        hook.tool_name,
        hook.decision,
        hook.handler_results,
        hook.input,
        hook.agent_id,
        hook.duration_ms,
        hook.source,
        hook.print,
        hook.uuid,
        hook.key,
    )


def _file_rows(batch: Batch, lines: BatchLines, source: int) -> Iterator[Row]:
    for file in {(one.path, one.line_id, one.tool): one for one in batch.files}.values():
        line, lowered = lines.of(file.line_id), file.path.lower()
        place = source, line.offset, line.at
        yield *place, file.path, None if lowered == file.path else lowered, file.tool


def _cause_rows(batch: Batch, lines: BatchLines, source: int) -> Iterator[Row]:
    for cause in {one.line_id: one for one in batch.causes}.values():
        line = lines.of(cause.line_id)
        names = cause.skill, cause.mcp_server, cause.agent, cause.command
        yield line.number, source, line.offset, line.at, *names


def _oddity_rows(batch: Batch, lines: BatchLines, source: int) -> Iterator[Row]:
    for one in batch.oddities:
        offset = lines.of(one.line_id).offset
        yield source, offset, one.version, one.what, one.name, one.count


def _text_rows(batch: Batch, lines: BatchLines, source: int) -> Iterator[Row]:
    """Texts of one line together, each by itself: no phrase reaches from one into the next."""
    bodies: dict[int, list[str]] = {}
    for text in batch.texts:
        if lines.of(text.line_id).number:
            bodies.setdefault(text.line_id, []).append(text.body)
    kinds = {line.line_id: line.text_kind for line in batch.lines}
    for line_id, found in bodies.items():
        line = lines.of(line_id)
        yield source, line.offset, line.at, kinds[line_id], found
