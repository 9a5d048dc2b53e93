"""Parameters that may be left out, but not be called null: an address has no way to say so."""

from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Request

from unspool.serve.problems import BadRequest


def no_null(*names: str) -> Callable[[Request[Any, Any, Any]], Awaitable[None]]:
    """A look at a request before it is read: the framework takes the word for nothing given."""

    async def look(request: Request[Any, Any, Any]) -> None:
        for name in names:
            if any(one.lower() == "null" for one in request.query_params.getall(name, [])):
                raise BadRequest(f"Wrong: {name}.")

    return look
