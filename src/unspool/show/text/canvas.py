"""Lines -> what a terminal is sent: only the rows that are not there already.

Every row is put in its place by number and every part of it that follows letters of doubtful
width by column, so that a terminal which counts otherwise shifts nothing.
"""

from collections.abc import Sequence
from typing import Final

from unspool.show import safe
from unspool.show.spans import Line, Style, cells
from unspool.show.text.board import BoardScreen

# The sixteen colours every theme defines, as in `colour`.
_CODES: Final[dict[Style, str]] = {
    "": "",
    "strong": "1",
    "dim": "90",
    "thinking": "35",
    "wait": "33",
    "work": "34",
    "good": "32",
    "bad": "31",
    "add": "32",
    "drop": "31",
}
_TOGETHER, _DONE = "\x1b[?2026h", "\x1b[?2026l"


class Canvas:
    """Remembers what is on the screen."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._shown: list[str] = []

    def forget(self) -> None:
        """The screen is not as it was: all of it is to be drawn."""
        self._shown = []

    def draw(self, screen: BoardScreen) -> str:
        """What makes the screen look like this; '' where it does."""
        rows = [
            row(line, colour=self._colour, selected=n == screen.selected)
            for n, line in enumerate(screen.lines)
        ]
        clear = "" if self._shown else "\x1b[H\x1b[2J"
        known: Sequence[str] = self._shown or [""] * len(rows)
        changed = [
            f"\x1b[{n + 1};1H\x1b[K{new}"
            for n, new in enumerate(rows)
            if n >= len(known) or known[n] != new
        ]
        gone = [f"\x1b[{n + 1};1H\x1b[K" for n in range(len(rows), len(known))]
        self._shown = rows
        drawn = "".join([clear, *changed, *gone])
        return f"{_TOGETHER}{drawn}{_DONE}" if drawn else ""


def row(line: Line, *, colour: bool, selected: bool = False) -> str:
    """One line, made safe. The selected one is inverse, and of one colour."""
    parts: list[str] = []
    column, is_sure = 0, True
    for style, text in line:
        shown = safe.line(text)
        if not is_sure:
            parts.append(f"\x1b[{column + 1}G")
        code = "7" if selected else _CODES[style] if colour else ""
        parts.append(f"\x1b[{code}m{shown}\x1b[0m" if code else shown)
        column += cells(shown)
        is_sure = shown.isascii()
    return "".join(parts)
