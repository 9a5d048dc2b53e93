"""Messages -> spans: runs of messages that are shown as one chunk."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from unspool.model.document import ChunkType
from unspool.model.message import Message


class Span:
    """A chunk before its steps are made: which messages it holds, in file order."""

    __slots__ = ("_earliest", "_latest", "_timed", "compaction", "first", "id", "messages", "type")

    def __init__(self, id: str, type: ChunkType, first: Message) -> None:
        self.id = id
        self.type = type
        self.first = first  # the message that opened it; hooks that ran before may precede it
        self.messages = [first]
        self.compaction: tuple[str, int | None, int | None] | None = None
        self._earliest: int | None = None
        self._latest: int | None = None
        self._timed = 0  # messages whose times were read

    @property
    def start(self) -> int | None:
        """When it began: the first answer's own time, not the earliest."""
        if self.first.at is not None:
            return self.first.at
        self._read_times()
        return self._earliest

    @property
    def end(self) -> int | None:
        """The latest time in it."""
        self._read_times()
        return self._latest

    def includes(self, time: int) -> bool:
        """Whether a time is between its start and its end."""
        start, end = self.start, self.end
        return start is not None and end is not None and start <= time <= end

    def _read_times(self) -> None:
        """Messages are only ever added: each is looked at once."""
        for n in range(self._timed, len(self.messages)):
            at = self.messages[n].at
            if at is not None:
                self._earliest = at if self._earliest is None else min(at, self._earliest)
                self._latest = at if self._latest is None else max(at, self._latest)
        self._timed = len(self.messages)


# What the client told the model and nobody else: it makes no answer of its own.
_UNSAID: Final = frozenset({"meta", "skill"})


class ChunkFold:
    """Groups messages in file order. Noise splits nothing."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._open: Span | None = None
        self._waiting: list[Message] = []
        self._boundary: tuple[str, int | None, int | None] | None = None
        self._ids: dict[str, int] = {}

    def feed(self, message: Message) -> None:
        """Add the next message of the file."""
        category = message.category
        if category == "ai":
            if self._open is None and message.voice in _UNSAID:
                self._waiting.append(message)
            elif self._open is None:
                self._open = self._begin("ai", message)
                self._open.messages[:0] = self._waiting
                self._waiting.clear()
            else:
                self._open.messages.append(message)
        elif category == "noise":
            self._aside(message)
        else:
            self._open = None
            span = self._begin(category, message)
            if category == "compact":
                span.compaction, self._boundary = self._boundary, None

    def span_of(self, message: Message) -> Span | None:
        """The span of a message that was fed; noise is in none."""
        if message.category == "noise":
            return None
        after = bisect_right(self.spans, (message.line, message.part), key=_place)
        return self.spans[after - 1] if after else None

    def _aside(self, message: Message) -> None:
        """Hooks and injected context belong to the answer they surround, and open none."""
        if message.compaction is not None:
            self._boundary = message.compaction
        elif message.voice in ("hook", "injected"):
            (self._open.messages if self._open else self._waiting).append(message)

    def _begin(self, type: ChunkType, message: Message) -> Span:
        id = f"{type}-{message.uuid}"
        seen = self._ids[id] = self._ids.get(id, 0) + 1
        span = Span(id if seen == 1 else f"{id}~{seen}", type, message)
        self.spans.append(span)
        return span


def _place(span: Span) -> tuple[int, int]:
    return span.first.line, span.first.part


def spans(messages: Iterable[Message]) -> list[Span]:
    """A whole session at once. The definition; feeding piecemeal must agree with it."""
    fold = ChunkFold()
    for message in messages:
        fold.feed(message)
    return fold.spans
