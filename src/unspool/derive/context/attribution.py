"""Spans of a session -> its context: seven categories for each AI turn, and its phases.

A phase is what lies between two compactions.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import astuple

from unspool.derive.context.categories import CategoryCounter, TurnTokens, recorded_context
from unspool.derive.context.files import FileSizes, PhaseFiles
from unspool.derive.story.chunks import Span
from unspool.model.document import Categories, Compaction, Context, ContextTurn, Phase
from unspool.model.message import Message
from unspool.model.steps import ContextPoint
from unspool.model.usage import Tokens

_NO_TURN: Final = ContextTurn(turn=0, chunk_id="")


class ContextPhase(Struct, eq=False):
    """One phase: its first and last AI chunk, the compaction that ended it, its responses."""

    number: int
    files: PhaseFiles | None = None
    first_chunk: str = ""
    last_chunk: str = ""
    end: Span | None = None
    peak: int = 0
    hidden: int = 0  # output of its responses, less what is estimated for what they say
    responses: dict[str, Tokens] = {}  # by the line of each response with most output
    total: dict[str, int] = field(default_factory=lambda: TurnTokens().tokens)  # of ended turns

    def add_response(self, message: Message, tokens: Tokens) -> None:
        """Count the usage on a line."""
        self.hidden -= sum(piece.tokens for piece in message.pieces)
        key = message.message_id or message.request_id or message.uuid or str(message.line)
        known = self.responses.get(key)
        if known is None or tokens.output >= known.output:
            self.responses[key] = tokens
            self.hidden += tokens.output - (known.output if known else 0)
            self.peak = max(self.peak, tokens.prompt)
            if known is not None and tokens.prompt < known.prompt == self.peak:
                self.peak = max(one.prompt for one in self.responses.values())

    @property
    def first(self) -> Tokens | None:
        return next(iter(self.responses.values()), None)

    @property
    def last(self) -> Tokens | None:
        return next(reversed(self.responses.values()), None)


def context(spans: Sequence[Span], sizes: FileSizes | None) -> Context:
    """The context of a whole session at once."""
    fold = ContextFold(sizes)
    fold.update(spans)
    return fold.context


class ContextFold:
    """Attributes the context of every AI turn, and goes on as the spans of a transcript grow.

    Without sizes, files on disk count nothing. With them a file has the length that it had when
    its turn was first read. A prompt without an answer counts for the next turn.
    """

    def __init__(self, sizes: FileSizes | None) -> None:
        self.sizes = sizes
        self._reset()

    def _reset(self) -> None:
        self._globals = dict(self.sizes.global_files()) if self.sizes else {}
        self.phases = [self._new_phase(1)]
        self._counted = self.phases[0]  # the phase of the last turn
        self._turns: list[ContextTurn] = []
        self.points: list[ContextPoint] = []  # one for each response
        self._response = ""  # of the last point
        self._turn = TurnTokens()
        self._measured = 0  # the prompt of the turn's last request: that has read all its results
        self._counter = CategoryCounter()
        self._pending: list[Message] = []
        self._spans = self._messages = 0  # how many were read, and how much of the last

    def _new_phase(self, number: int) -> ContextPhase:
        return ContextPhase(number, PhaseFiles(self.sizes) if self.sizes else None)

    @property
    def context(self) -> Context:
        """What filled the context so far."""
        return Context(
            turns=tuple(self._turns),
            phases=phases(self.phases),
            consumed=consumed_tokens(self.phases),
            files_known=self.sizes is not None,
        )

    def update(self, spans: Sequence[Span]) -> None:
        """Take in what is new at the end of the spans."""
        if self.sizes and dict(self.sizes.global_files()) != self._globals:
            self._reset()
        phase = self.phases[-1]
        if not self._split(spans):
            self._reset()
            phase = self.phases[0]
            self._split(spans)
        for span, first in self._new(spans):
            if span.type == "compact":
                phase = self.phases[phase.number]
            else:
                self._count(phase, span, first)
        self._spans, self._messages = len(spans), len(spans[-1].messages) if spans else 0

    def _new(self, spans: Sequence[Span]) -> Iterator[tuple[Span, int]]:
        """The spans that are new or have grown, each with its first new message."""
        known = self._spans
        if known and len(spans[known - 1].messages) > self._messages:
            yield spans[known - 1], self._messages
        yield from ((span, 0) for span in spans[known:])

    def _split(self, spans: Sequence[Span]) -> bool:
        """Begin a phase at each compaction, and note what each has recorded.

        That counts from the start of its phase: False where it was counted otherwise.
        """
        for span, first in self._new(spans):
            if span.type == "compact":
                self.phases[-1].end = span
                self.phases.append(self._new_phase(len(self.phases) + 1))
            elif files := self.phases[-1].files:
                if first == 0:
                    files.begin_turn()
                taken = files.record(*recorded_context(span.messages[first:]))
                if taken is None:
                    return False
                for category, tokens in taken.items():
                    self._turn.tokens[category] -= tokens
        return True

    def _count(self, phase: ContextPhase, span: Span, first: int) -> None:
        messages, is_ai = span.messages[first:], span.type == "ai"
        if is_ai and first == 0:
            self._begin_turn(phase)
            self._turns.append(_NO_TURN)
            phase.first_chunk, phase.last_chunk = phase.first_chunk or span.id, span.id
        for message in messages:
            if message.tokens is not None and message.tokens.prompt:
                self._measured = message.tokens.prompt
                if is_ai:
                    self._add_point(phase, message)
                phase.add_response(message, message.tokens)
            if is_ai:
                self._add(phase, message)
            else:
                self._pending.append(message)
        if is_ai:
            self._turns[-1] = self._context_turn(phase, span)

    def _add_point(self, phase: ContextPhase, message: Message) -> None:
        """Note what a response had read; its later lines say the same."""
        response = message.message_id or message.uuid
        if not self.points or response != self._response:
            self._response = response
            new, before = self._turn.tokens, phase.total
            raw = Categories(**{name: before[name] + tokens for name, tokens in new.items()})
            sizes = astuple(fit(raw, self._measured))
            self.points.append(
                ContextPoint(
                    line=message.line,
                    turn=len(self._turns),
                    phase=phase.number,
                    sizes=sizes,
                    measured=self._measured,
                    hidden=max(phase.hidden, 0),
                )
            )

    def _begin_turn(self, phase: ContextPhase) -> None:
        for category, tokens in self._turn.tokens.items():
            self._counted.total[category] += tokens
        self._counted, self._turn, self._measured = phase, TurnTokens(), 0
        if phase.files:
            phase.files.begin_turn()
            self._add_files(phase.files)
        pending, self._pending = self._pending, []
        for message in pending:
            self._add(phase, message)

    def _add(self, phase: ContextPhase, message: Message) -> None:
        self._counter.add(self._turn, message)
        if phase.files and (self._turn.reads or self._turn.mentions):
            self._add_files(phase.files)

    def _add_files(self, files: PhaseFiles) -> None:
        turn = self._turn
        memory, mentioned = files.take_tokens(turn.reads, turn.mentions)
        turn.tokens["claude_md"] += memory
        turn.tokens["mentioned_files"] += mentioned
        turn.reads.clear()
        turn.mentions.clear()

    def _context_turn(self, phase: ContextPhase, span: Span) -> ContextTurn:
        new, before, measured = self._turn.tokens, phase.total, self._measured
        raw = Categories(**{name: before[name] + tokens for name, tokens in new.items()})
        total = fit(raw, measured) if measured else raw
        return ContextTurn(
            turn=len(self._turns),
            chunk_id=span.id,
            new=Categories(**new),
            total=total,
            raw_total=raw,
            untracked=max(0, measured - sum(astuple(total))),
            measured=measured,
        )


def fit(estimates: Categories, measured: int) -> Categories:
    """Scale estimates down in proportion until their sum is exactly the measured tokens."""
    weights = astuple(estimates)
    whole = sum(weights)
    if whole <= measured:
        return estimates
    shares = [weight * measured // whole for weight in weights]
    # Rounding down left a few tokens over: they go to the largest remainders.
    order = sorted(range(len(weights)), key=lambda n: -(weights[n] * measured % whole))
    for n in order[: measured - sum(shares)]:
        shares[n] += 1
    return Categories(*shares)


def phases(parts: Sequence[ContextPhase]) -> tuple[Phase, ...]:
    """The phases that have an AI turn; numbers count the others too."""
    return tuple(
        Phase(
            number=part.number,
            first_chunk=part.first_chunk,
            last_chunk=part.last_chunk,
            peak_tokens=part.peak,
            compaction=_compaction(part.end, delta),
        )
        for part, delta in zip(parts, _deltas(parts), strict=True)
        if part.first_chunk
    )


def _compaction(end: Span | None, delta: int | None) -> Compaction | None:
    if end is None:
        return None
    trigger, pre, post = end.compaction or ("", None, None)
    return Compaction(trigger, pre, post, delta)


def _deltas(parts: Sequence[ContextPhase]) -> list[int | None]:
    """How the context changed at the end of each phase; None without a response on each side."""
    lasts = _latest([part.last for part in parts])
    firsts = _latest([part.first for part in reversed(parts)])[::-1]
    pairs = zip(lasts, [*firsts[1:], None], strict=True)
    return [_size(after) - _size(before) if before and after else None for before, after in pairs]


def _latest(responses: Iterable[Tokens | None]) -> list[Tokens | None]:
    """At each place the latest value so far."""
    result: list[Tokens | None] = []
    for tokens in responses:
        result.append(tokens or (result[-1] if result else None))
    return result


def _size(tokens: Tokens) -> int:
    return tokens.prompt + tokens.output


def consumed_tokens(parts: Sequence[ContextPhase]) -> int:
    """Tokens read into the context over all phases; what a compaction keeps counts once."""
    total = 0
    for part in parts:
        if part.first and part.last:
            start = part.first.prompt if part.number > 1 else 0
            # A rewind or cleared tool results can leave less than the phase began with.
            total += max(0, part.last.prompt - start)
    return total
