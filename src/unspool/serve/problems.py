"""Errors as RFC 9457 problem documents, without tracebacks and without text from transcripts.

Unexpected errors are logged by their place in the code, not by their message.
"""

import logging
from http import HTTPStatus
from traceback import extract_tb
from typing import Any, Final

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from msgspec import UNSET, Struct, UnsetType

from unspool.errors import (
    Ambiguous,
    ConfigError,
    EventTooLong,
    InvalidEvent,
    NotFound,
    SessionDeleted,
    SourceError,
    StoreError,
    UnspoolError,
)

MEDIA_TYPE: Final = "application/problem+json"
log = logging.getLogger("unspool.serve")


class BadRequest(UnspoolError):
    """A request with a wrong parameter."""


class Refused(UnspoolError):
    """A request that is refused, with its own status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


# The first that fits.
_STATUSES: Final[tuple[tuple[type[UnspoolError], int], ...]] = (
    (SessionDeleted, 410),
    (NotFound, 404),
    (BadRequest, 400),
    (Ambiguous, 400),
    (ConfigError, 400),
    (EventTooLong, 413),
    (InvalidEvent, 400),
    (SourceError, 404),
    (StoreError, 503),
)


class Problem(Struct, frozen=True, kw_only=True):
    """A problem document: a title for its kind, a detail for the case."""

    title: str
    status: int
    type: str = "about:blank"
    detail: str | UnsetType = UNSET
    candidates: tuple[str, ...] | UnsetType = UNSET


def problem(error: Exception) -> Problem:
    """The document for an error."""
    if isinstance(error, UnspoolError):
        return _ours(error)
    if isinstance(error, ValidationException):
        return Problem(title="Bad request", status=400, detail=_wrong_parameters(error))
    if isinstance(error, HTTPException):
        return Problem(title=_phrase(error.status_code), status=error.status_code)
    return Problem(title=_phrase(500), status=500, detail="See the server log for details.")


def problem_response(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """The response to a failed request."""
    body = problem(error)
    if body.status == 500:
        log.error("%s %s: %s", request.method, request.url.path, place(error))
    every = getattr(error, "headers", None) or {}
    headers = {name: value for name, value in every.items() if name.lower() == "allow"}
    return Response(body, status_code=body.status, media_type=MEDIA_TYPE, headers=headers)


def place(error: BaseException) -> str:
    """An error's type and where it was raised; its message may contain a secret."""
    frames = extract_tb(error.__traceback__)
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def _ours(error: UnspoolError) -> Problem:
    status = next((code for kind, code in _STATUSES if isinstance(error, kind)), 500)
    if isinstance(error, Refused):
        status = error.status
    candidates = error.candidates if isinstance(error, Ambiguous) else UNSET
    return Problem(title=_phrase(status), status=status, detail=str(error), candidates=candidates)


def _wrong_parameters(error: ValidationException) -> str:
    """Which parameters are wrong; their values are not repeated."""
    extra = error.extra if isinstance(error.extra, list) else []
    names = [str(one["key"]) for one in extra if isinstance(one, dict) and "key" in one]
    return f"Invalid: {', '.join(names)}." if names else "A parameter or the body is invalid."


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
