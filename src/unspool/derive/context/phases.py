"""Spans -> the phases between compactions, and the context all of them consumed."""

from collections.abc import Sequence

from msgspec import Struct

from unspool.derive.story.chunks import Span
from unspool.model.document import Compaction, Phase
from unspool.model.usage import Tokens


class Stretch(Struct):
    """The spans of one phase, the compaction that ended it, and what its responses measured."""

    number: int
    spans: list[Span] = []
    end: Span | None = None
    responses: list[Tokens] = []


def split(spans: Sequence[Span]) -> list[Stretch]:
    """Cut a session at its compactions; a phase may be empty."""
    stretches = [Stretch(1)]
    for span in spans:
        if span.type == "compact":
            stretches[-1].end = span
            stretches.append(Stretch(len(stretches) + 1))
        else:
            stretches[-1].spans.append(span)
    for stretch in stretches:
        stretch.responses = _responses(stretch.spans)
    return stretches


def _responses(spans: Sequence[Span]) -> list[Tokens]:
    """Usage of each API response in order; of a response's lines the one with most output."""
    fullest: dict[str, Tokens] = {}
    for span in spans:
        for message in span.messages:
            tokens = message.tokens
            if tokens is None or not tokens.prompt:
                continue
            key = message.message_id or message.request_id or message.uuid or str(message.line)
            known = fullest.get(key)
            if known is None or tokens.output >= known.output:
                fullest[key] = tokens
    return list(fullest.values())


def phases(stretches: Sequence[Stretch]) -> tuple[Phase, ...]:
    """The phases that have an AI turn; numbers count the others too."""
    found = []
    for stretch, delta in zip(stretches, _deltas(stretches), strict=True):
        turns = [span.id for span in stretch.spans if span.type == "ai"]
        if turns:
            phase = Phase(
                number=stretch.number,
                first_chunk=turns[0],
                last_chunk=turns[-1],
                peak_tokens=max((tokens.prompt for tokens in stretch.responses), default=0),
                compaction=_compaction(stretch.end, delta),
            )
            found.append(phase)
    return tuple(found)


def _compaction(end: Span | None, delta: int | None) -> Compaction | None:
    if end is None:
        return None
    trigger, pre, post = end.compaction or ("", None, None)
    return Compaction(trigger, pre, post, delta)


def _deltas(stretches: Sequence[Stretch]) -> list[int | None]:
    """How the context changed where each phase ended; None where nothing stands on one side."""
    lasts = _carried([s.responses[-1:] for s in stretches])
    firsts = _carried([s.responses[:1] for s in reversed(stretches)])[::-1]
    pairs = zip(lasts, [*firsts[1:], None], strict=True)
    return [_size(after) - _size(before) if before and after else None for before, after in pairs]


def _carried(found: Sequence[Sequence[Tokens]]) -> list[Tokens | None]:
    """At each place the latest value so far."""
    carried: list[Tokens | None] = []
    for values in found:
        latest = carried[-1] if carried else None
        carried.append(values[0] if values else latest)
    return carried


def _size(tokens: Tokens) -> int:
    return tokens.prompt + tokens.output


def consumed(stretches: Sequence[Stretch]) -> int:
    """Tokens read into the context over all phases, what a compaction kept counted once."""
    total = 0
    for stretch in stretches:
        if stretch.responses:
            start = stretch.responses[0].prompt if stretch.number > 1 else 0
            # A rewind or cleared tool results can leave less than the phase began with.
            total += max(0, stretch.responses[-1].prompt - start)
    return total
