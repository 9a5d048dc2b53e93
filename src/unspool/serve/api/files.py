"""`/api/files`: files that sessions edited, with their newest edits."""

from typing import Annotated, Final

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from unspool.derive.reading.clock import millis
from unspool.model.edits import EditedFile, EditQuery
from unspool.serve.api.parameters import Cursor, MachineName, PageSize, ProjectPart
from unspool.serve.context import ServerContext
from unspool.serve.pagination import Listed, decode_cursor, encode_cursor

_RECENT: Final = 5


@get("/api/files", operation_id="listEditedFiles", sync_to_thread=True)
def files(
    context: NamedDependency[ServerContext],
    path: Annotated[
        str, QueryParameter(max_length=1_000, description="Part of the path; ignores case.")
    ] = "",
    project: ProjectPart = "",
    machine: MachineName = "",
    cursor: Cursor = "",
    limit: PageSize = 50,
) -> Listed[EditedFile]:
    """Files that calls have edited, newest edit first, each with its newest edits."""
    projects = context.projects.select(project, machine)
    query = EditQuery(path=path, projects=projects, limit=limit)
    return edited_files(context, query, cursor, _RECENT)


def edited_files(
    context: ServerContext, query: EditQuery, cursor: str, recent: int, *, has_inputs: bool = False
) -> Listed[EditedFile]:
    """A page of files, and the cursor of the next one."""
    after = decode_cursor(cursor, tuple[int, str])
    found = context.edits.files(
        EditQuery(path=query.path, projects=query.projects, after=after, limit=query.limit + 1),
        recent,
        has_inputs=has_inputs,
    )
    shown = found[: query.limit]
    last = shown[-1] if len(found) > len(shown) else None
    place = (millis(last.last_edit) or 0, last.path) if last else None
    return Listed(items=tuple(shown), next_cursor=encode_cursor(place) if place else None)
