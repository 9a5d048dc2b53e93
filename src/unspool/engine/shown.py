"""What searches have shown, kept for the next ones: pieces of lines, and names of projects."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final

from unspool.engine.snippets import Snippet
from unspool.model.query import SearchHit

_MOST: Final = 2_000


class Shown:
    """A line never changes where it stands, so a piece of it is cut out and cleaned once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._snippets: OrderedDict[Hashable, Snippet] = OrderedDict()
        self._names: OrderedDict[tuple[str, str], str] = OrderedDict()

    def snippet(self, terms: str, hit: SearchHit, make: Callable[[], Snippet]) -> Snippet:
        """The piece of a line that a search shows."""
        key = terms, hit.source_id, hit.generation, hit.offset, hit.length
        with self._lock:
            known = self._snippets.get(key)
            if known is not None:
                self._snippets.move_to_end(key)
                return known
        made = make()
        if made.text:  # what cannot be read now may be later
            with self._lock:
                self._snippets[key] = made
                _trim(self._snippets)
        return made

    def name(self, key: tuple[str, str], find: Callable[[], str]) -> str:
        """A project's name, by project and session; what is not known yet is asked for again."""
        with self._lock:
            known = self._names.get(key, "")
        if not known and (known := find()):
            with self._lock:
                self._names[key] = known
                _trim(self._names)
        return known


def _trim(kept: "OrderedDict[Hashable, Snippet] | OrderedDict[tuple[str, str], str]") -> None:
    if len(kept) > _MOST:
        kept.popitem(last=False)
