"""Where a step, chunk, agent or event is in its session."""

from bisect import bisect_right

from msgspec import UNSET, Struct

from unspool.derive.story.chunks import Span
from unspool.engine.sessions.session import SessionReader
from unspool.model.document import SessionDocument
from unspool.model.message import Message
from unspool.serve.context import ServerContext
from unspool.serve.pages.session.windows import slab_of


class StepLocation(Struct, frozen=True, kw_only=True):
    """A chunk and a slab of it; `id` and `line` are of the step there."""

    chunk: int
    slab: int = 0
    id: str = ""
    line: int = 0


def is_event(at: str) -> bool:
    """Whether a name is an event id."""
    parts = at.split(".")
    return len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts)


def event_agent(context: ServerContext, event_id: str) -> str:
    """The agent of an event; "" for the main conversation."""
    source_id, generation, offset = map(int, event_id.split("."))
    line = context.store.line_at(source_id, generation, offset)
    return line.agent_id if line else ""


def event_location(session: SessionReader, event_id: str) -> StepLocation | None:
    """The step of an event, or the nearest one before it."""
    offset, fold = int(event_id.split(".")[2]), session.fold
    at = bisect_right(fold.numbers, offset, key=lambda n: fold.place(n)[0])
    return line_location(session, fold.numbers[at - 1]) if at else None


def line_location(session: SessionReader, line: int) -> StepLocation | None:
    """The chunk a line belongs to, or the one before it."""
    best: StepLocation | None = None
    for number, span in enumerate(session.fold.chunks.spans):
        first = min(span.first.line, span.messages[0].line)
        if first > line and best is not None:
            break
        best = StepLocation(chunk=number, slab=slab_of(span, line), line=line)
        if any(message.line == line for message in span.messages):
            return best
    return best


def step_location(session: SessionReader, sketch: SessionDocument, id: str) -> StepLocation | None:
    """A chunk, a call, an agent, or any other step."""
    spans = session.fold.chunks.spans
    for number, span in enumerate(spans):
        if span.id == id:
            return StepLocation(chunk=number, id=id, line=span.first.line)
    return _agent(session, sketch, id) or _step(spans, id)


def _step(spans: list[Span], id: str) -> StepLocation | None:
    uuid = id.rsplit("-", 2)[0] if id.count("-") > 1 else ""
    for number, span in enumerate(spans):
        for message in span.messages:
            if any(piece.id == id and piece.kind == "call" for piece in message.pieces) or (
                uuid and message.uuid == uuid
            ):
                return _at(number, span, message, id)
    return None


def _at(number: int, span: Span, message: Message, id: str) -> StepLocation:
    return StepLocation(chunk=number, slab=slab_of(span, message.line), id=id, line=message.line)


def _agent(session: SessionReader, sketch: SessionDocument, id: str) -> StepLocation | None:
    """Where an agent is shown: at its call, or with the agent that started it."""
    agents = {agent.id: agent for agent in sketch.subagents}
    homes = {
        step.agent_id: (number, step.agent_id)
        for number, chunk in enumerate(sketch.chunks)
        if chunk.steps is not UNSET
        for step in chunk.steps
        if step.agent_id is not UNSET
    }
    above, seen = id, set[str]()
    while above not in homes and above in agents and above not in seen:
        seen.add(above)
        above = agents[above].parent_agent_id or ""
    if above not in homes:
        return None
    number = homes[above][0]
    spans = session.fold.chunks.spans
    found = _step(spans[number : number + 1], agents[above].parent_task_id or "")
    slab = found.slab if found else 0
    return StepLocation(chunk=number, slab=slab, id=id, line=found.line if found else 0)
