"""A served root and its truth, and pages of it as a browser would see them."""

from pathlib import Path
from typing import Any, NamedTuple

import httpx

from tests.serve.served import TOKEN, Served
from tests.show.webs import Seen
from unspool.demo import Truth

BROWSER = {"authorization": f"Bearer {TOKEN}", "accept": "text/html,application/xhtml+xml"}


class Generated(NamedTuple):
    """What is served, what it holds, and where the index lies."""

    site: Served
    truth: Truth
    home: Path

    @property
    def sessions(self) -> dict[str, Any]:
        """What the truth says of each."""
        found: dict[str, Any] = self.truth.sessions
        return found

    def page(self, path: str) -> Seen:
        """A page that is there."""
        return looked(self.site, path)


def looked(site: Served, path: str) -> Seen:
    """A page that is there, as a browser gets it."""
    answer = got(site, path)
    assert answer.status_code == 200, (path, answer.text)
    return Seen(answer.text)


def got(site: Served, path: str, **headers: str) -> httpx.Response:
    """Whatever a browser gets."""
    return site.ask(path, headers={**BROWSER, **headers})


def rows(seen: Seen) -> list[str]:
    """The sessions of a list, by their rows."""
    return [found["id"] for found in seen.all("tr") if found.get("id", "").startswith("s-")]
