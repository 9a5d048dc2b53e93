"""Spans of a session -> its context: seven categories for each AI turn, and its phases.

A phase is what lies between two compactions.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import astuple

from unspool.derive.context.categories import CategoryCounter, TurnTokens, recorded_context
from unspool.derive.context.files import FileSizes, PhaseFiles
from unspool.derive.story.chunks import Span
from unspool.model.document import Categories, Compaction, Context, ContextTurn, Phase
from unspool.model.message import Message
from unspool.model.usage import Tokens


class PhaseSpans(Struct):
    """The spans of one phase, the compaction that ended it, and the usage of its responses."""

    number: int
    spans: list[Span] = []
    end: Span | None = None
    responses: list[Tokens] = []


def context(spans: Sequence[Span], sizes: FileSizes | None) -> Context:
    """Attribute the context of every AI turn; without sizes, files on disk count nothing."""
    parts = split_phases(spans)
    attribution = _Attribution(sizes)
    for part in parts:
        attribution.add_phase(part)
    return Context(
        turns=tuple(attribution.turns),
        phases=phases(parts),
        consumed=consumed_tokens(parts),
        files_known=sizes is not None,
    )


class _Attribution:
    """Takes the phases in order. A prompt without an answer counts for the next turn."""

    def __init__(self, sizes: FileSizes | None) -> None:
        self.turns: list[ContextTurn] = []
        self._sizes = sizes
        self._counter = CategoryCounter()
        self._pending = TurnTokens()

    def add_phase(self, phase: PhaseSpans) -> None:
        files = None
        if self._sizes is not None:
            messages = (message for span in phase.spans for message in span.messages)
            files = PhaseFiles(self._sizes, *recorded_context(messages))
        total = TurnTokens().tokens
        for span in phase.spans:
            self._counter.add(self._pending, span.messages)
            if span.type == "ai":
                new = self._take_pending(files)
                for category, tokens in new.items():
                    total[category] += tokens
                number = len(self.turns) + 1
                self.turns.append(_turn(number, span, Categories(**new), Categories(**total)))

    def _take_pending(self, files: PhaseFiles | None) -> dict[str, int]:
        turn, self._pending = self._pending, TurnTokens()
        if files is not None:
            memory, mentioned = files.take_tokens(turn.reads, turn.mentions)
            turn.tokens["claude_md"] += memory
            turn.tokens["mentioned_files"] += mentioned
        return turn.tokens


def _turn(number: int, span: Span, new: Categories, raw: Categories) -> ContextTurn:
    measured = _measured_context(span.messages)
    total = fit(raw, measured) if measured else raw
    return ContextTurn(
        turn=number,
        chunk_id=span.id,
        new=new,
        total=total,
        raw_total=raw,
        untracked=max(0, measured - sum(astuple(total))),
        measured=measured,
    )


def _measured_context(messages: Sequence[Message]) -> int:
    """The prompt of the last request: only that one has read all the turn's tool results."""
    for message in reversed(messages):
        if message.tokens is not None and message.tokens.prompt:
            return message.tokens.prompt
    return 0


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


def split_phases(spans: Sequence[Span]) -> list[PhaseSpans]:
    """Cut a session at its compactions; a phase may be empty."""
    parts = [PhaseSpans(1)]
    for span in spans:
        if span.type == "compact":
            parts[-1].end = span
            parts.append(PhaseSpans(len(parts) + 1))
        else:
            parts[-1].spans.append(span)
    for part in parts:
        part.responses = _responses(part.spans)
    return parts


def _responses(spans: Sequence[Span]) -> list[Tokens]:
    """Usage of each API response in order, by the line of the response with most output."""
    best: dict[str, Tokens] = {}
    for span in spans:
        for message in span.messages:
            tokens = message.tokens
            if tokens is None or not tokens.prompt:
                continue
            key = message.message_id or message.request_id or message.uuid or str(message.line)
            known = best.get(key)
            if known is None or tokens.output >= known.output:
                best[key] = tokens
    return list(best.values())


def phases(parts: Sequence[PhaseSpans]) -> tuple[Phase, ...]:
    """The phases that have an AI turn; numbers count the others too."""
    result = []
    for part, delta in zip(parts, _deltas(parts), strict=True):
        turns = [span.id for span in part.spans if span.type == "ai"]
        if turns:
            phase = Phase(
                number=part.number,
                first_chunk=turns[0],
                last_chunk=turns[-1],
                peak_tokens=max((tokens.prompt for tokens in part.responses), default=0),
                compaction=_compaction(part.end, delta),
            )
            result.append(phase)
    return tuple(result)


def _compaction(end: Span | None, delta: int | None) -> Compaction | None:
    if end is None:
        return None
    trigger, pre, post = end.compaction or ("", None, None)
    return Compaction(trigger, pre, post, delta)


def _deltas(parts: Sequence[PhaseSpans]) -> list[int | None]:
    """How the context changed at the end of each phase; None without a response on each side."""
    lasts = _latest([part.responses[-1:] for part in parts])
    firsts = _latest([part.responses[:1] for part in reversed(parts)])[::-1]
    pairs = zip(lasts, [*firsts[1:], None], strict=True)
    return [_size(after) - _size(before) if before and after else None for before, after in pairs]


def _latest(responses: Sequence[Sequence[Tokens]]) -> list[Tokens | None]:
    """At each place the latest value so far."""
    result: list[Tokens | None] = []
    for values in responses:
        latest = result[-1] if result else None
        result.append(values[0] if values else latest)
    return result


def _size(tokens: Tokens) -> int:
    return tokens.prompt + tokens.output


def consumed_tokens(parts: Sequence[PhaseSpans]) -> int:
    """Tokens read into the context over all phases; what a compaction keeps counts once."""
    total = 0
    for part in parts:
        if part.responses:
            start = part.responses[0].prompt if part.number > 1 else 0
            # A rewind or cleared tool results can leave less than the phase began with.
            total += max(0, part.responses[-1].prompt - start)
    return total
