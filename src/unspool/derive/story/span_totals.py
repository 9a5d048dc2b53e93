"""What the messages of spans add up to, counted as they come: a span may be very long."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from unspool.derive.story.chunks import ChunkFold, Span
from unspool.derive.story.steps import count_steps, is_interruption
from unspool.derive.usage.session_usage import UsageByLine, UsageChange, UsageSum
from unspool.model.message import Message


class SpanTotals:
    """The usage of one span, and whether a person stopped it."""

    __slots__ = ("_counted", "_steps", "is_interrupted", "messages", "read", "used")

    def __init__(self, span: Span) -> None:
        self.messages = span.messages
        self.read = 0  # how many of them
        self.used = UsageSum()
        self.is_interrupted = False
        self._counted = self._steps = 0

    def update(self, lines: UsageByLine) -> None:
        """Take in the messages that are new; `lines` has the responses as they are now."""
        for n in range(self.read, len(self.messages)):
            message = self.messages[n]
            self.is_interrupted = self.is_interrupted or is_interruption(message)
            for row in lines.at(message.line) if message.tokens is not None else ():
                self.used.add(row)
        self.read = len(self.messages)

    @property
    def steps(self) -> int:
        """How many steps it has of its own."""
        for n in range(self._counted, len(self.messages)):
            self._steps += count_steps(self.messages[n])
        self._counted = len(self.messages)
        return self._steps


class SpanTotalsCache:
    """The totals of the spans of a transcript that somebody asked for."""

    def __init__(self, chunks: ChunkFold) -> None:
        self._chunks = chunks
        self._totals: dict[Span, SpanTotals] = {}

    def apply(self, changes: Iterable[UsageChange]) -> None:
        """Take in the responses that came or went since, before any totals are asked for."""
        spans = self._chunks.spans
        for row, sign in changes if self._totals else ():
            line = row.line_id
            after = bisect_right(spans, line, key=_first_line)
            for n in range(after - 1, -1, -1):
                if totals := self._totals.get(spans[n]):
                    for _ in range(_responses_on(totals, line)):
                        totals.used.add(row, sign)
                if spans[n].first.line < line:
                    break  # records of one line may open several spans

    def of(self, span: Span, lines: UsageByLine) -> SpanTotals:
        """The totals of a span as it is now."""
        totals = self._totals.get(span)
        if totals is None:
            totals = self._totals[span] = SpanTotals(span)
        totals.update(lines)
        return totals


def _responses_on(totals: SpanTotals, line: int) -> int:
    """How many messages on a line were read that have usage."""
    first = bisect_left(totals.messages, line, hi=totals.read, key=line_of)
    end = bisect_right(totals.messages, line, lo=first, hi=totals.read, key=line_of)
    return sum(message.tokens is not None for message in totals.messages[first:end])


def line_of(message: Message) -> int:
    """The line of a message: those of a span come in this order."""
    return message.line


def _first_line(span: Span) -> int:
    return span.first.line
