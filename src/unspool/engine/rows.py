"""A transcript's lines as they lie in the file, one row each."""

from collections.abc import Iterator, Sequence

from unspool.derive.board_words import call_line
from unspool.derive.reading import texts
from unspool.derive.reading.clock import iso, millis
from unspool.derive.reading.kinds import type_of
from unspool.derive.reading.messages import read
from unspool.derive.transcript import TranscriptFold
from unspool.engine.bodies import Bodies
from unspool.model.document import LineRow, LineState
from unspool.model.message import Message
from unspool.model.transcript import ConversationLine, Entry, Oversize, Unknown, Unreadable

PREVIEW = 500


def line_rows(fold: TranscriptFold, bodies: Bodies) -> Iterator[LineRow]:
    """One row for every line, damaged and unknown ones included."""
    for number in fold.numbers:
        entries = bodies.entries(number)
        if entries:
            yield _row(number, fold.place(number), entries)


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
        preview=" ".join(_preview(entry, message)[: PREVIEW * 2].split())[:PREVIEW],
        state=_state(entries),
    )


def _state(entries: Sequence[Entry]) -> LineState:
    kinds = {type(entry) for entry in entries}
    if kinds == {Unreadable}:
        return "bad"
    if len(entries) > 1:
        return "salvaged"
    return "oversize" if Oversize in kinds else "unknown" if Unknown in kinds else "entry"


def _preview(entry: Entry, message: Message | None) -> str:
    if isinstance(entry, Unreadable | Unknown):
        return entry.raw[:PREVIEW].decode("utf-8", "replace")
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
        return bytes(texts.result_content(entry, piece))[:PREVIEW].decode("utf-8", "replace")
    return texts.block_text(entry, message, piece)
