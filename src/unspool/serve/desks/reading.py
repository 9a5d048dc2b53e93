"""One session's views: its document by windows, its turns, calls, context, bars and lines."""

from typing import Final

from msgspec import UNSET, UnsetType, structs

from unspool.decode.lines import decode
from unspool.derive.reading.kinds import type_of
from unspool.derive.story.waterfall import Waterfall, waterfall
from unspool.engine.lines import LineLookup
from unspool.engine.session import SessionReader
from unspool.errors import NotFound, UnspoolError
from unspool.model.api import ChunkWindow, RawLine, SessionAnswer
from unspool.model.document import (
    Context,
    LineState,
    SessionDocument,
    SessionMetrics,
    ToolExecution,
    Turn,
)
from unspool.model.transcript import Oversize, Unknown, Unreadable
from unspool.serve.desks.around import Around
from unspool.serve.pagination import Listed, list_page
from unspool.source.safe_open import OpenFile

WINDOW: Final = 200
_LONGEST: Final = 4 * 1024 * 1024
_MOST_READ: Final = 64 * 1024 * 1024


class Reading:
    """Asks a session that somebody holds."""

    def __init__(self, around: Around, lines: LineLookup) -> None:
        self._around, self._marks, self._lines = around, around.store.marks, lines

    def document(
        self, session: SessionReader, first: int | None, limit: int | None
    ) -> SessionAnswer:
        """All of it, or where a window is asked for, that."""
        if first is None and limit is None:
            return self._marked(session.document(), UNSET)
        start, most = first or 0, WINDOW if limit is None else limit
        total = len(session.fold.chunks.spans)
        window = ChunkWindow(first=start, limit=most, total=total)
        return self._marked(_cut(session.document(first=start, limit=most)), window)

    def metrics(self, session: SessionReader) -> SessionMetrics:
        """What it used, with its agents and without."""
        return _bare(session).metrics

    def turns(self, session: SessionReader, cursor: str, limit: int) -> Listed[Turn]:
        """Prompts, and the work that followed each."""
        return list_page(_bare(session).turns, cursor, limit)

    def context(self, session: SessionReader) -> Context:
        """What filled the context, turn by turn."""
        return _bare(session).context

    def waterfall(self, session: SessionReader) -> Waterfall:
        """Chunks, calls and agents on one line of time."""
        whole = session.document(bodies=False)
        return waterfall(whole.chunks, whole.tool_executions, whole.subagents)

    def tools(self, session: SessionReader, cursor: str, limit: int) -> Listed[ToolExecution]:
        """Calls by their start; only those of the page are read."""
        page = list_page(session.document(bodies=False).tool_executions, cursor, limit)
        read = {(one.tool_use_id, one.line): one for one in _calls(session, page.items)}
        items = tuple(read.get((one.tool_use_id, one.line), one) for one in page.items)
        return Listed(items=items, next_cursor=page.next_cursor)

    def raw(self, session: SessionReader, number: int) -> RawLine:
        """One line of its transcript."""
        if number not in session.fold.numbers:
            raise NotFound(f"This transcript has {len(session.fold.numbers)} lines.")
        offset, length = session.fold.place(number)
        event_id = self._lines.event_id(session.path, offset)
        data = self._data(session.path, event_id, offset, min(length, _MOST_READ))
        entries = (Oversize(length),) if length > _MOST_READ else decode(data)
        kinds = [type_of(entry) for entry in entries if not isinstance(entry, Unreadable)]
        # A cut could leave the half of a secret that shows nothing of being one.
        clean = self._around.redactor.json(data).decode("utf-8", "replace")
        return RawLine(
            number=number,
            offset=offset,
            length=length,
            event_id=event_id,
            type=kinds[0] if kinds else "",
            state=_state(entries),
            text=clean[:_LONGEST],
            is_cut=len(clean) > _LONGEST or length > _MOST_READ,
        )

    def _data(self, path: str, event_id: str | None, offset: int, length: int) -> bytes:
        try:
            with OpenFile(path) as file:
                data = file.read(offset, length)
        except UnspoolError:
            data = b""
        if not data and event_id is not None:
            data = self._lines.line(event_id).data
        return data

    def _marked(self, made: SessionDocument, window: ChunkWindow | UnsetType) -> SessionAnswer:
        about = made.session
        marks = self._marks.of(about.project_id, about.id)
        values = {name: getattr(made, name) for name in SessionDocument.__struct_fields__}
        return SessionAnswer(**values, window=window, pinned=marks.pinned, hidden=marks.hidden)


def _bare(session: SessionReader) -> SessionDocument:
    """A document without chunks: what is of the whole session is made once and kept."""
    return session.document(limit=0, bodies=False)


def _cut(made: SessionDocument) -> SessionDocument:
    """A window's document with the turns and the context of its own chunks."""
    chunks = {chunk.id for chunk in made.chunks}
    turns = {chunk.turn for chunk in made.chunks}
    within = tuple(one for one in made.context.turns if one.chunk_id in chunks)
    return structs.replace(
        made,
        turns=tuple(one for one in made.turns if one.index in turns),
        context=structs.replace(made.context, turns=within),
    )


def _calls(session: SessionReader, wanted: tuple[ToolExecution, ...]) -> tuple[ToolExecution, ...]:
    """Some calls with what they were given and answered."""
    homes = {one.chunk_id for one in wanted}
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
