"""A page of sessions that is asked for -> the page, written once while it stays as it is."""

from litestar import Response

from unspool.model.session import SessionSummary
from unspool.serve.answers import Listed
from unspool.serve.desk import Desk
from unspool.serve.desks.sessions import SessionsAsked


def listed(desk: Desk, asked: SessionsAsked) -> Response[Listed[SessionSummary]]:
    """One page of the list."""
    key = desk.sessions.version(), asked
    sent = desk.written.of(key, lambda: desk.sessions.page(asked))
    return Response(sent, media_type="application/json")  # type: ignore[arg-type]
