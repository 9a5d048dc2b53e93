"""`/theme`: light, dark or the system's, kept in a cookie of its own."""

from typing import Annotated, Any, Final, Literal

from litestar import Request, Response, get
from litestar.datastructures import Cookie
from litestar.params import QueryParameter

from unspool.serve.places import own_path

COOKIE: Final = "unspool-theme"
_YEAR: Final = 365 * 86_400


def chosen_theme(request: Request[Any, Any, Any]) -> str:
    """The theme the reader chose; empty for the system's own."""
    theme = request.cookies.get(COOKIE, "")
    return theme if theme in ("light", "dark") else ""


@get("/theme", include_in_schema=False, sync_to_thread=False)
def theme(
    request: Request[Any, Any, Any],
    to: Annotated[Literal["light", "dark", "system"], QueryParameter()] = "system",
    back: Annotated[str, QueryParameter(max_length=4_000)] = "/",
) -> Response[bytes]:
    """Choose, and go back to where the reader was."""
    cookie = Cookie(
        key=COOKIE,
        value="" if to == "system" else to,
        max_age=0 if to == "system" else _YEAR,
        httponly=True,
        samesite="strict",
        path="/",
        secure=request.url.scheme == "https",
    )
    return Response(b"", status_code=303, headers={"location": own_path(back)}, cookies=[cookie])
