"""A walk over the route table: every route refuses what must be refused, also those to come."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random
from string import ascii_letters, digits
from threading import Event
from typing import Any

import pytest
from litestar import Litestar, WebSocket, websocket

from tests.cli.made import root, talk
from tests.serve.asking import OUR_SOCKET, OURS, Answer, Pairs, ask, knock
from tests.serve.served import HOST, NAMED, ORIGIN, Served, problem, served, server_context
from tests.serve.walks import Way, ways
from unspool.serve.app import guarded, loading_templates
from unspool.show.html import render

EVIL = ("origin", "http://evil.test")
KNOWN_HOSTS = (HOST, "127.0.0.1:4100", "[::1]:4100", NAMED)
WRONG = ("authorization", "Bearer wrong")
JSON = ("content-type", "application/json")


@websocket("/socket/{session_id:str}")
async def socket(socket: WebSocket[Any, Any, Any]) -> None:
    """A socket, so that the walk meets one whatever the app has."""
    await socket.accept()


@pytest.fixture(scope="module")
def served_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = root(tmp_path_factory.mktemp("walk"), talk(), talk("session-two", day=2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSPOOL_HOME", str(tmp_path_factory.mktemp("unspool")))
        with served(place) as made:
            made.app.register(socket)
            yield made


@pytest.fixture
def walked(served_once: Served) -> Served:
    """One server for all that walk over it; nobody has tried a token yet."""
    served_once.policy.attempts._wrong.clear()
    return served_once


@pytest.fixture
def every(walked: Served) -> list[Way]:
    nowhere = (Way("GET", "/nowhere"), Way("POST", "/nowhere"), Way("", "/nowhere"))
    return [*ways(walked.app), *nowhere]


def tried(site: Served, way: Way, headers: Pairs) -> Answer:
    if not way.method:
        return knock(site.guard, way.filled, headers)
    return ask(site.guard, way.method, way.filled, [*headers, JSON], [b'{"token": "wrong"}'])


def statuses(site: Served, every: list[Way], *headers: tuple[str, str]) -> dict[Way, int]:
    return {way: tried(site, way, headers).status for way in every}


def test_the_walk_meets_the_routes_there_are(every: list[Way]) -> None:
    assert Way("GET", "/api/sessions/{project_id}/{session_id}") in every
    assert Way("GET", "/schema") in every
    assert Way("GET", "/") in every
    assert Way("", "/socket/{session_id}") in every


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "localhost",
        "localhost:4101",
        "evil.test:4100",
        "u-1.localhost:4100",
        f"x.{NAMED}",
    ],
)
def test_every_route_refuses_a_bad_host(walked: Served, every: list[Way], host: str) -> None:
    found = statuses(walked, every, ("host", host), *OURS[1:], ("origin", ORIGIN))

    assert set(found.values()) == {421}


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "http://127.0.0.1:4100"])
def test_every_route_refuses_a_bad_origin(walked: Served, every: list[Way], origin: str) -> None:
    assert set(statuses(walked, every, *OURS, ("origin", origin)).values()) == {403}


@pytest.mark.parametrize("said", ["cross-site", "same-site"])
def test_every_route_refuses_another_site(walked: Served, every: list[Way], said: str) -> None:
    found = statuses(walked, every, *OUR_SOCKET, ("sec-fetch-site", said))

    assert set(found.values()) == {403}


@pytest.mark.parametrize("host", KNOWN_HOSTS)
@pytest.mark.parametrize("given", [(), (WRONG,), (("cookie", "unspool-4100=wrong"),)], ids=str)
def test_every_route_refuses_who_has_no_token(
    walked: Served, every: list[Way], given: Pairs, host: str
) -> None:
    shut = [way for way in every if not way.is_open]

    for chunk in (shut[at : at + 10] for at in range(0, len(shut), 10)):
        walked.policy.attempts._wrong.clear()
        found = statuses(walked, chunk, ("host", host), ("origin", f"http://{host}"), *given)
        assert set(found.values()) == {401}


@pytest.mark.parametrize("host", KNOWN_HOSTS)
def test_every_route_takes_the_cookie_under_the_name_and_nowhere_else(
    walked: Served, every: list[Way], host: str
) -> None:
    cookie = ("cookie", f"unspool-4100={walked.policy.tokens.new_cookie()}")
    shut = [way for way in every if not way.is_open and way != Way("", "/nowhere")]
    shut.sort(key=lambda way: way.path == "/logout")  # from then on it is worth nothing
    found = statuses(walked, shut, ("host", host), ("origin", f"http://{host}"), cookie)

    assert {status == 401 for status in found.values()} == {host != NAMED}


def test_only_the_entrance_is_open(every: list[Way]) -> None:
    assert [way for way in every if way.is_open] == [
        Way("POST", "/api/enter"),
        Way("GET", "/enter"),
        Way("POST", "/enter"),
        Way("GET", "/static/enter.js"),
        Way("GET", "/static/enter.css"),
    ]


def test_the_entrance_refuses_a_wrong_token_and_what_no_page_of_ours_sends(site: Served) -> None:
    way = Way("POST", "/api/enter")
    plain = [("host", HOST), ("content-type", "text/plain")]

    assert tried(site, way, [("host", HOST)]).status == 401
    assert ask(site.guard, "POST", "/api/enter", plain, [b'{"token": "right-token"}']).status == 403


def test_every_answer_has_the_headers(walked: Served, every: list[Way]) -> None:
    found = [tried(walked, way, OURS) for way in every if way.method]

    assert all(one.headers["x-content-type-options"] == "nosniff" for one in found)
    assert all("content-security-policy" in one.headers for one in found)
    assert not [one for one in found if "access-control-allow-origin" in one.headers]
    assert not [one for one in found if one.status >= 500]


def test_a_page_that_is_not_there_is_a_problem(site: Served) -> None:
    answer = site.ask("/nowhere")

    assert answer.status_code == 404
    assert problem(answer)["title"] == "Not Found"


def test_an_error_of_ours_tells_nothing_but_that(
    site: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(site.context.health, "health", broken)
    answer = site.ask("/api/health")

    assert answer.status_code == 500
    assert "hunter2" not in answer.text + caplog.text
    assert "RuntimeError at " in caplog.text


def test_a_secret_in_a_session_does_not_leave(place: Path, site: Served) -> None:
    secret = "ghp_" + "".join(Random(1).choices(ascii_letters + digits, k=36))
    path = next(place.glob("projects/*/session-one.jsonl"))
    path.write_text(path.read_text().replace("alpha answer", f"the key is {secret}"))
    answer = site.ask("/api/sessions/-home-dev-kettle/session-one")

    assert answer.status_code == 200
    assert "the key is [redacted: " in answer.text
    assert secret not in answer.text


@pytest.fixture
def unread(tmp_path: Path) -> Iterator[Served]:
    """A root that nobody has indexed yet."""
    (tmp_path / "projects").mkdir()
    with server_context(tmp_path) as made:
        yield Served(made)


def test_before_there_is_an_index_all_answers_are_empty(unread: Served) -> None:
    assert unread.ask("/api/sessions").json() == {"items": [], "nextCursor": None}
    assert unread.ask("/api/health").status_code == 200
    assert unread.ask("/").status_code == 200


def test_what_is_served_needs_a_token(site: Served) -> None:
    served = guarded(site.context, site.policy)

    assert ask(served, "GET", "/api/health", [("host", HOST)]).status == 401


def test_a_server_answers_while_its_templates_are_still_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, may_end = Event(), Event()

    def read() -> None:
        begun.set()
        may_end.wait(5)

    monkeypatch.setattr(render, "load_templates", read)

    async def started() -> bool:
        async with loading_templates(Litestar()):
            return begun.wait(60) and not may_end.is_set()

    assert asyncio.run(started())
    may_end.set()
