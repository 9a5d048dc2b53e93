"""Where things are found: addresses of the live pages, or places inside one exported file."""

from typing import Protocol
from urllib.parse import quote, urlencode


class Links(Protocol):
    """Addresses for templates; an empty one means that there is nothing to go to."""

    def board(self) -> str: ...
    def sessions(self, **asked: str) -> str: ...
    def search(self, q: str = "", **asked: str) -> str: ...
    def spend(self, **asked: str) -> str: ...
    def tools(self) -> str: ...
    def health(self) -> str: ...
    def static(self, name: str) -> str: ...
    def project(self, project: str) -> str: ...
    def session(self, project: str, session: str, step: str = "") -> str: ...
    def view(self, project: str, session: str, view: str) -> str: ...
    def window(self, project: str, session: str, first: int) -> str: ...
    def agent(self, project: str, session: str, agent: str) -> str: ...
    def step(self, id: str) -> str: ...
    def part(self, project: str, session: str, step: str) -> str: ...
    def raw(self, project: str, session: str, line: int) -> str: ...
    def blob(self, project: str, session: str, line: int, number: int) -> str: ...
    def export(self, project: str, session: str) -> str: ...


class LiveLinks:
    """Addresses of the server's own pages."""

    def board(self) -> str:
        return "/"

    def sessions(self, **asked: str) -> str:
        return _asked("/sessions", asked)

    def search(self, q: str = "", **asked: str) -> str:
        return _asked("/search", {"q": q, **asked})

    def spend(self, **asked: str) -> str:
        return _asked("/spend", asked)

    def tools(self) -> str:
        return "/tools"

    def health(self) -> str:
        return "/health"

    def static(self, name: str) -> str:
        return f"/static/{name}"

    def project(self, project: str) -> str:
        return _path("projects", project)

    def session(self, project: str, session: str, step: str = "") -> str:
        return _path("s", project, session) + (self.step(step) if step else "")

    def view(self, project: str, session: str, view: str) -> str:
        return _asked(self.session(project, session), {"view": view})

    def window(self, project: str, session: str, first: int) -> str:
        return _asked(self.session(project, session), {"from": str(first)})

    def agent(self, project: str, session: str, agent: str) -> str:
        return _asked(self.session(project, session), {"agent": agent})

    def step(self, id: str) -> str:
        return f"#step-{_name(id)}"

    def part(self, project: str, session: str, step: str) -> str:
        return _path("part", "step", project, session, step)

    def raw(self, project: str, session: str, line: int) -> str:
        return _asked(self.session(project, session), {"view": "raw", "line": str(line)})

    def blob(self, project: str, session: str, line: int, number: int) -> str:
        return _path("part", "blob", project, session, str(line), str(number))

    def export(self, project: str, session: str) -> str:
        return _asked(_path("api", "export", project, session), {"format": "html"})


class ExportLinks:
    """One file that stands alone: steps are places in it, all else is left behind."""

    def board(self) -> str:
        return ""

    def sessions(self, **asked: str) -> str:
        return ""

    def search(self, q: str = "", **asked: str) -> str:
        return ""

    def spend(self, **asked: str) -> str:
        return ""

    def tools(self) -> str:
        return ""

    def health(self) -> str:
        return ""

    def static(self, name: str) -> str:
        return ""

    def project(self, project: str) -> str:
        return ""

    def session(self, project: str, session: str, step: str = "") -> str:
        return self.step(step) if step else ""

    def view(self, project: str, session: str, view: str) -> str:
        return ""

    def window(self, project: str, session: str, first: int) -> str:
        return ""

    def agent(self, project: str, session: str, agent: str) -> str:
        return ""

    def step(self, id: str) -> str:
        return f"#step-{_name(id)}"

    def part(self, project: str, session: str, step: str) -> str:
        return ""

    def raw(self, project: str, session: str, line: int) -> str:
        return ""

    def blob(self, project: str, session: str, line: int, number: int) -> str:
        return ""

    def export(self, project: str, session: str) -> str:
        return ""


def _path(*names: str) -> str:
    return "/" + "/".join(map(_name, names))


def _name(text: str) -> str:
    quoted = quote(text, safe="~", errors="replace")
    # Browsers take these for a step up, or for nothing.
    return quoted.replace(".", "%2E") if quoted in (".", "..") else quoted


def _asked(place: str, asked: dict[str, str]) -> str:
    given = {name: value for name, value in asked.items() if value}
    return f"{place}?{urlencode(given, errors='replace')}" if given else place
