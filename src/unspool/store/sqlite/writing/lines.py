"""Lines, what they say and when -> their tables; and out of them again."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import apsw
from msgspec.structs import astuple

from unspool.model.rows import Batch
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.writing.pending import PendingWrites
from unspool.store.sqlite.writing.rows import (
    Numbers,
    cause_rows,
    file_rows,
    hook_rows,
    line_rows,
    oddity_rows,
    tool_rows,
)
from unspool.store.sqlite.writing.strings import StringTable
from unspool.store.sqlite.writing.texts import OUTPUT, Texts, mark

_BLOCK = 2048
_DAY = 86_400_000
_NEWEST = "SELECT first, last, oldest, newest FROM block ORDER BY first DESC LIMIT 1"
_PUT = "INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?)"


class LineTimes:
    """The blocks of one transaction, and the one before."""

    def __init__(self, connection: apsw.Connection, pending: PendingWrites) -> None:
        self._connection, self._pending = connection, pending
        self._last: Row | None = None
        self._changed: dict[int, Row] = {}

    def note(self, first: int, times: list[int]) -> None:
        """Remember when a run of lines was written; `first` is the number of the first."""
        for start in range(0, len(times), _BLOCK):
            part = times[start : start + _BLOCK]
            last = first + start + len(part) - 1
            self._note((first + start, last, min(part), max(part)))

    def _note(self, block: Row) -> None:
        """Lines that came just before and are of the same time make one block with these."""
        before = self._last or self._connection.execute(_NEWEST).fetchone()
        self._last = block = block if before is None else _joined(before, block) or block
        self._changed[block[0]] = block

    def write(self) -> None:
        """Write what is new."""
        self._pending.extend(_PUT, self._changed.values())
        self._changed.clear()

    def forget(self) -> None:
        """After a rollback."""
        self._last = None
        self._changed.clear()


def _joined(before: Row, block: Row) -> Row | None:
    (began, _, older, newer), (_, last, oldest, newest) = before, block
    first_at, last_at = min(oldest, older), max(newest, newer)
    is_same = last_at - first_at <= max(newest - oldest, newer - older) + _DAY
    return (began, last, first_at, last_at) if is_same and last - began < _BLOCK else None


_LINE = "INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOOL = """
    INSERT INTO tool (source, crc, tool_use_id, call, called, name, agent, result, answered,
        state, is_error)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_TOLD = "SELECT id, call FROM tool WHERE source = ? AND crc = ? AND tool_use_id = ?"
_TELL = """
    UPDATE tool SET
        call = coalesce(call, ?1), called = iif(call IS NULL, ?2, called),
        name = iif(call IS NULL, ?3, name), agent = iif(call IS NULL, ?4, agent),
        result = coalesce(result, ?5), answered = iif(result IS NULL, ?6, answered),
        state = iif(result IS NULL, ?7, state), is_error = iif(result IS NULL, ?8, is_error)
    WHERE id = ?9
"""
_HOOK = "INSERT INTO hook VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOUCHED = "INSERT OR IGNORE INTO touched VALUES (?, ?, ?)"
_CAUSE = "INSERT OR REPLACE INTO cause VALUES (?, ?, ?, ?, ?)"
_BAD = "INSERT OR IGNORE INTO bad VALUES (?, ?, ?, ?, ?)"
_ODDITY = """
    INSERT INTO oddity VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count
"""
_MINE = '(SELECT id FROM line WHERE source = :source AND "offset" >= :begins)'
_UNSAY = tuple(
    change.format(tools="source = :source", mine=_MINE)
    for change in (
        "UPDATE tool SET call = NULL, called = NULL, name = NULL, agent = NULL"
        " WHERE {tools} AND call IN {mine}",
        "UPDATE tool SET result = NULL, answered = NULL, state = NULL, is_error = NULL"
        " WHERE {tools} AND result IN {mine}",
        "DELETE FROM tool WHERE {tools} AND call IS NULL AND result IS NULL",
        "DELETE FROM hook WHERE line IN {mine}",
        "DELETE FROM touched WHERE line IN {mine}",
        "DELETE FROM cause WHERE line IN {mine}",
        "DELETE FROM oddity WHERE line IN {mine}",
    )
)
_NEXT = "SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'next line'"
_COUNTED = "INSERT OR REPLACE INTO meta VALUES ('next line', ?)"
_UNCOUNT = """
    UPDATE source SET kept = kept - ?, events = events - ?, bad = bad - ?, calls = (
        SELECT count(*) FROM tool WHERE tool.source = source.id AND call IS NOT NULL)
    WHERE id = ?
"""
_KEPT = """
    SELECT l."offset", l.length, k.event_type <> ''
    FROM line AS l JOIN kind AS k ON k.id = l.kind WHERE l.source = ? AND l."offset" >= ?
"""

Traces: TypeAlias = list[Row]  # offset and length of each line, good ones first


class BatchTarget(NamedTuple):
    """Where a batch goes: rows of `source` and `session`; and whether the file started over.

    Where it is clean, nothing was left behind its checkpoint.
    """

    source: int
    session: int
    is_clean: bool = False
    is_new: bool = False
    restarts: bool = False


class LineTable:
    """The tables that lines fill; every method runs inside the writer's transaction."""

    def __init__(
        self, connection: apsw.Connection, words: StringTable, pending: PendingWrites
    ) -> None:
        self._connection, self._words, self._pending = connection, words, pending
        self._texts, self._times = Texts(connection, pending), LineTimes(connection, pending)
        self._next = 0  # number of the next line; 0: not known

    def put(self, batch: Batch, place: BatchTarget) -> tuple[Numbers, Row]:
        """Write the lines and what they say; gives their numbers and what `source` counts."""
        first, pending, words = self._first(len(batch.lines)), self._pending, self._words
        numbers = Numbers(batch, first)
        pending.extend(_LINE, line_rows(batch.lines, first, place.source, words))
        calls = self._put_tools(tool_rows(batch, numbers, words), place)
        if batch.hooks:
            pending.extend(_HOOK, hook_rows(batch.hooks, batch.source, numbers, words))
        if batch.files:
            pending.extend(_TOUCHED, file_rows(batch.files, numbers, words))
        if batch.causes:
            pending.extend(_CAUSE, cause_rows(batch.causes, numbers, words))
        if batch.bad:
            pending.extend(_BAD, [(place.source, *astuple(row)) for row in batch.bad])
        if batch.oddities:
            pending.extend(_ODDITY, oddity_rows(batch.oddities, numbers, words))
        self._times.note(first, numbers.times)
        self._find(batch, numbers)
        events = sum(line.event_type != "" for line in batch.lines)
        return numbers, (len(batch.lines), events, len(batch.bad), calls, first, numbers.last)

    def _first(self, lines: int) -> int:
        """The first of so many numbers for lines, none of which was ever used."""
        first = self._next or int(self._connection.execute(_NEXT).get or 1)
        self._next = first + lines
        return first

    def write(self) -> None:
        """Write what is written once for all batches."""
        self._times.write()
        if self._next:
            self._pending.add(_COUNTED, (str(self._next),))

    def forget(self) -> None:
        """After a rollback, numbers given since were never used."""
        self._next = 0
        self._times.forget()

    def _put_tools(self, rows: Iterator[Row], place: BatchTarget) -> int:
        """Write calls and results; of each the first counts, which may have come before."""
        new, calls = [], 0
        for row in rows:
            known = None if place.is_new else self._told(place, row)
            calls += row[2] is not None and (known is None or known[1] is None)
            if known is None:
                new.append((place.source, *row))
            else:
                self._connection.execute(_TELL, (*row[2:], known[0]))
        if new:
            self._connection.executemany(_TOOL, new)
        return calls

    def _told(self, place: BatchTarget, row: Row) -> Row | None:
        return self._connection.execute(_TOLD, (place.source, *row[:2])).fetchone()

    def _find(self, batch: Batch, numbers: Numbers) -> None:
        """Make texts findable; those of one line are one text."""
        if not batch.texts:
            return
        kinds = {line.line_id: line.text_kind for line in batch.lines}
        said: dict[int, str] = {}
        output: dict[int, str] = {}
        for row in batch.texts:
            kind, number = kinds.get(row.line_id, ""), numbers.of(row.line_id)
            texts, first = (output, "") if kind == OUTPUT else (said, mark(kind))
            if number:
                texts[number] = f"{texts.get(number, first)}\n{row.body}"
        self._texts.add(said.items(), output.items())

    def retract(self, place: BatchTarget, begins: int) -> Traces:
        """Take out what an unfinished last line left behind the checkpoint."""
        if place.is_clean:
            return []
        self._pending.write()
        run, mine = self._connection.execute, (place.source, begins)
        lines: list[Row] = run(_KEPT, mine).fetchall()
        if lines:
            self.unsay(place.source, begins)
            run('DELETE FROM line WHERE source = ? AND "offset" >= ?', mine)
        undo = 'DELETE FROM bad WHERE source = ? AND "offset" >= ? RETURNING "offset", length'
        bad: list[Row] = run(undo, mine).fetchall()
        if lines or bad:
            events = sum(line[2] for line in lines)
            run(_UNCOUNT, (len(lines), events, len(bad), place.source))
        return [row[:2] for row in (*lines, *bad)]

    def unsay(self, source: int, begins: int = 0) -> None:
        """Take back what lines said; they themselves stay."""
        self._texts.drop(source, begins)
        values = {"source": source, "begins": begins}
        for undo in _UNSAY:
            self._connection.execute(undo, values)


def traces(batch: Batch) -> Traces:
    """What `retract` would find of a batch."""
    return [(row.offset, row.length) for row in batch.lines] + [
        (row.offset, row.length) for row in batch.bad
    ]
