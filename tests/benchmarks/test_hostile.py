import re
from pathlib import Path
from typing import get_args

import pytest
from litestar.routes import HTTPRoute

from benchmarks import hostile
from benchmarks.hostile_exits import ROUTES
from benchmarks.hostile_texts import TEXTS
from tests.cli.made import root
from tests.serve.served import served
from unspool.engine.export.files import Format
from unspool.show.html.highlight import LANGUAGES

# Parts of a step: "all of a call" renders the largest there is. A plan is 64 KB of prose at most.
OF_STEPS = {"/part/step", "/part/at", "/part/plan"}


def test_every_renderer_and_every_way_out_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile, "_SIZE", 2_000)
    monkeypatch.setattr(hostile, "TEXTS", {"links": TEXTS["links"]})
    figures = {
        figure.name.removeprefix("1 MB hostile: "): figure for figure in hostile.measured(tmp_path)
    }
    renderers = {"Markdown", "fences", "terminal output", "diff", "JSON", "search snippet"}
    formats = {f"export, {format}" for format in get_args(Format)}
    exits = {"session page", "`show`", "`tail`", "`top`", "`ls`", "`search`", "WebSocket", *formats}

    assert {f"renderer, {name}" for name in renderers} <= figures.keys()
    assert {f"renderer, code, {name}" for name in LANGUAGES.values()} <= figures.keys()
    assert {f"exit, {name}" for name in exits} <= figures.keys()
    assert sum(name.startswith("exit, /") for name in figures) == len(ROUTES)
    assert all(figure.must == 1 and "links" in figure.note for figure in figures.values())


def test_every_route_of_a_session_is_measured(tmp_path: Path) -> None:
    asked = [address.partition("?")[0] for address in ROUTES]
    with served(root(tmp_path)) as site:
        routes = {
            route.path_format
            for route in site.app.routes
            if isinstance(route, HTTPRoute) and "GET" in route.methods
        }
    of_sessions = {path for path in routes if "{session_id}" in path}
    missing = {
        path
        for path in of_sessions
        if not any(re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), address) for address in asked)
    }

    assert len(of_sessions) > 20
    assert {"/".join(path.split("/")[:3]) for path in missing} == OF_STEPS
