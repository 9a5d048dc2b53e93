"""Parameters that routes share. Ids are looked up, never made into paths."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeAlias

from litestar import Request
from litestar.params import PathParameter, QueryParameter

from unspool.model.files import NAME
from unspool.serve.problems import BadRequest

_NAME = rf"^{NAME}$"
_AGENT = r"^[A-Za-z0-9][A-Za-z0-9@._-]{0,127}$"
_EVENT = r"^[0-9]{1,18}\.[0-9]{1,9}\.[0-9]{1,18}$"

ProjectId: TypeAlias = Annotated[str, PathParameter(pattern=_NAME)]
SessionId: TypeAlias = Annotated[str, PathParameter(pattern=_NAME)]
AgentId: TypeAlias = Annotated[str, PathParameter(pattern=_AGENT)]
EventId: TypeAlias = Annotated[str, PathParameter(pattern=_EVENT)]
PageSize: TypeAlias = Annotated[int, QueryParameter(name="limit", ge=1, le=200)]
Cursor: TypeAlias = Annotated[str, QueryParameter(name="cursor", max_length=1_000)]
# A view of an agent of the session instead of the session.
Agent: TypeAlias = Annotated[str | None, QueryParameter(name="agent", pattern=_AGENT)]
Separate: TypeAlias = Annotated[bool, QueryParameter()]  # each checkout by itself
ProjectPart: TypeAlias = Annotated[str, QueryParameter(name="project", max_length=255)]
MachineName: TypeAlias = Annotated[str, QueryParameter(name="machine", max_length=255)]
TextKind: TypeAlias = Literal[
    "prompt", "answer", "thinking", "tool_input", "tool_result", "summary", "system"
]


def no_null(*names: str) -> Callable[[Request[Any, Any, Any]], Awaitable[None]]:
    """Refuse the word `null` for optional parameters: the framework takes it for a missing one."""

    async def check(request: Request[Any, Any, Any]) -> None:
        for name in names:
            if any(one.lower() == "null" for one in request.query_params.getall(name, [])):
                raise BadRequest(f"Invalid: {name}.")

    return check


def client_address(request: Request[Any, Any, Any]) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""
