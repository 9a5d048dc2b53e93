"""A document -> the same without secrets, each noted at the place of the page it stood at.

Or without any word of it: whoever cleans decides what is left.
"""

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar

import msgspec
from msgspec import UNSET, structs

from unspool.model.document import Chunk, SessionDocument, ToolExecution
from unspool.redact import Redactor
from unspool.redact.anonymise import Anonymiser

T = TypeVar("T")
_TOP = "main"


class Cleaner(Protocol):
    """Takes out what must not leave."""

    def at(self, place: str) -> Self: ...
    def value(self, value: T) -> T: ...


class Nameless:
    """Leaves no word as it was."""

    def __init__(self, anonymiser: Anonymiser) -> None:
        self._anonymiser = anonymiser

    def at(self, place: str) -> Self:
        """Nothing is noted."""
        return self

    def value(self, value: T) -> T:
        """A value of the same shape."""
        made = self._anonymiser.json(msgspec.json.encode(value))
        return msgspec.json.decode(made, type=type(value))


def document(made: SessionDocument, cleaner: Cleaner | None) -> SessionDocument:
    """Chunk by chunk and call by call, so that each secret has its place."""
    if cleaner is None:
        return made
    # What is only said again, from a prompt or an answer below, is cleaned and not counted twice.
    again = cleaner if isinstance(cleaner, Nameless) else Redactor()
    session = made.session
    once = structs.replace(session, goal="", recent_output="", pending_tool=None)
    return structs.replace(
        made,
        session=structs.replace(
            cleaner.at(_TOP).value(once),
            goal=again.value(session.goal),
            recent_output=again.value(session.recent_output),
            pending_tool=again.value(session.pending_tool),
        ),
        metrics=cleaner.at(_TOP).value(made.metrics),
        chunks=chunks(made.chunks, cleaner),
        tool_executions=calls(made.tool_executions, cleaner),
        subagents=tuple(cleaner.at(f"step-{one.id}").value(one) for one in made.subagents),
        context=cleaner.at(_TOP).value(made.context),
        turns=tuple(map(again.value, made.turns)),
        diagnostics=cleaner.at(_TOP).value(made.diagnostics),
    )


def chunks(made: Sequence[Chunk], cleaner: Cleaner | None) -> tuple[Chunk, ...]:
    """Chunks; each step at its own place."""
    return tuple(made) if cleaner is None else tuple(_chunk(one, cleaner) for one in made)


def calls(made: Sequence[ToolExecution], cleaner: Cleaner | None) -> tuple[ToolExecution, ...]:
    """Calls, what they were given and what they answered."""
    if cleaner is None:
        return tuple(made)
    return tuple(cleaner.at(f"step-{one.tool_use_id}").value(one) for one in made)


def _chunk(one: Chunk, cleaner: Cleaner) -> Chunk:
    if one.steps is UNSET:
        return cleaner.at(f"chunk-{one.id}").value(one)
    steps = tuple(cleaner.at(f"step-{step.id}").value(step) for step in one.steps)
    bare = cleaner.at(f"chunk-{one.id}").value(structs.replace(one, steps=()))
    return structs.replace(bare, steps=steps)
