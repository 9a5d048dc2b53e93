"""A session -> an HTML page, Markdown, JSON or its own lines, piece by piece."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryFile
from typing import IO, Final, Literal, TypeAlias

from msgspec import Struct

from unspool import __version__
from unspool.derive.reading.clock import iso
from unspool.engine.archive.blobs import blobs
from unspool.engine.export.content import TOP, ExportContent, WordReplacer
from unspool.engine.sessions.session import SessionReader
from unspool.errors import StoreFull, UnspoolError, UsageError
from unspool.model.api import RemovedSecrets
from unspool.model.steps import StepFigures
from unspool.redact.anonymise import Anonymiser
from unspool.redact.redactor import AuditingRedactor
from unspool.show import session_json
from unspool.show.export.html_file import html_file
from unspool.show.export.markdown_file import markdown_file
from unspool.show.export.notes import ExportInfo
from unspool.show.html.levels import Level
from unspool.show.html.links import ExportLinks
from unspool.show.html.render_context import ReaderOptions

Format: TypeAlias = Literal["html", "md", "json", "jsonl"]
_WITH_LEVELS: Final = ("html", "md")
_LARGEST_PICTURE: Final = 8 * 1024 * 1024
_ALL_PICTURES: Final = 64 * 1024 * 1024
_PIECE: Final = 256 * 1024
MEDIA: Final[dict[Format, str]] = {
    "html": "text/html",
    "md": "text/markdown",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
}


class ExportOptions(Struct, frozen=True, kw_only=True):
    """What kind of file, made when, and with what in it."""

    format: Format = "html"
    anonymous: bool = False
    unredacted: bool = False
    now: int
    zone: tzinfo | None = None
    level: Level | None = None  # how much of it HTML and Markdown show

    def __post_init__(self) -> None:
        if self.level and self.format not in _WITH_LEVELS:
            raise UsageError(
                f"{self.format} always contains everything: a level is for html and md."
            )


def line_name(agent: str, line: int) -> str:
    """The name of a line inside an export."""
    return f"{agent}:{line}"


class PictureLinks(ExportLinks):
    """Places in the file; pictures are in it as long as they are not too many."""

    def __init__(self, session: SessionReader) -> None:
        self._session = session
        self._room = _ALL_PICTURES

    def blob(self, event: str, number: int) -> str:
        """The picture as an address; "" where its bytes are no picture's, or too many."""
        found = list(blobs(self._line(event)))[number : number + 1]
        blob = found[0] if found else None
        if blob is None or blob.is_text or blob.image is None:
            return ""
        if len(blob.data) > min(_LARGEST_PICTURE, self._room):
            return ""
        self._room -= len(blob.data)
        return f"data:{blob.image};base64,{b64encode(blob.data).decode()}"

    def _line(self, event: str) -> bytes:
        agent, _, number = event.rpartition(":")
        try:
            owner, line = self._session.agent(agent) if agent else self._session, int(number)
        except (UnspoolError, ValueError):
            return b""
        return next(owner.raw(line, line), b"") if line in owner.fold.numbers else b""


class Export:
    """One file in the making; once all pieces were taken, `taken` says what is not in it."""

    def __init__(self, session: SessionReader, options: ExportOptions) -> None:
        self._session, self._options = session, options
        plain = options.unredacted or options.anonymous
        self._audit = None if plain else AuditingRedactor()
        self._anonymiser = Anonymiser(token_bytes(32)) if options.anonymous else None
        self._shown = {TOP}

    @property
    def taken(self) -> tuple[RemovedSecrets, ...]:
        """What was taken out so far of what is in the file."""
        removed = self._audit.removed if self._audit else ()
        is_story = self._options.level == "story"
        return tuple(one for one in removed if not is_story or one.place in self._shown)

    @property
    def name(self) -> str:
        """The session's id, or another in its place: a file of that name is read as whole."""
        id = self._session.id
        return self._anonymiser.made.id(id) if self._anonymiser else id

    def pieces(self) -> Iterator[bytes]:
        """The file; no more than a part of it is in memory."""
        if self._options.format == "jsonl":
            return self._lines()
        if self._options.format == "json":
            return self._document()
        return (piece.encode("utf-8", "replace") for piece in self._pages())

    def _lines(self) -> Iterator[bytes]:
        for number, line in enumerate(self._session.raw(), 1):
            if self._anonymiser:
                yield self._anonymiser.json(line) + b"\n"
            elif self._audit:
                yield self._audit.at(f"line {number}").json(line) + b"\n"
            else:
                yield line + b"\n"

    def _document(self) -> Iterator[bytes]:
        content = ExportContent(self._session, self._audit)
        lists = {"chunks": content.chunks(), "tool_executions": content.calls()}
        each = self._anonymiser.json if self._anonymiser else bytes
        yield from session_json.document(content.bare, lists, each)
        yield b"\n"

    def _pages(self) -> Iterator[str]:
        replacer = WordReplacer(self._anonymiser) if self._anonymiser else None
        content = ExportContent(self._session, replacer or self._audit)
        options = self._options
        info = ExportInfo(
            version=__version__,
            at=iso(options.now) or "",
            taken=None if options.unredacted else lambda: self.taken,
            is_anonymous=options.anonymous,
            shown=self._shown,
        )
        reader = ReaderOptions(
            now=options.now,
            zone=options.zone,
            is_whole=True,
            level=options.level or "normal",
            documents=content.agents(),
            events=line_name,
        )
        if options.format == "md":
            return markdown_file(content.bare, content.windows(), reader, info)
        links = ExportLinks() if replacer else PictureLinks(self._session)
        # Names of steps are their places in the file; made-up ones have others.
        steps = () if replacer else content.steps()
        figures = StepFigures(steps, self._session.context_points(), content.failures())
        return html_file(content.bare, content.windows(), reader, links, info, figures)


class ExportedFile(Struct, frozen=True):
    """A file that is complete, and what was taken out of it."""

    name: str
    body: IO[bytes]
    taken: tuple[RemovedSecrets, ...]

    def pieces(self) -> Iterator[bytes]:
        """All of it; then it is deleted."""
        with self.body:
            while piece := self.body.read(_PIECE):
                yield piece


def exported_file(export: Export, format: Format, home: Path) -> ExportedFile:
    """Make a file without a name in a directory: whatever happens, nothing of it stays behind."""
    try:
        body = TemporaryFile(dir=home)  # noqa: SIM115 - `pieces` closes it
        try:
            for piece in export.pieces():
                body.write(piece)
            body.seek(0)
        except BaseException:
            body.close()
            raise
    except OSError as error:
        raise StoreFull(f"{home} cannot be written ({error.strerror}).") from error
    return ExportedFile(f"{export.name}.{format}", body, export.taken)
