"""Lines and what they say -> their tables; and out of them again, where a file took it back."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import apsw
from msgspec.structs import astuple

from unspool.model.rows import Batch
from unspool.store.sqlite.connection import Row
from unspool.store.sqlite.writing.rows import Numbers, hook_rows, line_rows, oddity_rows, tool_rows
from unspool.store.sqlite.writing.texts import OUTPUT, Texts, note_times
from unspool.store.sqlite.writing.words import Words

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
_HOOK = "INSERT INTO hook VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOUCHED = "INSERT OR IGNORE INTO touched VALUES (?, ?, ?)"
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
        "DELETE FROM oddity WHERE line IN {mine}",
    )
)
_COUNT = """
    UPDATE source SET kept = kept + ?, events = events + ?, bad = bad + ?, calls = calls + ?,
        first_line = coalesce(first_line, ?), last_line = ?
    WHERE id = ?
"""
_UNCOUNT = """
    UPDATE source SET kept = kept - ?, events = events - ?, bad = bad - ?, calls = (
        SELECT count(*) FROM tool WHERE tool.source = source.id AND call IS NOT NULL)
    WHERE id = ?
"""
_LEFT = """
    SELECT 1 FROM line WHERE source = ?1 AND "offset" >= ?2
    UNION ALL SELECT 1 FROM bad WHERE source = ?1 AND "offset" >= ?2 LIMIT 1
"""
_KEPT = """
    SELECT l."offset", l.length, k.event_type <> ''
    FROM line AS l JOIN kind AS k ON k.id = l.kind WHERE l.source = ? AND l."offset" >= ?
"""

Traces: TypeAlias = list[Row]  # offset and length of each line, good ones first


class Place(NamedTuple):
    """Where a batch goes: rows of `source` and `session`; and whether the file began anew."""

    source: int
    session: int
    is_new: bool = False
    restarts: bool = False


class Lines:
    """The tables that lines fill; every method runs inside the writer's transaction."""

    def __init__(self, connection: apsw.Connection, words: Words, texts: Texts) -> None:
        self._connection, self._words, self._texts = connection, words, texts

    def put(self, batch: Batch, place: Place, first: int) -> Numbers:
        """Write the lines, counted from `first`, and what they say."""
        many, word, numbers = self._connection.executemany, self._words.word, Numbers(batch, first)
        many(_LINE, line_rows(batch.lines, first, place.source, self._words))
        calls = self._put_tools(tool_rows(batch, numbers, self._words), place)
        many(_HOOK, hook_rows(batch.hooks, batch.source, numbers, self._words))
        files = ((word(row.path), numbers.of(row.line_id), word(row.tool)) for row in batch.files)
        many(_TOUCHED, files)
        many(_BAD, ((place.source, *astuple(row)) for row in batch.bad))
        many(_ODDITY, oddity_rows(batch.oddities, numbers, self._words))
        note_times(self._connection, first, numbers.times)
        self._find(batch, numbers)
        events = sum(line.event_type != "" for line in batch.lines)
        counts = len(batch.lines), events, len(batch.bad), calls
        self._connection.execute(_COUNT, (*counts, first, numbers.last, place.source))
        return numbers

    def _put_tools(self, rows: Iterator[Row], place: Place) -> int:
        """Write calls and results; of each the first counts, which may have come before."""
        new, calls = [], 0
        for row in rows:
            known = None if place.is_new else self._told(place, row)
            calls += row[2] is not None and (known is None or known[1] is None)
            if known is None:
                new.append((place.source, *row))
            else:
                self._connection.execute(_TELL, (*row[2:], known[0]))
        self._connection.executemany(_TOOL, new)
        return calls

    def _told(self, place: Place, row: Row) -> Row | None:
        return self._connection.execute(_TOLD, (place.source, *row[:2])).fetchone()

    def _find(self, batch: Batch, numbers: Numbers) -> None:
        """Make texts findable; those of one line are one text."""
        outputs = {line.line_id for line in batch.lines if line.text_kind == OUTPUT}
        said: dict[int, str] = {}
        output: dict[int, str] = {}
        for row in batch.texts:
            texts, number = output if row.line_id in outputs else said, numbers.of(row.line_id)
            if number:
                texts[number] = f"{texts[number]}\n{row.body}" if number in texts else row.body
        self._texts.add(said.items(), output.items())

    def retract(self, place: Place, begins: int) -> Traces:
        """Take out what an unfinished last line left behind the checkpoint."""
        run, mine = self._connection.execute, (place.source, begins)
        if place.is_new or run(_LEFT, mine).get is None:
            return []
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
