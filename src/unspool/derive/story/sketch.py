"""A span -> the few of its steps that a picture of the whole session needs, without any text."""

from collections.abc import Iterable, Iterator

from unspool.derive.reading.clock import iso
from unspool.derive.story.chunks import Span
from unspool.model.document import Step
from unspool.model.message import Message, Piece


def sketched(span: Span, agents: Iterable[str]) -> tuple[Step, ...]:
    """Thinking with its length, notices of failures, and the agents it led to."""
    started = (Step(id=id, type="subagent", agent_id=id) for id in agents)
    return (*_spoken(span.messages), *started)


def _spoken(messages: list[Message]) -> Iterator[Step]:
    for at, message in enumerate(messages):
        for piece in message.pieces:
            if piece.kind == "thinking" and message.at is not None:
                yield _thought(message, piece, messages, at)
            elif piece.kind == "notice" and piece.is_error:
                yield _notice(message, piece)


def _thought(message: Message, piece: Piece, messages: list[Message], at: int) -> Step:
    begun = message.at or 0
    after = messages[at + 1].at if at + 1 < len(messages) else None
    return Step(
        id=f"{message.uuid}-thinking-{piece.n}",
        type="thinking",
        start_time=iso(message.at),
        duration_ms=0 if after is None else max(after - begun, 0),
        line=message.line,
    )


def _notice(message: Message, piece: Piece) -> Step:
    return Step(
        id=f"{message.uuid}-notice-{piece.n}",
        type="notice",
        start_time=iso(message.at),
        is_error=True,
        name=piece.name,
        line=message.line,
    )
