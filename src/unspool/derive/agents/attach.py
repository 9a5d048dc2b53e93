"""Spans and links -> which agents are shown in which chunk."""

from collections.abc import Iterable, Sequence

from unspool.derive.agents.tree import by_start
from unspool.derive.story.chunks import Span
from unspool.model.message import AgentLink, LinkFacts


def attach(
    spans: Sequence[Span],
    links: Iterable[AgentLink],
    facts: Iterable[LinkFacts],
    *,
    of: str | None = None,
) -> dict[str, list[str]]:
    """Give each agent to one AI chunk: of its call, or without one by its start.

    `of` is the agent whose own transcript the spans are from; None is the main conversation.
    """
    answers = [span for span in spans if span.type == "ai"]
    calls = _calls(answers)
    windows = [(span.start, span.end, span.id) for span in answers]
    linked = {link.agent_id: link for link in links}
    found: dict[str, list[str]] = {}
    for agent in sorted(facts, key=by_start):
        link = linked.get(agent.id)
        chunk = None
        if link is not None and link.parent_task_id is not None:
            chunk = calls.get(link.parent_task_id)
        elif link is not None and link.parent_agent_id == of:
            chunk = _at(windows, agent.start)
        if chunk is not None:
            found.setdefault(chunk, []).append(agent.id)
    return found


def _calls(answers: Iterable[Span]) -> dict[str, str]:
    """Call -> the chunk it was made in."""
    found: dict[str, str] = {}
    for span in answers:
        for message in span.messages:
            for piece in message.pieces:
                if piece.kind == "call":
                    found.setdefault(piece.id, span.id)
    return found


def _at(windows: Iterable[tuple[int | None, int | None, str]], moment: int | None) -> str | None:
    """The first chunk that spans a moment; two may share a boundary."""
    if moment is None:
        return None
    for start, end, chunk in windows:
        if start is not None and end is not None and start <= moment <= end:
            return chunk
    return None
