"""Lines -> terminal output: only the rows that changed.

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
        """Redraw everything next time."""
        self._shown = []

    def draw(self, screen: BoardScreen) -> str:
        """The output that updates the screen; '' if nothing changed."""
        rows = [
            row(line, colour=self._colour, selected=n == screen.selected)
            for n, line in enumerate(screen.lines)
        ]
        clear = "" if self._shown else "\x1b[H\x1b[2J"
        previous: Sequence[str] = self._shown or [""] * len(rows)
        changed = [
            f"\x1b[{n + 1};1H\x1b[K{new}"
            for n, new in enumerate(rows)
            if n >= len(previous) or previous[n] != new
        ]
        gone = [f"\x1b[{n + 1};1H\x1b[K" for n in range(len(rows), len(previous))]
        self._shown = rows
        output = "".join([clear, *changed, *gone])
        return f"{_TOGETHER}{output}{_DONE}" if output else ""


def row(line: Line, *, colour: bool, selected: bool = False) -> str:
    """One line, made safe. The selected one is inverse, and of one colour."""
    parts: list[str] = []
    column, is_sure = 0, True
    for style, text in line:
        content = safe.line(text)
        if not is_sure:
            parts.append(f"\x1b[{column + 1}G")
        code = "7" if selected else _CODES[style] if colour else ""
        parts.append(f"\x1b[{code}m{content}\x1b[0m" if code else content)
        column += cells(content)
        is_sure = content.isascii()
    return "".join(parts)
