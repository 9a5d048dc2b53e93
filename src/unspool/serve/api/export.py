"""`/api/export`: a session as a file."""

from typing import Annotated, Final

from litestar import get
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
from unspool.serve.api.parameters import Agent, ProjectId, SessionId
from unspool.serve.context import ServerContext
from unspool.serve.openapi import FILE_CSP, file_response
from unspool.serve.problems import Refused

_REDACTED: Final = "x-unspool-redacted"
_TIMEOUT: Final = 120.0


@get(
    "/api/export/{project_id:str}/{session_id:str}",
    operation_id="exportSession",
    operation_class=file_response(*MEDIA.values(), document="SessionAnswer"),
    sync_to_thread=True,
)
def export(
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    kind: Annotated[Format, QueryParameter(name="format")] = "json",
    anonymise: Annotated[bool, QueryParameter()] = False,
    agent: Agent = None,
) -> Stream:
    """A page, Markdown, the document or the lines, without secrets; or with no word as it was.

    The header `X-Unspool-Redacted` says how many secrets of which kind are not in it.
    """
    options = ExportOptions(format=kind, anonymous=anonymise, now=context.now())
    session = context.open_sessions.separate(project_id, session_id)
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
