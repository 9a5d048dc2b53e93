"""A request for one session: the response of a view, or 304 if nothing has changed."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from litestar import Request, Response
from litestar.di import NamedDependency, Provide
from msgspec import Struct

from unspool.engine.sessions.session import SessionReader
from unspool.errors import NotFound
from unspool.serve.api.parameters import Agent, ProjectId, SessionId
from unspool.serve.context import ServerContext

T = TypeVar("T", bound=Struct)


class SessionRequest(Struct, frozen=True):
    """Which session, or which agent of it, and the request that wants it."""

    request: Request[Any, Any, Any]
    context: ServerContext
    project_id: str
    session_id: str
    agent: str | None = None

    def respond(self, make: Callable[[SessionReader], T], *, cached: bool = True) -> Response[T]:
        """The response with its ETag; 304 if the client has it.

        The response stays the same while its ETag does, so it is `cached` for the next request.
        """
        cache = self.context.responses
        with self.context.open_sessions.locked(self.project_id, self.session_id) as held:
            marks = self.context.marks.of(self.project_id, self.session_id)
            tag = f'W/"{held.tag}{hash(marks) & 0xFFFFFFFF:08x}"'
            headers = {"etag": tag, "cache-control": "private, no-cache"}
            if has_tag(self.request.headers.get("if-none-match"), tag):
                return Response(None, status_code=304, headers=headers)  # type: ignore[arg-type]
            key = tag, self.request.scope["path"], self.request.scope["query_string"]
            body = cache.get(key) if cached else None
            answer = make(self._subject(held.session)) if body is None else None
        if answer is not None:
            body = cache.put(key, answer) if cached else cache.encode(answer)
        return Response(body, headers=headers, media_type="application/json")  # type: ignore[arg-type]

    def _subject(self, session: SessionReader) -> SessionReader:
        if self.agent is None:
            return session
        found = session.agent(self.agent)
        if found.id != self.agent:
            raise NotFound("This session has no such agent.")
        return found


def _session_request(
    request: Request[Any, Any, Any],
    context: NamedDependency[ServerContext],
    project_id: ProjectId,
    session_id: SessionId,
    agent: Agent = None,
) -> SessionRequest:
    return SessionRequest(request, context, project_id, session_id, agent)


# For routes below a session: `target` is the session, or its agent that `?agent=` names.
TARGET: Final = {"target": Provide(_session_request, sync_to_thread=False)}


def has_tag(if_none_match: str | None, tag: str) -> bool:
    """Whether an `If-None-Match` names a tag."""
    tags = [one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")]
    return "*" in tags or tag.removeprefix("W/") in tags
