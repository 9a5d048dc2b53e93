"""A session to take away: its document, or the lines of its transcript, both without secrets."""

from collections.abc import Iterator
from typing import Final

import msgspec

from unspool.errors import UnspoolError
from unspool.serve.desks.around import Around
from unspool.serve.desks.lines import Lines
from unspool.serve.desks.shelf import Shelf
from unspool.source.reader import FileLines

_PIECE: Final = 256 * 1024


class Exports:
    """Makes files."""

    def __init__(self, around: Around, shelf: Shelf, lines: Lines) -> None:
        self._around, self._shelf, self._lines = around, shelf, lines

    def json(self, project_id: str, session_id: str) -> bytes:
        """The whole document."""
        with self._shelf.session(project_id, session_id) as session:
            made = msgspec.json.encode(session.document())
        return self._around.redactor.json(made)

    def jsonl(self, project_id: str, session_id: str) -> Iterator[bytes]:
        """Line by line; what is written meanwhile is left for the next time."""
        with self._shelf.session(project_id, session_id) as session:
            path, fold = session.path, session.fold
            places = [fold.place(number) for number in range(1, fold.lines + 1)]
        return self._pieces(path, places)

    def _pieces(self, path: str, places: list[tuple[int, int]]) -> Iterator[bytes]:
        held = b""
        for line in self._read(path, places):
            held += self._around.redactor.json(line) + b"\n"
            if len(held) >= _PIECE:
                yield held
                held = b""
        yield held

    def _read(self, path: str, places: list[tuple[int, int]]) -> Iterator[bytes]:
        try:
            file = FileLines(path)
        except UnspoolError:
            yield from self._archived(path, places)
            return
        with file:
            yield from (file.read(offset, length) for offset, length in places)

    def _archived(self, path: str, places: list[tuple[int, int]]) -> Iterator[bytes]:
        name = self._lines.event_id(path, 0)
        if name is not None:
            source_id, generation, _ = map(int, name.split("."))
            for offset, length in places:
                data = self._around.store.raw(source_id, generation, offset, length)
                yield from () if data is None else (data,)
