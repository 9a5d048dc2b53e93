"""The events of one session in order, as columns of numbers: about 70 bytes for each."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from unspool.model.live import NO_TOKENS, TokenCounts

Key: TypeAlias = tuple[int, int, int]  # time, source and offset; of a hook: time, 0 and line

LINE, PROMPT, HOOK = range(3)
_FEW: Final = 64


class Entry(NamedTuple):
    """One event as it is kept; `line` is the number of its line or of its first hook's."""

    key: Key
    line: int
    kind: int = LINE
    agent: int = 0
    tokens: TokenCounts = NO_TOKENS  # its own


class EventColumns:
    """Sorted by key. Adding at the end costs the same however many there are."""

    def __init__(self) -> None:
        self.order, self.source, self.offset = array("q"), array("q"), array("q")
        self.line, self.kind, self.agent = array("q"), array("b"), array("i")
        self._totals = tuple(array("q") for _ in NO_TOKENS)  # of the session up to each event

    def __len__(self) -> int:
        return len(self.order)

    def key(self, position: int) -> Key:
        return self.order[position], self.source[position], self.offset[position]

    def tokens(self, position: int) -> TokenCounts:
        """Those of the session up to an event."""
        i, o, c, r = (total[position] if position >= 0 else 0 for total in self._totals)
        return i, o, c, r

    def own_tokens(self, position: int) -> TokenCounts:
        """Those of one event."""
        here, before = self.tokens(position), self.tokens(position - 1)
        return here[0] - before[0], here[1] - before[1], here[2] - before[2], here[3] - before[3]

    def position(self, key: Key) -> int:
        """How many events are before a key."""
        if not self.order or key > self.key(-1):
            return len(self.order)
        low, high = bisect_left(self.order, key[0]), bisect_right(self.order, key[0])
        return low + bisect_left(range(low, high), key, key=self.key)

    def find(self, key: Key) -> int | None:
        """Where the event of a key is."""
        position = self.position(key)
        return position if position < len(self) and self.key(position) == key else None

    def between(self, first: int, last: int) -> range:
        """The positions of events of some time."""
        return range(bisect_left(self.order, first), bisect_right(self.order, last))

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in events."""
        fresh = sorted(entries)
        if fresh and self.position(fresh[0].key) == len(self):
            self._append(fresh)
        elif len(fresh) > _FEW:
            self._fill(sorted([*self._entries(), *fresh]))
        else:
            for entry in fresh:
                self._insert(entry)

    def remove(self, key: Key) -> None:
        """Forget an event, if it is there."""
        position = self.find(key)
        if position is None:
            return
        self.add_tokens(position, _negative(self.own_tokens(position)))
        for column in self._columns():
            del column[position]

    def keep(self, is_kept: Callable[[int], bool]) -> list[Entry]:
        """Forget all events but some; those forgotten."""
        entries = list(self._entries())
        kept = [is_kept(position) for position in range(len(self))]
        self._fill([entry for entry, stays in zip(entries, kept, strict=True) if stays])
        return [entry for entry, stays in zip(entries, kept, strict=True) if not stays]

    def add_tokens(self, position: int, more: TokenCounts) -> None:
        """Add to the tokens of an event; every later sum changes with it."""
        for total, count in zip(self._totals, more, strict=True):
            if count:
                for later in range(position, len(total)):
                    total[later] += count

    def set_tokens(self, used: Mapping[int, TokenCounts]) -> None:
        """Set the tokens of all events, by the number of their line."""
        entries = self._entries()
        self._fill([entry._replace(tokens=_own(entry, used)) for entry in entries])

    def _insert(self, entry: Entry) -> None:
        position, key = self.position(entry.key), entry.key
        before = self.tokens(position - 1)
        row = *key, entry.line, entry.kind, entry.agent, *before
        for column, value in zip(self._columns(), row, strict=True):
            column.insert(position, value)
        self.add_tokens(position, entry.tokens)

    def _entries(self) -> Iterator[Entry]:
        for n in range(len(self)):
            yield Entry(self.key(n), self.line[n], self.kind[n], self.agent[n], self.own_tokens(n))

    def _fill(self, entries: Sequence[Entry]) -> None:
        for column in self._columns():
            del column[:]
        self._append(entries)

    def _append(self, entries: Sequence[Entry]) -> None:
        sums: Sequence[int] = self.tokens(len(self) - 1)
        columns = self._columns()
        for entry in entries:
            if entry.tokens is not NO_TOKENS:
                sums = [so_far + more for so_far, more in zip(sums, entry.tokens, strict=True)]
            row = *entry.key, entry.line, entry.kind, entry.agent, *sums
            for column, value in zip(columns, row, strict=True):
                column.append(value)

    def _columns(self) -> tuple["array[int]", ...]:
        mine = self.order, self.source, self.offset, self.line, self.kind, self.agent
        return *mine, *self._totals


def _own(entry: Entry, used: Mapping[int, TokenCounts]) -> TokenCounts:
    return NO_TOKENS if entry.kind == HOOK else used.get(entry.line, NO_TOKENS)


def _negative(tokens: TokenCounts) -> TokenCounts:
    i, o, c, r = tokens
    return -i, -o, -c, -r
