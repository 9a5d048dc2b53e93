"""Keys, signals and boards -> screens, until somebody leaves."""

from collections.abc import Callable, Iterator
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from unspool.cli.topping.feed import Feed
from unspool.cli.topping.keys import Keys
from unspool.cli.topping.pager import Pager
from unspool.cli.topping.presses import pressed
from unspool.cli.topping.screen import Event, Screen
from unspool.model.board import Board, BoardRow
from unspool.show.board import View, arranged, at, key
from unspool.show.spans import Line
from unspool.show.text.board import Paper, Screenful, screenful
from unspool.show.text.board_paint import Canvas

_SOONEST = 0.1  # seconds between two screens nobody asked for
_HALF_A_KEY = 0.05


class Means(Struct, frozen=True):
    """What the loop takes from outside."""

    now: Callable[[], int]
    story: Callable[[BoardRow, int], Iterator[Line]]  # a session's lines for a width
    trouble: Callable[[], str] = str  # what is wrong right now
    clean: Callable[[str], str] = str
    colour: bool = True


class Loop:
    """One person at one terminal."""

    def __init__(self, screen: Screen, feed: Feed, means: Means, view: View) -> None:
        self._screen = screen
        self._feed = feed
        self._means = means
        self._view = view
        self._canvas = Canvas(colour=means.colour)
        self._keys = Keys()
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
            events = self._screen.wait(min(wait, _HALF_A_KEY) if self._keys.is_waiting else wait)
            if "leave" in events or not self._typed(events):
                return
            self._came_back(events)
            # News are drawn soon, the clock each second, and what somebody asks for at once.
            due = min(due, self._drawn_at + _SOONEST) if events == {"news"} else 0.0

    def _until_next_second(self) -> float:
        return 1.0 - self._means.now() % 1_000 / 1_000

    def _came_back(self, events: set[Event]) -> None:
        if "stop" in events:
            self._screen.pause()
        elif "resume" in events:
            self._screen.enter()
        if events & {"stop", "resume", "size"}:
            self._canvas.forget()

    def _draw(self) -> None:
        width, height = self._screen.size()
        self._screen.write(self._canvas.draw(self._picture(width, height)))
        self._drawn_at = monotonic()

    def _picture(self, width: int, height: int) -> Screenful:
        if self._pager is not None:
            return self._pager.screenful(width, height)
        board = self._feed.board
        now = self._means.now()
        trouble = self._means.trouble() if board else "Reading the sessions …"
        clean = self._means.clean
        paper = Paper(width=width, height=height, now=now, clean=clean, trouble=trouble)
        board = board or Board(at=now)
        self._rows = arranged(board, self._view)
        return screenful(board, self._view, paper)

    def _typed(self, events: set[Event]) -> bool:
        """Do what the keys say; False where they say leave."""
        if "keys" in events:
            data = self._screen.read()
            if not data:
                return False
            keys = self._keys.feed(data)
        else:
            keys = self._keys.flush() if not events else []
        return all(self._press(one) for one in keys)

    def _press(self, one: str) -> bool:
        height = self._screen.size()[1]
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
            self._turn(one, height)
        return True

    def _turn(self, one: str, height: int) -> None:
        rows = [key(row) for row in self._rows]
        self._view = pressed(one, self._view, rows, max(height - 4, 1))
        if self._feed.board is not None:
            self._rows = arranged(self._feed.board, self._view)

    def _open(self) -> None:
        if not self._rows:
            return
        row = self._rows[at(self._rows, self._view)]
        # The session is still selected when one comes back, wherever it stands by then.
        self._view = replace(self._view, selected=key(row))
        name = row.session.title or row.session.goal or row.session.id
        is_live = row.session.status.state != "ended"
        story = self._means.story
        self._pager = Pager(
            self._means.clean(name), lambda width: story(row, width), at_end=is_live
        )
