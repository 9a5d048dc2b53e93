"""A session of the board, opened: its newest part as `unspool show` has it, page by page."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from unspool.cli import config
from unspool.engine.archive.redacted import TextCleaner
from unspool.engine.sessions.root_sessions import RootSessions
from unspool.engine.sessions.session import SessionReader
from unspool.errors import UnspoolError
from unspool.model.document import SessionDocument
from unspool.model.session import BoardRow
from unspool.show import safe
from unspool.show.numbers import plural
from unspool.show.spans import BLANK, Line, ends, fit
from unspool.show.text.board import BoardScreen
from unspool.show.text.layout import Frame
from unspool.show.text.session import SessionText, footer, header
from unspool.show.text.steps import AgentTrace, SessionAgents, agent_trace

_FAR: Final = 1 << 30
# Who opens a live session wants to know what happens now.
_NEWEST: Final = 200


class Pager:
    """A text somebody reads; `lines` makes it for a width, as far as somebody has gone."""

    def __init__(
        self, name: str, lines: Callable[[int], Iterator[Line]], *, at_end: bool = False
    ) -> None:
        self._name = name
        self._make = lines
        self._lines: Iterator[Line] = iter(())
        self._kept: list[Line] = []
        self._width = 0
        self._top = 0
        self._is_at_end = at_end

    def press(self, key: str, height: int) -> bool:
        """Move by a key; False where it says that the reader has had enough."""
        if key in ("q", "escape"):
            return False
        page = max(height - 1, 1)
        by = steps({" ": "page down", "b": "page up", "enter": "down"}.get(key, key), page)
        if by:
            # One line more than the page shows whether it is the last.
            last = self._pull(self._top + by + page + 1) - page
            self._top = max(0, min(self._top + by, last))
            self._is_at_end = by > 0 and self._top >= last
        return True

    def screenful(self, width: int, height: int) -> BoardScreen:
        """The page that is read now."""
        page = max(height - 1, 1)
        if width != self._width:
            self._width, self._kept, self._lines = width, [], self._make(width)
            if self._is_at_end:
                self._top = self._pull(None) - page
        last = self._pull(self._top + page) - page
        self._top = max(0, min(self._top, last))
        shown = [fit(line, width) for line in self._kept[self._top : self._top + page]]
        blank = [BLANK] * (page - len(shown))
        return BoardScreen((*shown, *blank, self._foot(width, page))[:height])

    def _pull(self, upto: int | None) -> int:
        """Make lines up to one, or all; how many there are then."""
        wanted = None if upto is None else max(upto - len(self._kept), 0)
        self._kept += islice(self._lines, wanted)
        return len(self._kept)

    def _foot(self, width: int, page: int) -> Line:
        end = min(self._top + page, len(self._kept))
        left: Line = (
            ("dim", " q back   space b page   g G ends   "),
            ("strong", safe.brief(self._name, 80)),
        )
        return ends(left, (("dim", f"{end:,}"),), width - 1)


def steps(key: str, page: int) -> int:
    """How many rows a key moves by, down or up."""
    moves = {
        "j": 1, "down": 1, "k": -1, "up": -1, "page down": page, "page up": -page,
        "g": -_FAR, "home": -_FAR, "G": _FAR, "end": _FAR,
    }  # fmt: skip
    return moves.get(key, 0)


def session_lines(
    explicit: Sequence[str], row: BoardRow, width: int, clean: TextCleaner
) -> Iterator[Line]:
    """The lines of a session, or the sentence that says why there are none."""
    try:
        with config.open_stores(explicit).reading_sessions() as sessions:
            yield from _document_lines(_open(sessions, row), Frame(width, config.now()), clean)
    except UnspoolError as error:
        for said in safe.lines(str(error)):
            yield (("bad", said),)


def _open(sessions: RootSessions, row: BoardRow) -> SessionReader:
    session = row.session
    return sessions.open(sessions.find(session.id, project=session.project_id))


def _document_lines(session: SessionReader, frame: Frame, clean: TextCleaner) -> Iterator[Line]:
    first = max(0, len(session.fold.chunks.spans) - _NEWEST)
    document: SessionDocument = clean.value(session.document(first=first, limit=_NEWEST))
    agents = SessionAgents(document.subagents, lambda id: _trace(session, id, clean), frame)
    yield from header(document, frame)
    if first:
        earlier = plural(first, "part")
        yield (("dim", f"… {earlier} before this: unspool show {session.id}"),)
        yield BLANK
    yield from SessionText(document, agents, frame).tell(document)
    yield from footer(document, frame)


def _trace(session: SessionReader, agent_id: str, clean: TextCleaner) -> AgentTrace:
    return agent_trace(clean.value(session.agent(agent_id).document(bodies=False)))
