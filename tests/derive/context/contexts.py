"""Contexts as the document has them, from a transcript and a disk that never was."""

from collections.abc import Mapping

from msgspec import Struct

from tests.derive.reads import messages_of
from unspool.demo import Transcript
from unspool.derive.context.attribution import ContextFold, ContextPhase, context
from unspool.derive.story.chunks import Span, spans
from unspool.model.document import Context


class Disk(Struct, frozen=True):
    """Lengths in characters: of what every phase starts with, of CLAUDE.md files, of @-files."""

    globals: dict[str, int] = {}
    directories: dict[str, dict[str, int]] = {}
    mentions: dict[str, int] = {}

    def global_files(self) -> Mapping[str, int]:
        return self.globals

    def directory_files(self, path: str) -> Mapping[str, int]:
        return self.directories.get(path, {})

    def mentioned(self, path: str) -> int | None:
        return self.mentions.get(path)


def spans_of(transcript: Transcript) -> list[Span]:
    """The chunks of a transcript, before their steps."""
    return spans(messages_of(transcript))


def phases_of(transcript: Transcript) -> list[ContextPhase]:
    """A transcript cut at its compactions."""
    fold = ContextFold(None)
    fold.update(spans_of(transcript))
    return fold.phases


def context_of(transcript: Transcript, disk: Disk | None = None) -> Context:
    """What filled the context of a transcript."""
    return context(spans_of(transcript), disk)
