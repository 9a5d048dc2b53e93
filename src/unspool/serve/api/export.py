"""`/api/export`: a session as a file."""

from typing import Annotated, Any, Final

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response import Stream

from unspool.engine.export.files import (
    MEDIA,
    Export,
    ExportedFile,
    ExportOptions,
    Format,
    exported_file,
)
from unspool.model.api import RemovedSecrets
from unspool.serve.api.parameters import Agent, ProjectId, SessionId, client_address, no_null
from unspool.serve.context import ServerContext
from unspool.serve.openapi import FILE_CSP, file_response
from unspool.serve.problems import Refused
from unspool.show.html.levels import Level

_REDACTED: Final = "x-unspool-redacted"
_TIMEOUT: Final = 120.0


@get(
    "/api/export/{project_id:str}/{session_id:str}",
    operation_id="exportSession",
    before_request=no_null("level"),
    operation_class=file_response(*MEDIA.values(), document="SessionAnswer"),
    sync_to_thread=True,
)
def export(  # noqa: PLR0913 - each is a parameter of the address
    *,
    request: Request[Any, Any, Any],
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    kind: Annotated[Format, QueryParameter(name="format")] = "json",
    anonymise: Annotated[bool, QueryParameter()] = False,
    level: Annotated[Level | None, QueryParameter()] = None,
    agent: Agent = None,
) -> Stream:
    """A page, Markdown, the document or the lines, without secrets; `anonymise` replaces all words.

    `level` sets how much a page or Markdown shows; the default is `normal`.
    The header `X-Unspool-Redacted` counts the redacted secrets by kind.
    """
    options = ExportOptions(format=kind, anonymous=anonymise, now=context.now(), level=level)
    session = context.open_sessions.separate(project_id, session_id)
    context.note("exported", f"{project_id}/{session_id} as {kind}", client_address(request))
    file = export_file(context, Export(session.agent(agent) if agent else session, options), kind)
    headers = {
        "content-disposition": f'attachment; filename="{file.name}"',
        "content-security-policy": FILE_CSP,
        _REDACTED: "anonymised" if anonymise else _counted(file.taken),
    }
    return Stream(file.pieces(), media_type=MEDIA[kind], headers=headers)


def export_file(context: ServerContext, export: Export, format: Format) -> ExportedFile:
    """Write a whole file before its first byte is sent, so that errors can be reported."""
    if not context.export_slots.acquire(timeout=_TIMEOUT):
        raise Refused(503, "Other sessions are being exported. Try again in a minute.")
    try:
        return exported_file(export, format, context.config.home)
    finally:
        context.export_slots.release()


def _counted(secrets: tuple[RemovedSecrets, ...]) -> str:
    counts: dict[str, int] = {}
    for one in secrets:
        counts[one.kind] = counts.get(one.kind, 0) + one.count
    return "; ".join([str(sum(counts.values())), *(f"{kind} {n}" for kind, n in counts.items())])
