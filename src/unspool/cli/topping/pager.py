"""Lines -> pages of a screen; they are made as far as somebody has gone, and kept."""

from collections.abc import Callable, Iterator
from itertools import islice

from unspool.cli.topping.presses import steps
from unspool.show import safe
from unspool.show.spans import BLANK, Line, ends, fit
from unspool.show.text.board import Screenful


class Pager:
    """A text somebody reads; `lines` makes it for a width."""

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
            last = self._pull(self._top + by + page) - page
            self._top = max(0, min(self._top + by, last))
            self._is_at_end = by > 0 and self._top >= last
        return True

    def screenful(self, width: int, height: int) -> Screenful:
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
        return Screenful((*shown, *blank, self._foot(width, page))[:height])

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
