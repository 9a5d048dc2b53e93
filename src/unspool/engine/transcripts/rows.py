"""A transcript -> its entries, its lines as they lie in the file, or what was said in them."""

import os
from collections.abc import Iterator, Sequence

from msgspec import Raw

from unspool.decode.lines import decode, is_whole
from unspool.derive.board_words import call_line
from unspool.derive.reading import texts
from unspool.derive.reading.clock import iso, millis
from unspool.derive.reading.heads import beginning
from unspool.derive.reading.kinds import type_of
from unspool.derive.reading.messages import read
from unspool.derive.transcript import TranscriptFold, Views, batched
from unspool.engine.transcripts.bodies import Bodies
from unspool.model.document import LineRow, LineState
from unspool.model.files import LineSpan
from unspool.model.message import ConversationMessage, Message, PieceKind
from unspool.model.transcript import ConversationLine, Entry, Oversize, Unknown, Unreadable
from unspool.source.safe_open import OpenFile
from unspool.source.tail import Line, LineBuffer

PREVIEW = 500
_READ = 1024 * 1024


def parse(path: str) -> Iterator[Entry]:
    """The entries of one transcript, line by line.

    A last line that is still being written is left out.
    """
    buffer, offset = LineBuffer(), 0
    with OpenFile(os.path.realpath(path)) as file:
        while data := file.read(offset, _READ):
            offset += len(data)
            for line in buffer.feed(data):
                yield from _entries(line)
    if buffer.pending:
        (last,) = buffer.feed(b"\n")
        if not isinstance(last, LineSpan) and is_whole(last[1]):
            yield from _entries(last)


def _entries(line: Line | LineSpan) -> tuple[Entry, ...]:
    return (Oversize(line.length),) if isinstance(line, LineSpan) else decode(line[1])


def line_rows(fold: TranscriptFold, bodies: Bodies) -> Iterator[LineRow]:
    """One row for every line, damaged and unknown ones included."""
    for number in fold.numbers:
        entries = bodies.entries(number)
        if entries:
            yield _row(number, fold.place(number), entries)


def messages(fold: TranscriptFold, bodies: Bodies) -> Iterator[ConversationMessage]:
    """The conversation of a transcript: each message once, inline agents left out."""
    again = TranscriptFold(fold.session_id, fold.agent_id, views=Views.NONE)
    numbers = list(fold.numbers)
    lines = ((*fold.place(number), bodies.entries(number)) for number in numbers)
    for batch in batched(lines):
        for record in again.feed(batch).records:
            message = record.fresh
            if message is not None and (fold.agent_id or not message.is_sidechain):
                yield _message(message, record.entry, numbers[message.line - 1])


def _message(message: Message, entry: Entry, line: int) -> ConversationMessage:
    is_answer = message.type == "assistant"
    return ConversationMessage(
        line=line,
        uuid=message.uuid,
        parent_uuid=message.parent_uuid,
        timestamp=iso(message.at),
        type=message.type,
        category=message.category,
        voice=message.voice,
        text=_joined(message, entry, "text") if is_answer else texts.said(entry, message),
        thinking=_joined(message, entry, "thinking"),
        model=message.model,
        tokens=message.tokens,
        tool_calls=tuple(piece.id for piece in message.pieces if piece.kind == "call"),
        tool_results=tuple(piece.id for piece in message.pieces if piece.kind == "result"),
        stop_reason=message.stop_reason,
        is_meta=message.is_meta,
    )


def _joined(message: Message, entry: Entry, kind: PieceKind) -> str:
    pieces = (piece for piece in message.pieces if piece.kind == kind)
    return "\n".join(texts.block_text(entry, message, piece) for piece in pieces)


def _row(number: int, place: tuple[int, int], entries: Sequence[Entry]) -> LineRow:
    entry = next((one for one in entries if type(one) is not Unreadable), entries[0])
    message = read(entry, number)
    return LineRow(
        number=number,
        offset=place[0],
        length=place[1],
        type=type_of(entry),
        subtype=message.subtype if message else "",
        uuid=getattr(entry, "uuid", None) or "",
        timestamp=iso(millis(getattr(entry, "timestamp", None))),
        category=message.category if message else "",
        preview=_one_line(_preview(entry, message)),
        state=_state(entries),
    )


def _one_line(text: str) -> str:
    return beginning(" ".join(beginning(text, 2 * PREVIEW).split()), PREVIEW)


def _shown(data: Raw | bytes) -> str:
    return beginning(bytes(data)[: 2 * PREVIEW].decode("utf-8", "replace"), PREVIEW)


def _state(entries: Sequence[Entry]) -> LineState:
    kinds = {type(entry) for entry in entries}
    if kinds == {Unreadable}:
        return "bad"
    if len(entries) > 1:
        return "salvaged"
    return "oversize" if Oversize in kinds else "unknown" if Unknown in kinds else "entry"


def _preview(entry: Entry, message: Message | None) -> str:
    if isinstance(entry, Unreadable | Unknown):
        return _shown(entry.raw)
    if isinstance(entry, Oversize):
        return f"{entry.length} bytes: longer than a line may be"
    if message is None or not isinstance(entry, ConversationLine):
        return ""
    said = (_piece_text(entry, message, n) for n in range(len(message.pieces)))
    return message.head or next((text for text in said if text), "")


def _piece_text(entry: Entry, message: Message, n: int) -> str:
    piece = message.pieces[n]
    if piece.kind == "call":
        return call_line(piece.name, texts.call_input(entry, piece))
    if piece.kind == "result":
        return _shown(texts.result_content(entry, piece))
    return texts.block_text(entry, message, piece)
