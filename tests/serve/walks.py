"""The route table of an app, so that a route that is added is tried like all others."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from litestar import Litestar
from litestar.routes import HTTPRoute, WebSocketRoute

from unspool.serve.auth.policy import ENTER, ENTER_FORM, OPEN


class Way(NamedTuple):
    """One method of one path, or a socket."""

    method: str  # "" for a socket
    path: str  # with {names} for what varies

    @property
    def filled(self) -> str:
        """The path with something in every place that varies."""
        return re.sub(r"\{[^}]*\}", "x", self.path)

    @property
    def names(self) -> list[str]:
        """What varies."""
        return re.findall(r"\{([^}]*)\}", self.path)

    @property
    def is_open(self) -> bool:
        """Whether it may be reached without the token: entering itself, and its script."""
        return (self.method in ("GET", "HEAD") and self.path in OPEN) or (
            self.method == "POST" and self.path in (ENTER, ENTER_FORM)
        )


def ways(app: Litestar) -> Iterator[Way]:
    """Every way into an app; a kind of route that is not known here is an error."""
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            yield from (Way(method, route.path_format or "/") for method in sorted(route.methods))
        elif isinstance(route, WebSocketRoute):
            yield Way("", route.path_format or "/")
        else:
            raise TypeError(f"{route!r} is no kind of route that these tests can try")
