"""A session that is asked for -> what a view makes of it, or that nothing has changed."""

from collections.abc import Callable
from typing import Any, TypeVar

from litestar import Request, Response
from msgspec import Struct

from unspool.engine.session import SessionReader
from unspool.errors import NotFound
from unspool.serve.desk import Desk

T = TypeVar("T", bound=Struct)


class Opened(Struct, frozen=True):
    """Whose view, and who asks."""

    request: Request[Any, Any, Any]
    desk: Desk
    project_id: str
    session_id: str
    agent: str | None = None

    def view(self, make: Callable[[SessionReader], T], *, keeps: bool = True) -> Response[T]:
        """An answer with a tag; without a body where the tag is known already.

        While its tag stays the same so does the answer, and it `keeps` for whoever asks next.
        """
        written = self.desk.written
        with self.desk.shelf.held(self.project_id, self.session_id) as held:
            marks = self.desk.marks.of(self.project_id, self.session_id)
            tag = f'W/"{held.tag}{hash(marks) & 0xFFFFFFFF:08x}"'
            headers = {"etag": tag, "cache-control": "private, no-cache"}
            if is_known(self.request.headers.get("if-none-match"), tag):
                return Response(None, status_code=304, headers=headers)  # type: ignore[arg-type]
            asked = tag, self.request.scope["path"], self.request.scope["query_string"]
            sent = written.known(asked) if keeps else None
            made = make(self._whose(held.session)) if sent is None else None
        if made is not None:
            sent = written.keep(asked, made) if keeps else written.clean(made)
        return Response(sent, headers=headers, media_type="application/json")  # type: ignore[arg-type]

    def _whose(self, session: SessionReader) -> SessionReader:
        if self.agent is None:
            return session
        found = session.agent(self.agent)
        if found.id != self.agent:
            raise NotFound("This session has no such agent.")
        return found


def is_known(given: str | None, tag: str) -> bool:
    """Whether an `If-None-Match` names a tag."""
    named = [one.strip().removeprefix("W/") for one in (given or "").split(",")]
    return "*" in named or tag.removeprefix("W/") in named
