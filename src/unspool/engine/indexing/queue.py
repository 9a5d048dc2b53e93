"""Files that wait to be read and files being read; one that somebody writes to need not wait."""

from collections.abc import Iterable, Iterator
from typing import Final

from unspool.engine.indexing.ids import source_id
from unspool.engine.indexing.survey import Found
from unspool.model.rows import SourceRow

# What is read at once, of one file and of all: others are looked at in between.
LARGE: Final = 256 * 1024
_MOST: Final = 8 * 1024 * 1024


class Queue:
    """Hands files out in order; what was handed out is busy until all of it is committed."""

    def __init__(self, found: Iterable[Found] = ()) -> None:
        self._waiting = {_id(one): one for one in found}
        self._busy: set[int] = set()

    def __iter__(self) -> Iterator[Found]:
        while self._waiting:
            id = next(iter(self._waiting))
            self._busy.add(id)
            yield self._waiting.pop(id)

    def done(self, source: SourceRow) -> None:
        """Note how far a file is committed."""
        if not has_more(source):
            self._busy.discard(source.source_id)

    def claim(self, found: Found) -> bool:
        """Take a file out of turn; False while it is being read."""
        self._waiting.pop(_id(found), None)
        return _id(found) not in self._busy


def has_more(source: SourceRow) -> bool:
    """Whether there were whole lines in its file beyond the checkpoint."""
    return source.tail.size_seen > source.offset + source.tail.pending


def share(found: Iterable[Found]) -> list[Found]:
    """What to read at once: the small files, as many as are quickly read, and one large one.

    Whoever writes without end has others wait for a piece of his file, never for all of it.
    """
    chosen: list[Found] = []
    large: list[Found] = []
    room = _MOST
    for one in found:
        if one.new_bytes > LARGE:
            large.append(one)
        elif room > 0:
            chosen.append(one)
            room -= one.new_bytes
    return chosen + large[:1]


def _id(found: Found) -> int:
    return source_id(found.file.root.path, found.file.relpath)
