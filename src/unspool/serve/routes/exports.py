"""`/api/export`: a session as a file."""

from typing import Annotated, Final, Literal, TypeAlias

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response import Stream

from unspool.serve.desk import Desk
from unspool.serve.routes.files import CSP, files
from unspool.serve.routes.names import ProjectId, SessionId

Format: TypeAlias = Literal["json", "jsonl"]
_LINES: Final = "application/x-ndjson"


@get(
    "/api/export/{project_id:str}/{session_id:str}",
    operation_id="exportSession",
    operation_class=files("application/json", _LINES, document="SessionAnswer"),
    sync_to_thread=True,
)
def export(
    desk: NamedDependency[Desk],
    project_id: ProjectId,
    session_id: SessionId,
    kind: Annotated[Format, QueryParameter(name="format")] = "json",
) -> Response[bytes] | Stream:
    """The whole document, or the lines of the transcript, without secrets."""
    named = f'attachment; filename="{session_id}.{kind}"'
    headers = {"content-disposition": named, "content-security-policy": CSP}
    if kind == "json":
        made = desk.exports.json(project_id, session_id)
        return Response(made, media_type="application/json", headers=headers)
    return Stream(desk.exports.jsonl(project_id, session_id), media_type=_LINES, headers=headers)
