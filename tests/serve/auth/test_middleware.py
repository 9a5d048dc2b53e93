"""What the policy does with what it decided, seen from outside."""

import asyncio
from typing import Any

import msgspec
import pytest

from tests.serve.asking import OUR_SOCKET, OURS, ask, knock
from tests.serve.served import HOST, NAMED, ORIGIN, policy
from unspool.serve.auth.middleware import AuthMiddleware

COOKIE = ("cookie", f"unspool-4100={policy().tokens.new_cookie()}")
BROWSER = (("host", NAMED), ("origin", f"http://{NAMED}"), COOKIE)


class Echo:
    """An app that gives back what it was sent, and counts who came."""

    def __init__(self) -> None:
        self.seen = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.seen += 1
        message = await receive()
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept", "headers": []})
            return
        headers = [(b"access-control-allow-origin", b"*")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": message["body"]})


def guarded(**given: Any) -> AuthMiddleware:
    return AuthMiddleware(Echo(), policy(), **given)


def test_who_has_the_token_comes_in_with_the_whole_body() -> None:
    answer = ask(guarded(), "POST", "/api/x", body=[b"one ", b"two"])

    assert (answer.status, answer.body) == (200, b"one two")
    assert answer.headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in answer.headers


def test_who_has_not_never_reaches_the_app() -> None:
    app = guarded()
    statuses = [
        ask(app, "GET", "/", headers=[("host", "evil.test")]).status,
        ask(app, "GET", "/", headers=[("host", HOST)]).status,
        knock(app, "/", headers=[*OURS, ("origin", "http://evil.test")]).status,
        knock(app, "/", headers=[("host", HOST), ("origin", ORIGIN)]).status,
    ]

    assert statuses == [421, 401, 403, 401]
    assert isinstance(app.app, Echo)
    assert app.app.seen == 0


def test_a_refusal_is_a_problem_document_with_all_headers() -> None:
    answer = ask(guarded(), "GET", "/api/x", headers=[("host", HOST)])

    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert msgspec.json.decode(answer.body)["status"] == 401


def test_a_browser_without_the_cookie_gets_the_page_that_swaps_the_token() -> None:
    answer = ask(guarded(), "GET", "/s/a/b", headers=[("host", HOST), ("accept", "text/html")])

    assert (answer.status, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert b'src="/static/enter.js"' in answer.body
    assert b'action="/enter"' in answer.body


def test_a_browser_that_another_site_sent_gets_only_the_page_that_swaps_the_token() -> None:
    """From localhost to the name is from one site to another."""
    navigates = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
    headers = [*BROWSER, ("accept", "text/html"), ("sec-fetch-site", "cross-site"), *navigates]
    app = guarded()
    answer = ask(app, "GET", "/s/a/b", headers=headers)

    assert (answer.status, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert b'src="/static/enter.js"' in answer.body
    assert isinstance(app.app, Echo)
    assert app.app.seen == 0


def test_a_browser_sent_by_another_site_gets_no_page() -> None:
    headers = [("host", HOST), ("accept", "text/html"), ("sec-fetch-site", "cross-site")]
    answer = ask(guarded(), "GET", "/", headers=headers)

    assert (answer.status, answer.headers["content-type"]) == (403, "application/problem+json")


def test_a_page_that_was_rebound_to_this_machine_gets_not_one_byte() -> None:
    headers = [("host", "evil.test"), ("accept", "text/html")]

    assert ask(guarded(), "GET", "/", headers=headers).body == b""


@pytest.mark.parametrize("path", ["/api/x", "/api/events", "/api/enter"])
def test_a_body_past_its_limit_is_refused_by_its_word_and_by_its_length(path: str) -> None:
    most, json = policy().max_body(path), ("content-type", "application/json")
    said = [*OURS, json, ("content-length", str(most + 1))]

    assert ask(guarded(), "POST", path, headers=said).status == 413
    assert ask(guarded(), "POST", path, [*OURS, json], [b"x" * most, b"x"]).status == 413
    assert ask(guarded(), "POST", path, [*OURS, json], [b"x" * most]).status == 200


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    app = guarded(seconds=0.01)

    assert ask(app, "POST", "/api/x", body=[]).status == 408


@pytest.mark.parametrize(("size", "is_read"), [(10, True), (100_000, False)])
def test_a_small_body_is_read_before_its_request_is_refused(size: int, is_read: bool) -> None:
    """Closing a connection with unread bytes resets it, and the refusal may be lost."""
    pieces: list[Any] = [{"type": "http.request", "body": b"x" * size, "more_body": False}]
    sent: list[Any] = []

    async def receive() -> Any:
        return pieces.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", HOST.encode()), (b"content-length", b"%d" % size)]
    scope: Any = {"type": "http", "method": "POST", "path": "/api/x", "headers": headers}
    asyncio.run(guarded()(scope, receive, send))

    assert (sent[0]["status"], pieces == []) == (401, is_read)


def test_a_sender_who_leaves_gets_nothing() -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(name.encode(), value.encode()) for name, value in OURS]
    scope: Any = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    asyncio.run(guarded()(scope, receive, send))

    assert sent == []


def test_a_socket_comes_in_with_origin_and_cookie() -> None:
    assert knock(guarded(), "/", BROWSER).status == 101
    assert knock(guarded(), "/", [("host", NAMED), COOKIE]).status == 403
    assert knock(guarded(), "/", [("host", HOST), ("origin", ORIGIN), COOKIE]).status == 401


def test_a_server_that_cannot_answer_a_handshake_closes_it() -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: Any = {"type": "websocket", "path": "/", "headers": [(b"host", b"evil.test")]}
    asyncio.run(guarded()(scope, receive, send))

    assert sent == [{"type": "websocket.close", "code": 4421}]


def test_so_many_sockets_and_no_more() -> None:
    app = guarded()
    app._sockets = 64

    assert knock(app, "/", OUR_SOCKET).status == 503


def test_a_socket_that_ends_makes_room() -> None:
    app = guarded()
    knock(app, "/", OUR_SOCKET)

    assert app._sockets == 0


def test_the_lifespan_of_the_app_is_its_own() -> None:
    app = guarded()
    seen: list[str] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    app.app = inner
    lifespan: Any = {"type": "lifespan"}
    asyncio.run(app(lifespan, None, None))  # type: ignore[arg-type]

    assert seen == ["lifespan"]
