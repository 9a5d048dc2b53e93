"""A session and what is wanted of it -> the bytes of a file, piece by piece."""

from collections.abc import Iterator
from datetime import tzinfo
from secrets import token_bytes
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from unspool import __version__
from unspool.derive.reading.clock import iso
from unspool.engine.session import Session
from unspool.model.api import RemovedSecrets
from unspool.redact.anonymise import Anonymiser
from unspool.redact.redactor import AuditingRedactor
from unspool.serve.exporting.cover import Nameless
from unspool.serve.exporting.pictures import PictureLinks, named
from unspool.serve.exporting.story import Story
from unspool.show import encode
from unspool.show.export.html import html
from unspool.show.export.left_out import Made
from unspool.show.export.markdown import markdown
from unspool.show.links import ExportLinks
from unspool.show.views.steps.around import Reader

Format: TypeAlias = Literal["html", "md", "json", "jsonl"]
MEDIA: Final[dict[Format, str]] = {
    "html": "text/html",
    "md": "text/markdown",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
}


class Wanted(Struct, frozen=True, kw_only=True):
    """What kind of file, made when, and with what in it."""

    format: Format = "html"
    anonymous: bool = False
    unredacted: bool = False
    now: int
    zone: tzinfo | None = None


class Export:
    """One file in the making; once all pieces were taken, `taken` says what is not in it."""

    def __init__(self, session: Session, wanted: Wanted) -> None:
        self._session, self._wanted = session, wanted
        plain = wanted.unredacted or wanted.anonymous
        self._noting = None if plain else AuditingRedactor()
        self._anonymiser = Anonymiser(token_bytes(32)) if wanted.anonymous else None

    @property
    def taken(self) -> tuple[RemovedSecrets, ...]:
        """What was taken out so far."""
        return self._noting.removed if self._noting else ()

    @property
    def name(self) -> str:
        """The session's id, or another in its place: a file of that name is read as whole."""
        id = self._session.id
        return self._anonymiser.made.id(id) if self._anonymiser else id

    def pieces(self) -> Iterator[bytes]:
        """The file; no more than a part of it is in memory."""
        if self._wanted.format == "jsonl":
            return self._lines()
        if self._wanted.format == "json":
            return self._document()
        return (piece.encode("utf-8", "replace") for piece in self._pages())

    def _lines(self) -> Iterator[bytes]:
        for number, line in enumerate(self._session.raw(), 1):
            if self._anonymiser:
                yield self._anonymiser.json(line) + b"\n"
            elif self._noting:
                yield self._noting.at(f"line {number}").json(line) + b"\n"
            else:
                yield line + b"\n"

    def _document(self) -> Iterator[bytes]:
        story = Story(self._session, self._noting)
        lists = {"chunks": story.chunks(), "tool_executions": story.calls()}
        each = self._anonymiser.json if self._anonymiser else bytes
        yield from encode.document(story.bare, lists, each)
        yield b"\n"

    def _pages(self) -> Iterator[str]:
        nameless = Nameless(self._anonymiser) if self._anonymiser else None
        story, wanted = Story(self._session, nameless or self._noting), self._wanted
        made = Made(
            version=__version__,
            at=iso(wanted.now) or "",
            taken=None if wanted.unredacted else lambda: self.taken,
            is_anonymous=wanted.anonymous,
        )
        reader = Reader(
            now=wanted.now,
            zone=wanted.zone,
            is_whole=True,
            documents=story.agents(),
            events=named,
        )
        if wanted.format == "md":
            return markdown(story.bare, story.windows(), reader, made)
        links = ExportLinks() if nameless else PictureLinks(self._session)
        return html(story.bare, story.windows(), reader, links, made)
