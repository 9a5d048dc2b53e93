"""Whatever went wrong -> an RFC 9457 problem document; never a traceback, never a stranger's text.

What the program itself got wrong is told to the server's own log by place, not by content.
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
    SourceError,
    StoreError,
    UnspoolError,
)

MEDIA_TYPE: Final = "application/problem+json"
log = logging.getLogger("unspool.serve")


class Gone(NotFound):
    """It was there, Claude Code swept it, and the archive has none of it."""


class BadRequest(UnspoolError):
    """Asked in a way that has no answer."""


class Refused(UnspoolError):
    """Turned away, with a status of its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


# The first that fits.
_STATUSES: Final[tuple[tuple[type[UnspoolError], int], ...]] = (
    (Gone, 410),
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
    """What a client reads: a title by kind, a detail by case."""

    title: str
    status: int
    type: str = "about:blank"
    detail: str | UnsetType = UNSET
    candidates: tuple[str, ...] | UnsetType = UNSET


def problem(error: Exception) -> Problem:
    """What to say about an error."""
    if isinstance(error, UnspoolError):
        return _ours(error)
    if isinstance(error, ValidationException):
        return Problem(title="Bad request", status=400, detail=_wrong_with(error))
    if isinstance(error, HTTPException):
        return Problem(title=_phrase(error.status_code), status=error.status_code)
    return Problem(title=_phrase(500), status=500, detail="The server's log has more.")


def answered(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """The answer to a request that failed."""
    made = problem(error)
    if made.status == 500:
        log.error("%s %s: %s", request.method, request.url.path, place(error))
    kept = getattr(error, "headers", None) or {}
    headers = {name: value for name, value in kept.items() if name.lower() == "allow"}
    return Response(made, status_code=made.status, media_type=MEDIA_TYPE, headers=headers)


def place(error: BaseException) -> str:
    """An error's kind and where it was raised; what it says may be somebody's secret."""
    frames = extract_tb(error.__traceback__)
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"


def _ours(error: UnspoolError) -> Problem:
    status = next((code for kind, code in _STATUSES if isinstance(error, kind)), 500)
    if isinstance(error, Refused):
        status = error.status
    candidates = error.candidates if isinstance(error, Ambiguous) else UNSET
    return Problem(title=_phrase(status), status=status, detail=str(error), candidates=candidates)


def _wrong_with(error: ValidationException) -> str:
    """Which parameters are wrong; their values are not repeated."""
    extra = error.extra if isinstance(error.extra, list) else []
    names = [str(one["key"]) for one in extra if isinstance(one, dict) and "key" in one]
    return f"Wrong: {', '.join(names)}." if names else "A parameter or the body is wrong."


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
