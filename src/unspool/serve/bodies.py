"""Bodies of requests, before the framework decodes them."""

from typing import Any

from litestar import Request

from unspool.json_depth import is_too_deep
from unspool.serve.problems import BadRequest


async def refuse_deep(request: Request[Any, Any, Any]) -> None:
    """Refuse JSON that is nested too deep for its decoder, which would fail without a reason."""
    if is_too_deep(await request.body()):
        raise BadRequest("Invalid: nested too deep.")
