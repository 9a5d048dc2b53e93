"""What the quick look cannot settle -> rows of the ledger, by the way the whole index takes."""

from collections.abc import Iterator

from msgspec import structs

from unspool.derive.reading.messages import read
from unspool.derive.usage.lines import UsageReader, message_key
from unspool.derive.usage.responses import FileStart
from unspool.ingest.folds import new_fold
from unspool.ingest.ids import line_id
from unspool.ingest.intake import feed
from unspool.ingest.rows import Rows
from unspool.ingest.scan.mend import whole
from unspool.ingest.scan.merge import Odd
from unspool.model.files import TailState, TranscriptFile
from unspool.model.rows import SourceRow
from unspool.model.usage import UsageRow
from unspool.source import tail


def line_rows(
    file: TranscriptFile,
    source: SourceRow,
    offset: int,
    line: bytes,
    start: FileStart,
) -> Iterator[UsageRow]:
    """Rows of one line, its newline included; Odd where it takes the lines before it."""
    reader = UsageReader(file.session_id or "", file.agent_id or "", source.source_id, start)
    for part in whole(line):
        message = read(part.entry, 0)
        if message is None or message.tokens is None:
            continue
        is_inline = message.is_sidechain and not source.agent_id
        if message.at is None or is_inline or not message_key(message):
            raise Odd
        place = line_id(offset + part.start, message.at)
        yield reader.row(message, message.tokens, part.entry, place)


def file_rows(file: TranscriptFile, source: SourceRow) -> tuple[SourceRow, list[UsageRow]]:
    """Rows of every line of a file, and how far it was read."""
    fold, rows = new_fold(file, source.source_id, source.generation), Rows()
    found: list[UsageRow] = []
    state, is_more = TailState(), True
    while is_more:
        piece = tail.read(file.path, state)
        feed(fold, piece, rows)
        found += rows.usage
        state, rows = piece.state, Rows()
        is_more = piece.more and bool(piece.data or piece.oversize)
    last = tail.provisional(file.path, state) if state.pending else None
    if last is not None and whole(last):
        fold.feed_line(state.offset, last, rows)
    moved = structs.replace(
        source, offset=state.offset, size=state.size_seen, mtime_ns=state.mtime_ns
    )
    return moved, found + rows.usage
