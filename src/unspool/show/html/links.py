"""URLs of the live pages, or anchors inside an exported file."""

from functools import lru_cache
from typing import Protocol
from urllib.parse import quote, urlencode

from unspool.show.html.assets import VERSION


class PageLinks(Protocol):
    """URLs for templates; an empty one means there is no link."""

    no_blob: str  # why a picture may have no URL

    def board(self) -> str: ...
    def sessions(self, **query: str) -> str: ...
    def projects(self) -> str: ...
    def list(self, only: str = "", /, **query: str) -> str: ...
    def part_sessions(self, only: str = "", /, **query: str) -> str: ...
    def found(
        self, project: str, session: str, event: str, agent: str = "", q: str = ""
    ) -> str: ...
    def search(self, q: str = "", **query: str) -> str: ...
    def part_search(self) -> str: ...
    def files(self, **query: str) -> str: ...
    def part_files(self) -> str: ...
    def spend(self, **query: str) -> str: ...
    def part_spend(self, *names: str, **query: str) -> str: ...
    def tools(self, **query: str) -> str: ...
    def health(self) -> str: ...
    def machines(self) -> str: ...
    def machine(self, name: str, **query: str) -> str: ...
    def audit(self, **query: str) -> str: ...
    def theme(self, theme: str, back: str) -> str: ...
    def log_out(self) -> str: ...
    def static(self, name: str) -> str: ...
    def project(self, project: str) -> str: ...
    def session(self, project: str, session: str, step: str = "") -> str: ...
    def at(self, project: str, session: str, id: str, place: str = "") -> str: ...
    def view(self, project: str, session: str, view: str, **query: str) -> str: ...
    def window(self, project: str, session: str, first: int) -> str: ...
    def passages(self, project: str, session: str, **query: str) -> str: ...
    def tail(self, project: str, session: str) -> str: ...
    def rest(self, project: str, session: str) -> str: ...
    def steps(self, project: str, session: str, first: str, last: str) -> str: ...
    def step_data(self, project: str, session: str) -> str: ...
    def agent(self, project: str, session: str, agent: str) -> str: ...
    def step(self, id: str) -> str: ...
    def part(self, project: str, session: str, step: str, short: str = "") -> str: ...
    def plan(self, project: str, session: str) -> str: ...
    def raw(self, project: str, session: str, line: int) -> str: ...
    def blob(self, event: str, number: int) -> str: ...
    def export(self, project: str, session: str, format: str = "html") -> str: ...


class LiveLinks:
    """URLs of the server's pages; with an agent, session URLs point to that agent."""

    no_blob = "not indexed yet"

    def __init__(self, agent: str = "") -> None:
        self._agent = agent

    def board(self) -> str:
        return "/"

    def sessions(self, **query: str) -> str:
        return _with_query("/sessions", query)

    def projects(self) -> str:
        return "/projects"

    def list(self, only: str = "", /, **query: str) -> str:
        return _with_query(self.project(only) if only else "/sessions", query)

    def part_sessions(self, only: str = "", /, **query: str) -> str:
        return _with_query(_path("part", "sessions", *filter(None, [only])), query)

    def found(self, project: str, session: str, event: str, agent: str = "", q: str = "") -> str:
        return _with_query(self.session(project, session), {"agent": agent, "at": event, "q": q})

    def search(self, q: str = "", **query: str) -> str:
        return _with_query("/search", {"q": q, **query})

    def part_search(self) -> str:
        return "/part/search"

    def files(self, **query: str) -> str:
        return _with_query("/files", query)

    def part_files(self) -> str:
        return "/part/files"

    def spend(self, **query: str) -> str:
        return _with_query("/spend", query)

    def part_spend(self, *names: str, **query: str) -> str:
        return _with_query(_path("part", "spend", *names), query)

    def tools(self, **query: str) -> str:
        return _with_query("/tools", query)

    def health(self) -> str:
        return "/health"

    def machines(self) -> str:
        return "/machines"

    def machine(self, name: str, **query: str) -> str:
        return _with_query(f"/machines/{quote(name)}", query)

    def audit(self, **query: str) -> str:
        return _with_query("/machines/audit", query)

    def theme(self, theme: str, back: str) -> str:
        return _with_query("/theme", {"to": theme, "back": back})

    def log_out(self) -> str:
        return "/logout"

    def static(self, name: str) -> str:
        return f"/static/{VERSION}/{name}"

    def project(self, project: str) -> str:
        return _path("projects", project)

    def session(self, project: str, session: str, step: str = "") -> str:
        return _path("s", project, session) + (self.step(step) if step else "")

    def at(self, project: str, session: str, id: str, place: str = "") -> str:
        query = f"agent={_name(self._agent)}&at=" if self._agent else "at="
        here = f"{_path('s', project, session)}?{query}{_name(id)}"
        return f"{here}#{_name(place or f'step-{id}')}"

    def view(self, project: str, session: str, view: str, **query: str) -> str:
        return _with_query(
            self.session(project, session), {"agent": self._agent, "view": view, **query}
        )

    def window(self, project: str, session: str, first: int) -> str:
        query = {"agent": self._agent, "chunk": str(first)}
        return _with_query(self.session(project, session), query)

    def passages(self, project: str, session: str, **query: str) -> str:
        place = _path("part", "window", project, session)
        return _with_query(place, {"agent": self._agent, **query})

    def tail(self, project: str, session: str) -> str:
        return _with_query(_path("part", "tail", project, session), {"agent": self._agent})

    def rest(self, project: str, session: str) -> str:
        return _path("part", "rest", project, session)

    def steps(self, project: str, session: str, first: str, last: str) -> str:
        query = {"agent": self._agent, "from": first, "to": last}
        return _with_query(self.session(project, session), query)

    def step_data(self, project: str, session: str) -> str:
        return _with_query(_path("part", "steps", project, session), {"agent": self._agent})

    def agent(self, project: str, session: str, agent: str) -> str:
        return _with_query(self.session(project, session), {"agent": agent})

    def step(self, id: str) -> str:
        return f"#step-{_name(id)}"

    def part(self, project: str, session: str, step: str, short: str = "") -> str:
        query = {"agent": self._agent, "short": short}
        return _with_query(_path("part", "step", project, session, step), query)

    def plan(self, project: str, session: str) -> str:
        return _path("part", "plan", project, session)

    def raw(self, project: str, session: str, line: int) -> str:
        query = {"agent": self._agent, "view": "raw", "line": str(line)}
        return _with_query(self.session(project, session), query)

    def blob(self, event: str, number: int) -> str:
        return _path("api", "blob", event, str(number)) if event else ""

    def export(self, project: str, session: str, format: str = "html") -> str:
        return _with_query(_path("api", "export", project, session), {"format": format})


class ExportLinks:
    """A single file: steps are anchors in it, everything else has no URL."""

    no_blob = "not included in this file"

    def board(self) -> str:
        return ""

    def sessions(self, **query: str) -> str:
        return ""

    def projects(self) -> str:
        return ""

    def list(self, only: str = "", /, **query: str) -> str:
        return ""

    def part_sessions(self, only: str = "", /, **query: str) -> str:
        return ""

    def found(self, project: str, session: str, event: str, agent: str = "", q: str = "") -> str:
        return ""

    def search(self, q: str = "", **query: str) -> str:
        return ""

    def part_search(self) -> str:
        return ""

    def files(self, **query: str) -> str:
        return ""

    def part_files(self) -> str:
        return ""

    def spend(self, **query: str) -> str:
        return ""

    def part_spend(self, *names: str, **query: str) -> str:
        return ""

    def tools(self, **query: str) -> str:
        return ""

    def health(self) -> str:
        return ""

    def machines(self) -> str:
        return ""

    def machine(self, name: str, **query: str) -> str:
        return ""

    def audit(self, **query: str) -> str:
        return ""

    def theme(self, theme: str, back: str) -> str:
        return ""

    def log_out(self) -> str:
        return ""

    def static(self, name: str) -> str:
        return ""

    def project(self, project: str) -> str:
        return ""

    def session(self, project: str, session: str, step: str = "") -> str:
        return self.step(step) if step else ""

    def at(self, project: str, session: str, id: str, place: str = "") -> str:
        return f"#{_name(place or f'step-{id}')}"

    def view(self, project: str, session: str, view: str, **query: str) -> str:
        return ""

    def window(self, project: str, session: str, first: int) -> str:
        return ""

    def passages(self, project: str, session: str, **query: str) -> str:
        return ""

    def tail(self, project: str, session: str) -> str:
        return ""

    def rest(self, project: str, session: str) -> str:
        return ""

    def steps(self, project: str, session: str, first: str, last: str) -> str:
        return ""

    def step_data(self, project: str, session: str) -> str:
        return ""

    def agent(self, project: str, session: str, agent: str) -> str:
        return ""

    def step(self, id: str) -> str:
        return f"#step-{_name(id)}"

    def part(self, project: str, session: str, step: str, short: str = "") -> str:
        return ""

    def plan(self, project: str, session: str) -> str:
        return ""

    def raw(self, project: str, session: str, line: int) -> str:
        return ""

    def blob(self, event: str, number: int) -> str:
        return ""

    def export(self, project: str, session: str, format: str = "html") -> str:
        return ""


def _path(*names: str) -> str:
    return "/" + "/".join(map(_name, names))


@lru_cache(maxsize=8_192)
def _name(text: str) -> str:
    quoted = quote(text, safe="~", errors="replace")
    # Browsers take these for a step up, or for nothing.
    return quoted.replace(".", "%2E") if quoted in (".", "..") else quoted


def _with_query(place: str, query: dict[str, str]) -> str:
    filled = {name: value for name, value in query.items() if value}
    return f"{place}?{urlencode(filled, errors='replace')}" if filled else place
