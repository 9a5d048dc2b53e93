"""Recent edits: files, the edits of each in every session, and their diffs."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from msgspec import Struct, structs

from unspool.model.edits import EditedFile, FileEdit
from unspool.show import safe
from unspool.show.html.shell import Shell
from unspool.show.labels import title_label
from unspool.show.numbers import plural
from unspool.show.paths import file_name
from unspool.show.times import ago
from unspool.show.tools import edit as edit_tool
from unspool.show.tools.details import Detail, DetailBuilder
from unspool.show.tools.values import fields


class FilesPageQuery(Struct, frozen=True, kw_only=True):
    """The query parameters of the page."""

    path: str = ""
    project: str = ""
    machine: str = ""
    cursor: str = ""

    def but(self, **changed: str) -> dict[str, str]:
        """The parameters of the first page with some of them changed."""
        return structs.asdict(structs.replace(self, **{"cursor": "", **changed}))


class EditRow(Struct, frozen=True, kw_only=True):
    project_id: str
    session_id: str
    agent_id: str
    event_id: str
    title: str
    tool: str
    when: str | None
    ago: str
    facts: str
    diff: tuple[Detail, ...]


class FileRow(Struct, frozen=True, kw_only=True):
    """A file; what stands before its name is cut where there is no room."""

    path: str
    folder: str
    name: str
    summary: str
    when: str | None
    ago: str
    edits: tuple[EditRow, ...]
    more: int


class FilesPage(Struct, frozen=True, kw_only=True):
    template: ClassVar[str] = "files.html"
    shell: Shell
    query: FilesPageQuery
    projects: tuple[tuple[str, str], ...]
    machines: tuple[tuple[str, str], ...]
    files: tuple[FileRow, ...]
    cursor: str = ""


class FilesContext(Struct, frozen=True, kw_only=True):
    """Other data of the page."""

    now: int
    projects: tuple[tuple[str, str], ...] = ()
    machines: tuple[tuple[str, str], ...] = ()
    zone: tzinfo | None = None


def files_page(
    query: FilesPageQuery,
    found: Sequence[EditedFile],
    shell: Shell,
    context: FilesContext,
    cursor: str = "",
) -> FilesPage:
    """Files in the given order."""
    return FilesPage(
        shell=shell,
        query=query,
        projects=context.projects,
        machines=context.machines,
        files=tuple(_file(one, context) for one in found),
        cursor=cursor,
    )


def _file(one: EditedFile, context: FilesContext) -> FileRow:
    shown = safe.brief(one.name, 1_000)
    name = file_name(shown) or shown
    above = one.path.removesuffix(one.name).rstrip("/\\")
    place = safe.brief(file_name(above), 100) if one.path != one.name else ""
    edits = f"{plural(one.edits, 'edit')} in {plural(one.sessions, 'session')}"
    return FileRow(
        path=one.path,
        folder=shown.removesuffix(name),
        name=name,
        summary=" · ".join(filter(None, (place, edits))),
        when=one.last_edit,
        ago=ago(one.last_edit, context.now, context.zone),
        edits=tuple(_edit(edit, shown, context) for edit in one.recent),
        more=one.edits - len(one.recent),
    )


def _edit(one: FileEdit, name: str, context: FilesContext) -> EditRow:
    given = fields(one.input)
    return EditRow(
        project_id=one.project_id,
        session_id=one.session_id,
        agent_id=one.agent_id,
        event_id=one.event_id,
        title=title_label(one.title or one.session_id),
        tool=safe.brief(one.tool, 60),
        when=one.timestamp,
        ago=ago(one.timestamp, context.now, context.zone),
        facts=edit_tool.facts(given, None),
        diff=tuple(DetailBuilder().diff(name, edit_tool.changes(given, None))),
    )
