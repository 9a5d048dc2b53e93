"""No answer of the server has a secret in it: every route is asked for what it can show."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.e2e.planted_root import (
    AGENT,
    HEX_ID,
    OTHER_PROJECT,
    PROJECT,
    SECRETS,
    SESSION,
    leaks,
    plant,
)
from tests.serve.served import Served, indexed, server_context
from tests.serve.walks import ways
from unspool.cli.doctor import findings_here
from unspool.engine.export.files import Format
from unspool.model.rows import TextKind
from unspool.serve.api.cost import By
from unspool.serve.pages.session.parameters import View

ONE = f"{PROJECT}/{SESSION}"
API = f"/api/sessions/{ONE}"
WHOSE = ("", f"?agent={AGENT}")
VIEWS = get_args(get_args(View)[0])
RANGE, INSIDE = "?from={first}&to={last}", f"?agent={AGENT}&from={{own_first}}&to={{own_last}}"
# Every address of a route that shows something of a session; `{...}` is filled in from the site.
ASKED: dict[str, list[str]] = {
    "/": [""],
    "/part/board": [""],
    "/sessions": ["", "?q=planted", "?sort=cost", f"?project={PROJECT}"],
    "/part/sessions": ["", "?q=planted"],
    "/projects": [""],
    "/projects/{project_id}": [""],
    "/part/sessions/{project_id}": [""],
    "/search": ["?q=planted", "?q=planted&order=ranked", f"?q={SESSION}", f"?q={HEX_ID}"],
    "/part/search": ["?q=planted", "?q=planted&order=ranked", f"?q=planted&project={PROJECT}"],
    "/files": ["", "?path=.", f"?project={PROJECT}"],
    "/part/files": ["", "?path=."],
    "/api/files": ["?limit=200", f"?project={PROJECT}"],
    "/part/spend": ["?range=all", f"?range=all&project={PROJECT}"],
    "/part/spend/sessions": [f"?range=all&project={PROJECT}"],
    "/part/spend/turns/{project_id}/{session_id}": ["?range=all"],
    "/spend": ["?range=30", "?range=all", "?range=all&by=model", f"?project={PROJECT}"],
    "/health": [""],
    "/tools": ["?range=30", "?range=all", f"?project={PROJECT}"],
    "/s/{project_id}/{session_id}": [
        *WHOSE, "?chunk=0", "?chunk=5", "?q=planted", "?at={step}", "?at={event_id}",
        RANGE, "?from={step}&to={step}", INSIDE,
        "?level=story", "?level=everything",
        *(f"?view={view}" for view in VIEWS), *(f"?view={view}&agent={AGENT}" for view in VIEWS),
        "?view=raw&line=8", "?view=raw&line=9", "?view=raw&start=20",
    ],
    "/part/rest/{project_id}/{session_id}": [""],
    "/part/window/{project_id}/{session_id}": [
        "?chunk=0&limit=200", f"?chunk=0&agent={AGENT}",
    ],
    "/part/tail/{project_id}/{session_id}": ["?chunk=0&limit=200", "?chunk=9", f"?agent={AGENT}"],
    "/part/range/{project_id}/{session_id}": [
        RANGE, f"{RANGE}&short=true", "?at={step}", "", INSIDE,
    ],
    "/part/steps/{project_id}/{session_id}": list(WHOSE),
    "/part/plan/{project_id}/{session_id}": [""],
    "/part/at/{project_id}/{session_id}/{step}": [""],
    "/part/step/{project_id}/{session_id}/{step}": ["", "?short=true"],
    "/api/sessions": ["?limit=200", "?q=planted"],
    "/api/projects": ["?limit=200"],
    "/api/projects/{project_id}/sessions": ["?limit=200"],
    "/api/search": [
        "?q=planted&limit=200", "?q=planted&order=ranked",
        *(f"?q=planted&kind={kind}" for kind in get_args(TextKind)[1:]),
        *(f"?q={word}&limit=200" for word in ("postgres", "app", "word", "example")),
    ],
    "/api/cost": [f"?by={by}" for by in get_args(By)],
    "/api/sessions/{project_id}/{session_id}": [*WHOSE[:1], "?from=0&limit=1000"],
    "/api/sessions/{project_id}/{session_id}/subagents/{agent_id}": [""],
    "/api/sessions/{project_id}/{session_id}/turns": list(WHOSE),
    "/api/sessions/{project_id}/{session_id}/tools": list(WHOSE),
    "/api/sessions/{project_id}/{session_id}/context": list(WHOSE),
    "/api/sessions/{project_id}/{session_id}/metrics": list(WHOSE),
    "/api/sessions/{project_id}/{session_id}/waterfall": list(WHOSE),
    "/api/sessions/{project_id}/{session_id}/raw/{line}": [""],
    "/api/sessions/{session_id}/events": ["?limit=200"],
    "/api/sessions/{session_id}/events/main": ["?limit=200"],
    "/api/sessions/{session_id}/events/subagent/{agent_id}": ["?limit=200"],
    "/api/sessions/{session_id}/events/{event_id}/full": [""],
    "/api/export/{project_id}/{session_id}": [
        *(f"?format={format}" for format in get_args(Format)),
        *(f"?format={format}&agent={AGENT}" for format in get_args(Format)),
        *(f"?format={format}&anonymise=true" for format in get_args(Format)),
    ],
    "/api/blob/{event_id}/{n}": [""],
}  # fmt: skip
# These may have nothing to redact in them; they are asked as well.
BARE = {
    "/jump", "/patterns", "/theme", "/favicon.ico", "/static/{name}", "/schema",
    "/schema/openapi.json", "/schema/{path}", "/api/status", "/api/health", "/api/index",
    "/enter", "/static/enter.js", "/static/enter.css", "/machines", "/api/machines",
    "/machines/{machine}", "/api/machines/{machine}", "/machines/audit", "/api/audit",
}  # fmt: skip
# Only figures and ids.
FIGURES = ("anonymise", "/part/steps", "/metrics", "/context?agent", "/waterfall")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("exits")
    plant(place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(place / "home"))
        indexed(place)
        findings = list(findings_here([str(place)]))
        with server_context(place, checks=lambda: findings) as found:
            site = Served(found)
            for session in ("cut-0", "elsewhere"):
                site.ask(f"/api/sessions/{session}", "PATCH", json={"pinned": True})
            yield site


def followed(site: Served, path: str) -> list[Any]:
    """All items of a list."""
    items, cursor = [], ""
    while cursor is not None:
        answer = site.ask(f"{path}{'&' if '?' in path else '?'}limit=200&cursor={cursor}").json()
        items += answer["items"]
        cursor = answer["nextCursor"]
    return items


@pytest.fixture(scope="module")
def names(site: Served) -> dict[str, str]:
    """What stands for the parts of an address that vary."""
    events = followed(site, f"/api/sessions/{SESSION}/events")
    calls = followed(site, f"{API}/tools")
    spilled = next(one for one in calls if "cat long" in str(one))
    main, own = (
        [place.partition("-")[2] for place in site.ask(f"/part/steps/{ONE}{whose}").json()["id"]]
        for whose in WHOSE
    )
    return {
        "project_id": PROJECT, "session_id": SESSION, "agent_id": AGENT, "line": "8", "n": "0",
        "event_id": next(one["eventId"] for one in events if "planted" in str(one)),
        "step": spilled["toolUseId"], "name": "app.css", "path": "x", "machine": "laptop",
        "first": main[0], "last": main[-1], "own_first": own[0], "own_last": own[-1],
    }  # fmt: skip


def test_every_route_is_in_the_walk(site: Served) -> None:
    shown = {way.path for way in ways(site.app) if way.method == "GET"}

    assert shown == set(ASKED) | BARE


@pytest.mark.parametrize("route", ASKED)
def test_no_secret_leaves_by(site: Served, names: dict[str, str], route: str) -> None:
    for query in ASKED[route]:
        if "/api/blob" in route:
            continue  # by its own test
        path = f"{route}{query}".format_map(names)
        answer = site.ask(path, follow_redirects=True)
        text = answer.text
        assert (path, answer.status_code) == (path, 200)
        assert (path, leaks(text)) == (path, [])
        # It shows what has a secret.
        assert "redacted: " in text or any(word in path for word in FIGURES), path


def test_no_secret_leaves_by_the_other_routes_and_none_is_logged(
    site: Served, names: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for route in BARE:
        answer = site.ask(f"{route}?id={SESSION}".format_map(names), follow_redirects=True)
        assert (route, leaks(answer.text)) == (route, [])

    assert leaks(caplog.text) == []


def test_no_secret_leaves_by_any_line_or_event(site: Served) -> None:
    said = {}
    for whose in WHOSE:
        path = API if not whose else f"{API}/subagents/{AGENT}"
        for line in range(1, site.ask(path).json()["diagnostics"]["lines"] + 1):
            said[f"{line}{whose}"] = site.ask(f"{API}/raw/{line}{whose}").text
            said[f"page {line}{whose}"] = site.ask(
                f"/s/{ONE}?view=raw&line={line}&{whose[1:]}"
            ).text
    for session in (SESSION, "cut-3", "hooks-only", "elsewhere"):
        for one in followed(site, f"/api/sessions/{session}/events"):
            path = f"/api/sessions/{session}/events/{one['eventId']}/full"
            said[path] = site.ask(path).text

    assert len(said) > 150
    assert {path: left for path, text in said.items() if (left := leaks(text))} == {}


def test_no_secret_leaves_by_any_part_of_a_page(site: Served) -> None:
    calls = followed(site, f"{API}/tools")
    chunks = site.ask(f"{API}?from=0&limit=1000").json()["chunks"]
    steps = {one["toolUseId"] for one in calls} | {AGENT}
    paths = [f"/part/step/{ONE}/{step}" for step in steps]
    paths += [f"/part/at/{ONE}/{step}" for step in steps - {AGENT}]
    slabs = [f"?chunk={at}&slab={n}" for at in range(len(chunks)) for n in (0, 1)]
    paths += [f"/part/window/{ONE}{slab}" for slab in slabs]
    said = {path: site.ask(path) for path in paths}

    assert {answer.status_code for answer in said.values()} == {200, 404}
    assert sum(answer.status_code == 200 for answer in said.values()) > 30
    assert {path: left for path, answer in said.items() if (left := leaks(answer.text))} == {}


def test_no_secret_is_to_be_read_on_a_page_whose_address_has_one(site: Served) -> None:
    paths = [f"/projects/{OTHER_PROJECT}", f"/part/sessions/{OTHER_PROJECT}"]
    paths += [
        f"/s/{OTHER_PROJECT}/elsewhere{query}" for query in ("", *map("?view={}".format, VIEWS))
    ]
    said = {path: re.sub('="[^"]*"', "", site.ask(path).text) for path in paths}

    assert [path for path, text in said.items() if "redacted: " not in text] == []
    assert {path: left for path, text in said.items() if (left := leaks(text))} == {}


def test_no_secret_leaves_by_a_document_or_a_long_result(site: Served) -> None:
    events = followed(site, f"/api/sessions/{SESSION}/events")
    answers = [site.ask(f"/api/blob/{one['eventId']}/0") for one in events]
    texts = [answer.text for answer in answers if answer.status_code == 200]

    assert len(texts) >= 2
    assert all("redacted: " in text for text in texts)
    assert [leaks(text) for text in texts] == [[] for _ in texts]


@pytest.mark.parametrize("number", range(12))
def test_no_secret_is_cut_in_two_on_a_page(site: Served, number: int) -> None:
    session = f"cut-{number}"
    paths = [
        f"/s/{PROJECT}/{session}", f"/s/{PROJECT}/{session}?chunk=0",
        f"/api/search?q=planted&session={session}",
        f"/search?q=planted&session={session}", f"/s/{PROJECT}/{session}?view=raw",
        f"/s/{PROJECT}/{session}?q=word", f"/api/sessions/{PROJECT}/{session}/turns",
        f"/api/sessions/{session}/events", f"/s/{PROJECT}/{session}?view=waterfall",
    ]  # fmt: skip

    assert {path: left for path in paths if (left := leaks(site.ask(path).text))} == {}


def test_a_secret_is_planted_in_every_place(tmp_path: Path) -> None:
    plant(tmp_path)
    text = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.jsonl"))
    elsewhere = ["document", "spilled", "plan-file"]

    assert [place for place, secret in SECRETS.items() if secret not in text] == elsewhere


def test_no_title_that_somebody_gives_and_no_event_that_is_handed_in_brings_one_back(
    site: Served,
) -> None:
    secret = SECRETS["title"]
    event = {"hook_event_name": "PreToolUse", "session_id": "x", "tool_name": secret}
    said = [
        site.ask("/api/events", "POST", json=event).text,
        site.ask(f"/api/sessions/{SESSION}", "PATCH", json={"title": f"planted {secret}"}).text,
        site.ask(f"/api/sessions/{secret}", "PATCH", json={"title": "x"}).text,
        site.ask(f"/api/sessions/{PROJECT}/{secret}").text,
        site.ask(f"/s/{PROJECT}/{secret}").text,
        site.ask(f"/projects/{secret}").text,
        site.ask(f"/api/export/{OTHER_PROJECT}/broken").text,  # names its file
        site.ask(f"/api/export/{OTHER_PROJECT}/broken", headers={"accept": "text/html"}).text,
        re.sub('[?&]q=[^&"]*', "", site.ask(f"/api/search?q={secret}").text),
    ]

    assert [leaks(text) for text in said] == [[] for _ in said]
