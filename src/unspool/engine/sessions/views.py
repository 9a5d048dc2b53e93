"""Views of one session: windows of its document, its waterfall, calls and raw lines."""

from typing import Final

from msgspec import UNSET, UnsetType, structs

from unspool.decode.lines import decode
from unspool.derive.reading.kinds import type_of
from unspool.derive.story.waterfall import Waterfall, waterfall
from unspool.engine.sessions.lines import LineLookup
from unspool.engine.sessions.session import SessionReader
from unspool.errors import NotFound, UnspoolError
from unspool.model.api import ChunkWindow, RawLine, SessionAnswer
from unspool.model.document import LineState, SessionDocument, ToolExecution
from unspool.model.transcript import Oversize, Unknown, Unreadable
from unspool.redact import Redactor
from unspool.source.safe_open import OpenFile
from unspool.store import MarkBook

WINDOW: Final = 200
_MAX_TEXT: Final = 4 * 1024 * 1024
_MAX_READ: Final = 64 * 1024 * 1024


def session_answer(
    session: SessionReader, marks: MarkBook, first: int | None, limit: int | None
) -> SessionAnswer:
    """The document of a session: whole, or a window of its chunks."""
    if first is None and limit is None:
        return _answer(session.document(), marks, UNSET)
    start, most = first or 0, WINDOW if limit is None else limit
    total = len(session.fold.chunks.spans)
    window = ChunkWindow(first=start, limit=most, total=total)
    return _answer(_cut(session.document(first=start, limit=most)), marks, window)


def bare_document(session: SessionReader) -> SessionDocument:
    """A document without chunks: metrics, turns and context of the whole session."""
    return session.document(limit=0, bodies=False)


def session_waterfall(session: SessionReader) -> Waterfall:
    """Chunks, calls and agents on one time axis."""
    whole = session.document(bodies=False)
    return waterfall(whole.chunks, whole.tool_executions, whole.subagents)


def with_bodies(
    session: SessionReader, calls: tuple[ToolExecution, ...]
) -> tuple[ToolExecution, ...]:
    """Some calls of a document without bodies, with inputs and results; only these are read."""
    read = {(one.tool_use_id, one.line): one for one in _read_calls(session, calls)}
    return tuple(read.get((one.tool_use_id, one.line), one) for one in calls)


def raw_line(session: SessionReader, number: int, lines: LineLookup, redactor: Redactor) -> RawLine:
    """One line of a transcript, without its secrets."""
    if number not in session.fold.numbers:
        raise NotFound(f"This transcript has {len(session.fold.numbers)} lines.")
    offset, length = session.fold.place(number)
    event_id = lines.event_id(session.source_id, offset)
    data = _bytes(session.path, offset, min(length, _MAX_READ))
    if not data and event_id is not None:
        data = lines.line(event_id).data
    entries = (Oversize(length),) if length > _MAX_READ else decode(data)
    kinds = [type_of(entry) for entry in entries if not isinstance(entry, Unreadable)]
    # Redacted before it is cut: half a secret would not be recognised.
    clean = redactor.json(data).decode("utf-8", "replace")
    return RawLine(
        number=number,
        offset=offset,
        length=length,
        event_id=event_id,
        type=kinds[0] if kinds else "",
        state=_state(entries),
        text=clean[:_MAX_TEXT],
        is_cut=len(clean) > _MAX_TEXT or length > _MAX_READ,
    )


def _bytes(path: str, offset: int, length: int) -> bytes:
    try:
        with OpenFile(path) as file:
            return file.read(offset, length)
    except UnspoolError:
        return b""


def _answer(
    document: SessionDocument, book: MarkBook, window: ChunkWindow | UnsetType
) -> SessionAnswer:
    marks = book.of(document.session.project_id, document.session.id)
    values = {name: getattr(document, name) for name in SessionDocument.__struct_fields__}
    return SessionAnswer(**values, window=window, pinned=marks.pinned, hidden=marks.hidden)


def _cut(document: SessionDocument) -> SessionDocument:
    """A window's document with the turns and the context of its own chunks."""
    chunks = {chunk.id for chunk in document.chunks}
    turns = {chunk.turn for chunk in document.chunks}
    within = tuple(one for one in document.context.turns if one.chunk_id in chunks)
    return structs.replace(
        document,
        turns=tuple(one for one in document.turns if one.index in turns),
        context=structs.replace(document.context, turns=within),
    )


def _read_calls(
    session: SessionReader, calls: tuple[ToolExecution, ...]
) -> tuple[ToolExecution, ...]:
    homes = {one.chunk_id for one in calls}
    if None in homes:
        return session.document().tool_executions
    at = [n for n, span in enumerate(session.fold.chunks.spans) if span.id in homes]
    if not at:
        return ()
    return session.document(first=at[0], limit=at[-1] - at[0] + 1).tool_executions


def _state(entries: tuple[object, ...]) -> LineState:
    kinds = {type(entry) for entry in entries}
    if kinds == {Unreadable}:
        return "bad"
    if len(entries) > 1:
        return "salvaged"
    return "oversize" if Oversize in kinds else "unknown" if Unknown in kinds else "entry"
