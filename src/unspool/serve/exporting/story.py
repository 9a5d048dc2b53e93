"""A session -> its document in windows, without secrets; its agents' documents when asked for."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET, structs

from unspool.engine.session import Session
from unspool.errors import SourceError
from unspool.model.document import Chunk, SessionDocument, ToolExecution
from unspool.serve.exporting import cover

# Steps whose texts are in memory at once; a chunk is never cut.
_STEPS: Final = 400


class Story:
    """One session, read a part at a time."""

    def __init__(self, session: Session, cleaner: cover.Cleaner | None) -> None:
        self.session, self.cleaner = session, cleaner
        bare = session.sketch()
        if bare.diagnostics.lines and not bare.diagnostics.entries:
            raise SourceError(f"{session.path} is no transcript: none of its lines can be read.")
        self._sizes = [_size(chunk) for chunk in bare.chunks]
        self.bare = cover.document(bare, cleaner)

    def windows(self) -> Iterator[SessionDocument]:
        """All chunks and calls, with their texts; what is of the whole session is the same."""
        for first, count in spans(self._sizes):
            window = self.session.document(first=first, limit=count)
            yield structs.replace(
                self.bare,
                chunks=cover.chunks(window.chunks, self.cleaner),
                tool_executions=cover.calls(window.tool_executions, self.cleaner),
            )

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, one by one."""
        for first, count in spans(self._sizes):
            window = self.session.document(first=first, limit=count)
            yield from cover.chunks(window.chunks, self.cleaner)

    def calls(self) -> Iterator[ToolExecution]:
        """All calls by start, some at a time."""
        ids = [one.tool_use_id for one in self.bare.tool_executions]
        for at in range(0, len(ids), _STEPS):
            found = self.session.executions(frozenset(ids[at : at + _STEPS]))
            yield from cover.calls(found, self.cleaner)

    def agents(self) -> Mapping[str, SessionDocument]:
        """The documents of its agents, each read when it is come to."""
        return _Agents(self)


class _Agents(Mapping[str, SessionDocument]):
    """Each is given once: an agent stands where it was started and nowhere else."""

    def __init__(self, story: Story) -> None:
        self._story = story
        # By the name it has in what is told, which may be another than its own.
        named = zip(story.bare.subagents, story.session.agents, strict=True)
        self._waiting = {told.id: agent.id for told, agent in named}

    def __getitem__(self, id: str) -> SessionDocument:
        document = self._story.session.agent(self._waiting.pop(id)).document()
        return cover.document(document, self._story.cleaner)

    def __iter__(self) -> Iterator[str]:
        return iter(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)


def spans(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """First chunk and number of chunks of each window."""
    first = held = 0
    for at, size in enumerate(sizes):
        if held and held + size > _STEPS:
            yield first, at - first
            first, held = at, 0
        held += size
    if first < len(sizes):
        yield first, len(sizes) - first


def _size(chunk: Chunk) -> int:
    return 1 if chunk.steps is UNSET else max(1, len(chunk.steps))
