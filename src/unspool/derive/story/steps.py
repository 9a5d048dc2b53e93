"""A span -> its steps: thinking, calls, results, agents, words, in the order they happened."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import UNSET, Struct

from unspool.derive.reading.clock import iso
from unspool.derive.story.chunks import Span
from unspool.model.document import Metrics, Step, StepTokens, StepType
from unspool.model.message import Message, Piece

# Steps closer than this began together.
SIBLINGS_MS: Final = 100

# Gives the text of one block of one message; None where nobody asks for texts.
Texts: TypeAlias = Callable[[Message, Piece], str] | None

_KINDS: Final[dict[str, StepType]] = {
    "thinking": "thinking",
    "call": "tool_call",
    "result": "tool_result",
    "text": "output",
    "notice": "notice",
    "hook": "hook",
    "other": "notice",
}
# What a user line inside an answer may say aloud; injected text stays unsaid.
_SPOKEN: Final = ("teammate", "notification", "event")
# What a person did to a call; a rule that denies one stops nobody.
_STOPS: Final = ("rejected", "interrupted")


class AgentRun(Struct, frozen=True):
    """An agent at work inside a span."""

    id: str
    start: int | None
    end: int | None
    description: str = ""
    tool_use_id: str = ""
    metrics: Metrics = Metrics()


class Rough(Struct):
    """A step before its end is known."""

    id: str
    type: StepType
    start: int
    message: Message | None = None
    piece: Piece | None = None
    tokens: StepTokens = StepTokens()
    end: int | None = None
    text: str = ""
    agent: AgentRun | None = None


def steps(
    span: Span,
    agents: Sequence[AgentRun] = (),
    texts: Texts = None,
    *,
    end: int | None = None,
) -> tuple[Step, ...]:
    """The steps of one AI span, gaps filled; `end` is when a part of a span gave way."""
    rough = [*rough_steps(span), *(_agent(run, span) for run in agents)]
    rough.sort(key=lambda step: step.start)
    ends = _ends(rough, end or span.end or 0)
    return tuple(
        _finish(step, end, filled, texts) for step, (end, filled) in zip(rough, ends, strict=True)
    )


def count_steps(message: Message) -> int:
    """How many steps a message is; a result is no step beside its call."""
    return sum(step.type != "tool_result" for step in _steps_of(message, 0))


def rough_steps(span: Span) -> Iterable[Rough]:
    """What the messages of a span say, in file order."""
    clock = span.start or 0
    for message in span.messages:
        # A line without a time happened when the line before it did.
        clock = clock if message.at is None else message.at
        yield from _steps_of(message, clock)


def _steps_of(message: Message, clock: int) -> Iterable[Rough]:
    if message.type == "assistant":
        for piece in message.pieces:
            yield _rough(message, piece, clock)
    else:
        yield from _replies(message, clock)


def _replies(message: Message, clock: int) -> Iterable[Rough]:
    """What a user, system or attachment line adds to an answer."""
    has_result = any(piece.kind == "result" for piece in message.pieces)
    for piece in message.pieces:
        if piece.kind in ("result", "hook", "notice"):
            yield _rough(message, piece, clock)
            if piece.flag == "rejected":
                yield _interruption(message, piece, clock)
        elif piece.kind == "text":
            if message.voice == "interruption":
                yield _interruption(message, piece, clock)
            elif message.voice in _SPOKEN or (has_result and message.voice == ""):
                yield _rough(message, piece, clock, "notice")


def _interruption(message: Message, piece: Piece, clock: int) -> Rough:
    id = f"{message.uuid}-interruption-{piece.n}"
    return Rough(id, "interruption", clock, message, text="Request interrupted by user")


def _rough(message: Message, piece: Piece, clock: int, type: StepType | None = None) -> Rough:
    kind = type or _KINDS.get(piece.kind, "notice")
    linked = kind in ("tool_call", "tool_result")
    id = piece.id if linked else f"{message.uuid}-{kind}-{piece.n}"
    spoken = message.type == "assistant" and kind != "tool_call"
    weight = StepTokens(output=piece.tokens) if spoken else StepTokens(input=piece.tokens)
    return Rough(id, kind, clock, message, piece, weight)


def _agent(run: AgentRun, span: Span) -> Rough:
    start = run.start if run.start is not None else (span.start or 0)
    found = run.metrics
    weight = StepTokens(found.input_tokens, found.output_tokens, found.cache_read_tokens)
    return Rough(run.id, "subagent", start, tokens=weight, end=run.end, agent=run)


def _ends(rough: Sequence[Rough], last: int) -> list[tuple[int, bool]]:
    """When each step gave way: at the next that began clearly later, else with the chunk."""
    ends: list[tuple[int, bool]] = []
    after = 0
    for step in rough:
        if step.end is not None and step.end - step.start > SIBLINGS_MS:
            ends.append((step.end, False))
            continue
        while after < len(rough) and rough[after].start - step.start < SIBLINGS_MS:
            after += 1
        until = rough[after].start if after < len(rough) else max(last, step.start)
        ends.append((until, True))
    return ends


def _finish(step: Rough, end: int, filled: bool, texts: Texts) -> Step:
    message, piece, run = step.message, step.piece, step.agent
    linked = step.type in ("tool_call", "tool_result")  # their bodies are with the execution
    text = step.text or (run.description if run else "")
    if texts is not None and not linked and message is not None and piece is not None:
        text = texts(message, piece)
    measured = message.tokens.prompt if message is not None and message.tokens else 0
    return Step(
        id=step.id,
        type=step.type,
        start_time=iso(step.start or None),
        duration_ms=_own_duration(step, end, filled),
        is_gap_filled=filled,
        effective_duration_ms=end - step.start,
        text=UNSET if linked or not (text or texts) else text,
        tool_use_id=(step.id if linked else run.tool_use_id or UNSET if run else UNSET),
        agent_id=run.id if run else UNSET,
        tokens=step.tokens,
        accumulated_context=measured or step.tokens.input + step.tokens.cached,
        is_error=piece.is_error if piece else step.type == "interruption",
        name=_name(step),
        model=message.model if message else "",
        line=message.line if message else 0,
    )


def _name(step: Rough) -> str:
    """Of a call its tool, of a hook its event; of what somebody else said, who that was."""
    named = step.piece.name if step.piece else ""
    voice = step.message.voice if step.message and step.type == "notice" else ""
    return named or (voice if voice in _SPOKEN else "")


def _own_duration(step: Rough, end: int, filled: bool) -> int:
    if step.piece is not None and step.piece.duration_ms is not None:
        return step.piece.duration_ms
    return 0 if filled else end - step.start


def is_interruption(message: Message) -> bool:
    """Whether a person stopped the answer with this message, or refused a call in it."""
    return message.voice == "interruption" or any(piece.flag in _STOPS for piece in message.pieces)
