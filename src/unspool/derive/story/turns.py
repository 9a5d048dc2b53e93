"""Messages -> logical turns: one prompt and all that answered it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from unspool.derive.reading.clock import iso
from unspool.derive.usage.session_usage import UsageChange, UsageSum
from unspool.model.document import Metrics, Turn
from unspool.model.message import Message

_UNMADE: Final = Turn(index=0, start_time=None, end_time=None)
# Lines from .. to -> what the responses that begin there used.
MetricsOf: TypeAlias = Callable[[range], Metrics]


def begins_turn(message: Message, has_turn: bool) -> bool:
    """Whether a message that was not in the file before begins a turn; `has_turn`: one is open."""
    if message.category == "user" or message.voice == "bash_input":
        return True
    return not has_turn and message.type == "assistant" and message.category != "noise"


class _Open:
    """A turn while lines still join it."""

    __slots__ = ("calls", "end", "line", "models", "prompt", "reported", "start", "stop")

    def __init__(self, line: int, prompt: str) -> None:
        self.line = line
        self.prompt = prompt
        self.start: int | None = None
        self.end: int | None = None
        self.models: dict[str, None] = {}
        self.reported: int | None = None
        self.stop = ""
        self.calls = 0


class TurnFold:
    """Only what a person sent begins a turn: a prompt, a command, a line for the shell."""

    def __init__(self) -> None:
        self._turns: list[_Open] = []
        self._lines: list[int] = []
        self._calls: set[str] = set()
        self.last_line = 0

    def feed(self, message: Message) -> None:
        """Add the next message of the file."""
        self.last_line = message.line
        turn = self._turn_for(message)
        if turn is None:
            return
        at = message.at
        if at is not None:
            if turn.start is None or at < turn.start:
                turn.start = at
            if turn.end is None or at > turn.end:
                turn.end = at
        if message.type == "assistant" and message.voice != "notice":
            self._answer(turn, message)

    def _turn_for(self, message: Message) -> _Open | None:
        """The turn a message joins or begins; noise is in none."""
        if message.category == "ai" and self._turns:
            return self._turns[-1]  # as most do
        if begins_turn(message, bool(self._turns)):
            # Only what a person said has a head that is a prompt.
            prompt = "" if message.type == "assistant" else message.head
            self._turns.append(_Open(message.line, prompt))
            self._lines.append(message.line)
        elif message.category == "noise":
            self._note(message)
            return None
        return self._turns[-1] if self._turns else None

    def _note(self, message: Message) -> None:
        """A turn that background work woke again reports once for each run."""
        if message.subtype == "turn_duration" and message.duration_ms and self._turns:
            turn = self._turns[-1]
            turn.reported = (turn.reported or 0) + message.duration_ms

    def _answer(self, turn: _Open, message: Message) -> None:
        if message.model:
            turn.models[message.model] = None
        if message.stop_reason:
            turn.stop = message.stop_reason
        for piece in message.pieces:
            if piece.kind == "call" and piece.id not in self._calls:
                self._calls.add(piece.id)
                turn.calls += 1

    def turn_of(self, line: int) -> int | None:
        """The index of the turn a line falls into; None before the first."""
        return bisect_right(self._lines, line) or None

    @property
    def count(self) -> int:
        """How many turns there are."""
        return len(self._turns)

    def turns(self, metrics_of: MetricsOf) -> tuple[Turn, ...]:
        """The turns so far, counted from 1."""
        ends = [*self._lines[1:], self.last_line + 1]
        spans = (range(first, end) for first, end in zip(self._lines, ends, strict=False))
        return tuple(self.turn(index, metrics_of(span)) for index, span in enumerate(spans, 1))

    def turn(self, index: int, metrics: Metrics) -> Turn:
        """One of them, by what it used; all but the last are what they will be."""
        turn = self._turns[index - 1]
        return Turn(
            index=index,
            prompt=turn.prompt,
            start_time=iso(turn.start),
            end_time=iso(turn.end),
            duration_ms=(turn.end or 0) - (turn.start or 0),
            reported_duration_ms=turn.reported,
            models=tuple(turn.models),
            metrics=metrics,
            stop_reason=turn.stop,
            tool_calls=turn.calls,
        )


class TurnCache:
    """The turns of a transcript as it grows: only those that changed are made again."""

    def __init__(self, fold: TurnFold) -> None:
        self._fold = fold
        self._turns: list[Turn] = []
        self._used: list[UsageSum] = []
        self._changes: list[UsageChange] = []  # that no turn has counted yet

    def apply(self, changes: Iterable[UsageChange]) -> None:
        """Take in the responses that came or went."""
        self._changes += changes

    def turns(self) -> tuple[Turn, ...]:
        """All of them."""
        fold, known = self._fold, len(self._turns)
        # The last one has grown, and one that was begun since may have cut it.
        stale = set(range(max(known, 1), fold.count + 1))
        self._turns += [_UNMADE] * (fold.count - known)
        self._used += [UsageSum() for _ in range(fold.count - known)]
        changes, self._changes = self._changes, []
        for row, sign in changes:
            if row.line_id > fold.last_line:
                self._changes.append((row, sign))
            elif index := fold.turn_of(row.line_id):
                self._used[index - 1].add(row, sign)
                stale.add(index)
        for index in stale:
            self._turns[index - 1] = fold.turn(index, self._used[index - 1].metrics())
        return tuple(self._turns)


def turns(messages: Iterable[Message], metrics_of: MetricsOf) -> tuple[Turn, ...]:
    """A whole session at once."""
    fold = TurnFold()
    for message in messages:
        fold.feed(message)
    return fold.turns(metrics_of)
