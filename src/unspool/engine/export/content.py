"""A session -> its document in windows, cleaned, so that large sessions need little memory."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, Protocol, Self, TypeVar

import msgspec
from msgspec import UNSET, structs

from unspool.engine.sessions.session import SessionReader
from unspool.errors import SourceError
from unspool.model.document import Chunk, SessionDocument, ToolExecution
from unspool.model.steps import SessionStep
from unspool.redact import Redactor
from unspool.redact.anonymise import Anonymiser
from unspool.show.html.session_outline import failed_calls, failure_name

T = TypeVar("T")
TOP = "main"
# Steps whose texts are in memory at once; a chunk is never cut.
_STEPS: Final = 400


class DocumentCleaner(Protocol):
    """Takes out what must not leave, and may note the place it stood at."""

    def at(self, place: str) -> Self: ...
    def value(self, value: T) -> T: ...


class WordReplacer:
    """Replaces every word."""

    def __init__(self, anonymiser: Anonymiser) -> None:
        self._anonymiser = anonymiser

    def at(self, place: str) -> Self:
        """Nothing is noted."""
        return self

    def value(self, value: T) -> T:
        """A value of the same shape."""
        made = self._anonymiser.json(msgspec.json.encode(value))
        return msgspec.json.decode(made, type=type(value))


def cleaned_document(document: SessionDocument, cleaner: DocumentCleaner | None) -> SessionDocument:
    """Chunk by chunk and call by call, so that each secret has its place."""
    if cleaner is None:
        return document
    # What is only said again, from a prompt or an answer below, is cleaned and not counted twice.
    again = cleaner if isinstance(cleaner, WordReplacer) else Redactor()
    session = document.session
    once = structs.replace(session, goal="", recent_output="", pending_tool=None)
    return structs.replace(
        document,
        session=structs.replace(
            cleaner.at(TOP).value(once),
            goal=again.value(session.goal),
            recent_output=again.value(session.recent_output),
            pending_tool=again.value(session.pending_tool),
        ),
        metrics=cleaner.at(TOP).value(document.metrics),
        chunks=cleaned_chunks(document.chunks, cleaner),
        tool_executions=cleaned_calls(document.tool_executions, cleaner),
        subagents=tuple(cleaner.at(f"step-{one.id}").value(one) for one in document.subagents),
        context=cleaner.at(TOP).value(document.context),
        turns=tuple(map(again.value, document.turns)),
        diagnostics=cleaner.at(TOP).value(document.diagnostics),
    )


def cleaned_chunks(chunks: Sequence[Chunk], cleaner: DocumentCleaner | None) -> tuple[Chunk, ...]:
    """Chunks; each step at its own place."""
    return tuple(chunks) if cleaner is None else tuple(_chunk(one, cleaner) for one in chunks)


def cleaned_calls(
    made: Sequence[ToolExecution], cleaner: DocumentCleaner | None
) -> tuple[ToolExecution, ...]:
    """Calls, what they were given and what they answered."""
    if cleaner is None:
        return tuple(made)
    return tuple(cleaner.at(f"step-{one.tool_use_id}").value(one) for one in made)


def _chunk(one: Chunk, cleaner: DocumentCleaner) -> Chunk:
    if one.steps is UNSET:
        return cleaner.at(f"chunk-{one.id}").value(one)
    steps = tuple(cleaner.at(f"step-{step.id}").value(step) for step in one.steps)
    bare = cleaner.at(f"chunk-{one.id}").value(structs.replace(one, steps=()))
    return structs.replace(bare, steps=steps)


class ExportContent:
    """One session, read a part at a time."""

    def __init__(self, session: SessionReader, cleaner: DocumentCleaner | None) -> None:
        self.session, self.cleaner = session, cleaner
        bare = session.with_plan(session.sketch())
        if bare.diagnostics.lines and not bare.diagnostics.entries:
            raise SourceError(f"{session.path} is not a transcript: none of its lines can be read.")
        self._sizes = [_size(chunk) for chunk in bare.chunks]
        self._failed = failed_calls(bare)
        self.bare = cleaned_document(bare, cleaner)

    def steps(self) -> tuple[SessionStep, ...]:
        """All its steps; the names of tools are cleaned without a note: the calls have one."""
        clean = cache(Redactor().text) if self.cleaner else str
        return tuple(one._replace(name=clean(one.name)) for one in self.session.steps())

    def windows(self) -> Iterator[SessionDocument]:
        """All chunks and calls, with their texts; what is of the whole session is the same."""
        for first, count in spans(self._sizes):
            window = self.session.document(first=first, limit=count)
            yield structs.replace(
                self.bare,
                chunks=cleaned_chunks(window.chunks, self.cleaner),
                tool_executions=cleaned_calls(window.tool_executions, self.cleaner),
            )

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, one by one."""
        for first, count in spans(self._sizes):
            window = self.session.document(first=first, limit=count)
            yield from cleaned_chunks(window.chunks, self.cleaner)

    def calls(self) -> Iterator[ToolExecution]:
        """All calls by start, some at a time."""
        ids = [one.tool_use_id for one in self.bare.tool_executions]
        for at in range(0, len(ids), _STEPS):
            found = self.session.executions(frozenset(ids[at : at + _STEPS]))
            yield from cleaned_calls(found, self.cleaner)

    def failures(self) -> dict[str, str]:
        """What failed, by call, in a few words; the calls follow, so nothing is counted here."""
        again = self.cleaner if isinstance(self.cleaner, WordReplacer) else Redactor()
        calls = self.session.executions(frozenset(self._failed)) if self._failed else ()
        clean = calls if self.cleaner is None else map(again.value, calls)
        return {one.tool_use_id: failure_name(one) for one in clean}

    def agents(self) -> Mapping[str, SessionDocument]:
        """The documents of its agents, each read when it is come to."""
        return _AgentDocuments(self)


class _AgentDocuments(Mapping[str, SessionDocument]):
    """Each is given once: an agent stands where it was started and nowhere else."""

    def __init__(self, story: ExportContent) -> None:
        self._story = story
        # By the name it has in what is told, which may be another than its own.
        named = zip(story.bare.subagents, story.session.agents, strict=True)
        self._waiting = {told.id: agent.id for told, agent in named}

    def __getitem__(self, id: str) -> SessionDocument:
        document = self._story.session.agent(self._waiting.pop(id)).document()
        return cleaned_document(document, self._story.cleaner)

    def __iter__(self) -> Iterator[str]:
        return iter(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)


def spans(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """First chunk and number of chunks of each window."""
    first = steps = 0
    for at, size in enumerate(sizes):
        if steps and steps + size > _STEPS:
            yield first, at - first
            first, steps = at, 0
        steps += size
    if first < len(sizes):
        yield first, len(sizes) - first


def _size(chunk: Chunk) -> int:
    return 1 if chunk.steps is UNSET else max(1, len(chunk.steps))
