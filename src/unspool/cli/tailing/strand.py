"""One growing transcript -> what happened in it since the last look, however the file changes."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from unspool.cli.tailing.telling import Telling
from unspool.cli.topping.clean import Clean
from unspool.decode.lines import decode
from unspool.errors import UnspoolError
from unspool.model.files import Piece, TailState
from unspool.model.happening import Happening
from unspool.model.watch import Changed
from unspool.source import tail
from unspool.source.lines import split

_CONTEXT: Final = 40  # lines read back so that a result finds its call
_REWRITTEN: Final = "The transcript was rewritten; what was told before is not told again."


class Strand:
    """Reads on where it stopped."""

    def __init__(self, file: Changed, clean: Clean) -> None:
        self._file = file
        self._clean = clean
        self._telling = Telling(file, clean)
        self._state = TailState()
        self._last = ""
        self._again = ""  # up to this moment all was told before the file was rewritten

    def begin(self, known: int, back: int = 0) -> tuple[list[Happening], list[Happening]]:
        """What the last lines before a place tell, `back` of them or more, and what follows it."""
        before: deque[bytes] = deque(maxlen=_CONTEXT + 4 * back)
        after: list[bytes] = []
        for piece in self._pieces():
            for offset, line in split(piece.data, piece.base):
                (after if offset >= known else before).append(line)
        return self._told(before), self._told(after)

    def read(self) -> list[Happening]:
        """What was written since."""
        told: list[Happening] = []
        for piece in self._pieces():
            if piece.reset:
                told.append(self._rewritten())
            told += self._told(line for _, line in split(piece.data, piece.base))
        return told

    def _pieces(self) -> Iterator[Piece]:
        more = True
        while more:
            try:
                piece = tail.read(self._file.path, self._state)
            except UnspoolError:
                return  # closed to us for now
            if piece.gone:
                return
            more = piece.more and (piece.reset or piece.state.offset > self._state.offset)
            self._state = piece.state
            yield piece

    def _told(self, lines: Iterable[bytes]) -> list[Happening]:
        found = [one for line in lines for one in self._telling.feed(decode(line))]
        self._last = max((one.at or "" for one in found), default="") or self._last
        return [one for one in found if not one.at or one.at > self._again]

    def _rewritten(self) -> Happening:
        self._telling = Telling(self._file, self._clean)
        self._again = self._last
        return Happening(
            at=self._last or None,
            session_id=self._file.session_id or "",
            project_id=self._clean.text(self._file.project_id),
            kind="notice",
            text=_REWRITTEN,
        )
