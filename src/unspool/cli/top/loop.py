"""Keys, signals and boards -> screens, until somebody leaves."""

from collections.abc import Callable, Iterator, Sequence
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import replace

from unspool.cli.top.pager import Pager, steps
from unspool.cli.top.terminal import KeyDecoder, Terminal, TerminalEvent
from unspool.model.session import Board, BoardRow
from unspool.show.board_view import SORTS, BoardView, row_key, selected_index, sort_rows
from unspool.show.spans import Line
from unspool.show.text.board import BoardScreen, Screen, board_screen
from unspool.show.text.canvas import Canvas

_REDRAW_AFTER: Final = 0.1  # seconds between two screens nobody asked for
_ESCAPE_TIMEOUT: Final = 0.05
_LONGEST_FILTER: Final = 100


class LoopContext(Struct, frozen=True):
    """What the loop takes from outside."""

    now: Callable[[], int]
    lines: Callable[[BoardRow, int], Iterator[Line]]  # of a session, for a width
    trouble: Callable[[], str] = str  # what is wrong right now
    clean: Callable[[str], str] = str
    colour: bool = True


class BoardThread:
    """Makes boards from `with` on; a fault of it is raised where the board is asked for."""

    def __init__(
        self, boards: Callable[[Event], Iterator[Board]], notify: Callable[[], None]
    ) -> None:
        self._boards = boards
        self._notify = notify
        self._stop = Event()
        self._board: Board | None = None
        self._fault: Exception | None = None
        self._thread = Thread(target=self._run, name="board", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        # It may be in the middle of a long session; it only reads, and ends with the process.
        self._thread.join(0.5)

    @property
    def board(self) -> Board | None:
        """The newest board; None until there is one."""
        if self._fault is not None:
            raise self._fault
        return self._board

    def _run(self) -> None:
        try:
            for board in self._boards(self._stop):
                self._board = board
                self._notify()
        except Exception as error:
            self._fault = error
            self._notify()


class BoardLoop:
    """One person at one terminal."""

    def __init__(
        self, terminal: Terminal, boards: BoardThread, context: LoopContext, view: BoardView
    ) -> None:
        self._terminal = terminal
        self._boards = boards
        self._context = context
        self._view = view
        self._canvas = Canvas(colour=context.colour)
        self._keys = KeyDecoder()
        self._pager: Pager | None = None
        self._rows: list[BoardRow] = []
        self._drawn_at = 0.0

    def run(self) -> None:
        """Go on until somebody leaves."""
        due = 0.0
        while True:
            if monotonic() >= due:
                self._draw()
                due = self._drawn_at + self._until_next_second()
            wait = due - monotonic()
            if self._keys.is_waiting:
                wait = min(wait, _ESCAPE_TIMEOUT)
            events = self._terminal.wait(wait)
            if "leave" in events or not self._typed(events):
                return
            self._resume(events)
            # News are drawn soon, the clock each second, and what somebody asks for at once.
            due = min(due, self._drawn_at + _REDRAW_AFTER) if events == {"news"} else 0.0

    def _until_next_second(self) -> float:
        return 1.0 - self._context.now() % 1_000 / 1_000

    def _resume(self, events: set[TerminalEvent]) -> None:
        if "stop" in events:
            self._terminal.pause()
        elif "resume" in events:
            self._terminal.enter()
        if events & {"stop", "resume", "size"}:
            self._canvas.forget()

    def _draw(self) -> None:
        width, height = self._terminal.size()
        self._terminal.write(self._canvas.draw(self._picture(width, height)))
        self._drawn_at = monotonic()

    def _picture(self, width: int, height: int) -> BoardScreen:
        if self._pager is not None:
            return self._pager.screenful(width, height)
        board = self._boards.board
        now = self._context.now()
        trouble = self._context.trouble() if board else "Reading the sessions …"
        clean = self._context.clean
        paper = Screen(width=width, height=height, now=now, clean=clean, trouble=trouble)
        board = board or Board(at=now)
        self._rows = sort_rows(board, self._view)
        return board_screen(board, self._view, paper)

    def _typed(self, events: set[TerminalEvent]) -> bool:
        """Do what the keys say; False where they say leave."""
        if "keys" in events:
            data = self._terminal.read()
            if not data:
                return False
            keys = self._keys.feed(data)
        else:
            keys = self._keys.flush() if not events else []
        return all(self._press(one) for one in keys)

    def _press(self, one: str) -> bool:
        height = self._terminal.size()[1]
        if one == "redraw":
            self._canvas.forget()
        elif self._pager is not None:
            if not self._pager.press(one, height):
                self._pager = None
        elif one == "q" and not (self._view.typing or self._view.help):
            return False
        elif one == "enter" and not (self._view.typing or self._view.help):
            self._open()
        else:
            self._change_view(one, height)
        return True

    def _change_view(self, one: str, height: int) -> None:
        rows = [row_key(row) for row in self._rows]
        self._view = view_after(one, self._view, rows, max(height - 4, 1))
        if self._boards.board is not None:
            self._rows = sort_rows(self._boards.board, self._view)

    def _open(self) -> None:
        if not self._rows:
            return
        row = self._rows[selected_index(self._rows, self._view)]
        # The session is still selected when one comes back, wherever it stands by then.
        self._view = replace(self._view, selected=row_key(row))
        name = row.session.title or row.session.goal or row.session.id
        is_live = row.session.status.state != "ended"
        lines = self._context.lines
        self._pager = Pager(
            self._context.clean(name), lambda width: lines(row, width), at_end=is_live
        )


def view_after(key: str, view: BoardView, rows: Sequence[str], page: int) -> BoardView:
    """The view after a key; `rows` are the keys of the rows shown, `page` how many fit."""
    if view.typing:
        return _filter_after(key, view)
    if view.help:
        return replace(view, help=False)
    if key == "/":
        return replace(view, typing=True)
    if key == "?":
        return replace(view, help=True)
    if key == "s":
        return replace(view, sort=SORTS[(SORTS.index(view.sort) + 1) % len(SORTS)])
    if key == "escape":
        return replace(view, needle="")
    by = steps(key, page)
    return replace(view, selected=_moved(view.selected, rows, by)) if by and rows else view


def _filter_after(key: str, view: BoardView) -> BoardView:
    if key == "enter":
        return replace(view, typing=False)
    if key == "escape":
        return replace(view, typing=False, needle="")
    if key in ("backspace", "clear"):
        return replace(view, needle=view.needle[:-1] if key == "backspace" else "")
    letter = key if len(key) == 1 else ""
    return replace(view, needle=(view.needle + letter)[:_LONGEST_FILTER])


def _moved(selected: str, rows: Sequence[str], by: int) -> str:
    at = rows.index(selected) if selected in rows else 0
    return rows[max(0, min(at + by, len(rows) - 1))]
