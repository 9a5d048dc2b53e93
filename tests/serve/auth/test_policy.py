"""Every combination of names, origins and secrets, and which of them come in."""

from itertools import product

import pytest

from tests.serve.served import HOST, INGEST, NAME, NAMED, ORIGIN, TOKEN, policy
from unspool.serve.auth.policy import AccessPolicy, Kind, Refusal, RequestInfo, cookies

COOKIE = f"unspool-4100={policy().tokens.new_cookie()}"
NAMED_ORIGIN = f"http://{NAMED}"
HOSTS = (
    "localhost:4100", "127.0.0.1:4100", "[::1]:4100", NAMED, "LOCALHOST:4100", NAMED.upper(),
    NAME, f"{NAME}.localhost", f"{NAME}.localhost:4101", f"{NAME}:4100", f"x.{NAMED}",
    "u-0123456789abcdee.localhost:4100", "u-.localhost:4100", f"{NAME}.evil.test:4100",
    "localhost", "127.0.0.1", "localhost:80", "localhost:4101", "evil.test", "evil.test:4100",
    "localhost.evil.test:4100", "localhost:4100.evil.test", "127.0.0.1.nip.io:4100", "0.0.0.0:4100",
    "127.1:4100", "[::ffff:127.0.0.1]:4100", "localhost:4100@evil.test", "user@localhost:4100",
    "localhost.:4100", "", "localhost:4100 ", "localhost:04100",
)  # fmt: skip
ORIGINS = (
    None, "http://localhost:4100", "http://127.0.0.1:4100", "http://[::1]:4100", NAMED_ORIGIN,
    "https://localhost:4100", "http://localhost", "http://localhost:3000", "null",
    "http://evil.test", "http://localhost:4100.evil.test", "",
)  # fmt: skip
TOKENS = (None, "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {INGEST}", f"Bearer {TOKEN}")


def request(
    *headers: tuple[str, str], kind: Kind = "http", method: str = "GET", path: str = "/api/health"
) -> RequestInfo:
    return RequestInfo(kind=kind, method=method, path=path, address="127.0.0.1", headers=headers)


def status(made: RequestInfo, by: AccessPolicy | None = None) -> int:
    refusal = (by or policy()).refusal(made)
    return refusal.status if refusal else 200


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_of_all_names_origins_and_tokens_only_the_legal_come_in(kind: Kind) -> None:
    passed = set()
    for host, origin, token in product(HOSTS, ORIGINS, TOKENS):
        given = {"host": host, "origin": origin, "authorization": token}
        pairs = tuple((name, value) for name, value in given.items() if value is not None)
        if status(request(*pairs, kind=kind)) == 200:
            passed.add((host.lower(), origin, token))
    own = {(host, f"http://{host}", TOKENS[-1]) for host in HOSTS[:4]}
    without = {(host, None, TOKENS[-1]) for host in HOSTS[:4]}

    assert passed == (own if kind == "websocket" else own | without)


@pytest.mark.parametrize("headers", [(), (("host", HOST), ("host", HOST))], ids=["none", "two"])
def test_a_request_has_exactly_one_host(headers: tuple[tuple[str, str], ...]) -> None:
    assert status(request(*headers, ("authorization", f"Bearer {TOKEN}"))) == 421


def test_a_bad_host_is_told_before_a_bad_token() -> None:
    assert status(request(("host", "evil.test"))) == 421


SITES = ("cross-site", "same-site", "none", "same-origin", "nonsense")


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("mode", ["navigate", "cors", "no-cors", "websocket"])
def test_another_site_is_turned_away_and_only_a_navigation_may_come_from_nowhere(
    site: str, mode: str
) -> None:
    given = (("sec-fetch-site", site), ("sec-fetch-mode", mode), ("cookie", COOKIE))
    allowed = site == "same-origin" or (site == "none" and mode == "navigate")

    assert status(request(("host", NAMED), *given)) == (200 if allowed else 403)


def test_a_form_typed_into_the_address_bar_is_no_navigation_to_look() -> None:
    given = (("host", NAMED), ("sec-fetch-site", "none"), ("sec-fetch-mode", "navigate"))

    assert status(request(*given, ("cookie", COOKIE), method="POST")) == 403


def test_a_browser_must_say_its_origin_when_it_changes_something() -> None:
    given = (("host", NAMED), ("sec-fetch-site", "same-origin"), ("cookie", COOKIE))
    json = ("content-type", "application/json")

    assert status(request(*given, json, method="PATCH")) == 403
    assert status(request(*given, json, ("origin", NAMED_ORIGIN), method="PATCH")) == 200


def test_two_origins_are_none() -> None:
    given = (
        ("host", NAMED),
        ("origin", NAMED_ORIGIN),
        ("origin", NAMED_ORIGIN),
        ("cookie", COOKIE),
    )

    assert status(request(*given)) == 403


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (("content-type", "application/json"), 200),
        (("content-type", "Application/JSON; charset=utf-8"), 200),
        (("x-requested-with", "fetch"), 200),
        (("content-type", "text/plain"), 403),
        (("content-type", "application/x-www-form-urlencoded"), 403),
        (("content-type", "text/plain; application/json"), 403),
        (("content-type", "text/application/json-like"), 403),
        (("accept", "*/*"), 403),
    ],
)
def test_with_the_cookie_a_change_needs_what_no_form_can_send(
    header: tuple[str, str], expected: int
) -> None:
    given = (("host", NAMED), ("cookie", COOKIE), ("origin", NAMED_ORIGIN))

    assert status(request(*given, header, method="POST", path="/api/x")) == expected


def test_with_the_token_in_a_header_a_change_needs_nothing_else() -> None:
    given = (("host", HOST), ("authorization", f"bearer {TOKEN}"))

    assert status(request(*given, method="POST", path="/api/x")) == 200


@pytest.mark.parametrize(
    ("method", "path", "kind", "expected"),
    [
        ("POST", "/api/events", "http", 200),
        ("GET", "/api/events", "http", 401),
        ("POST", "/api/events/", "http", 401),
        ("POST", "/api/enter2", "http", 401),
        ("GET", "/api/sessions", "http", 401),
        ("POST", "/api/events", "websocket", 401),
    ],
)
def test_the_ingest_token_only_hands_in_events(
    method: str, path: str, kind: Kind, expected: int
) -> None:
    given = (("host", HOST), ("origin", ORIGIN), ("authorization", f"Bearer {INGEST}"))

    assert status(request(*given, method=method, path=path, kind=kind)) == expected


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/static/enter.js", 200),
        ("GET", "/enter", 200),
        ("GET", "/enter/", 401),
        ("GET", "/logout", 401),
        ("POST", "/static/enter.js", 401),
        ("GET", "/static/other.js", 401),
        ("GET", "/static/enter.js/", 401),
        ("GET", "/api/enter", 401),
    ],
)
def test_without_a_token_there_is_the_script_that_enters_and_nothing_beside_it(
    method: str, path: str, expected: int
) -> None:
    assert status(request(("host", HOST), method=method, path=path)) == expected


@pytest.mark.parametrize("host", ["localhost:4100", "127.0.0.1:4100", "[::1]:4100"])
def test_the_cookie_is_worth_nothing_where_other_servers_would_get_it(host: str) -> None:
    assert status(request(("host", NAMED), ("cookie", COOKIE))) == 200
    assert status(request(("host", host), ("cookie", COOKIE))) == 401


@pytest.mark.parametrize("path", ["/enter", "/logout"])
def test_a_form_of_ours_needs_no_script_but_has_to_say_where_it_comes_from(path: str) -> None:
    form = ("content-type", "application/x-www-form-urlencoded")
    given = (("host", NAMED), ("cookie", COOKIE), form)

    def sent(*headers: tuple[str, str]) -> int:
        return status(request(*given, *headers, method="POST", path=path))

    assert sent(("origin", NAMED_ORIGIN)) == 200
    assert sent() == 403
    assert sent(("origin", "null")) == 403
    assert sent(("origin", "http://localhost:4100")) == 403
    assert sent(("origin", NAMED_ORIGIN), ("sec-fetch-site", "cross-site")) == 403


def test_a_cookie_that_signed_out_is_refused_and_others_are_not() -> None:
    by = policy()
    cookies = [f"unspool-4100={by.tokens.new_cookie()}" for _ in range(2)]
    gone, other = (request(("host", NAMED), ("cookie", cookie)) for cookie in cookies)
    by.log_out(gone)

    assert (status(gone, by), status(other, by)) == (401, 200)
    assert (by.is_logged_out(gone), by.is_logged_out(other)) == (True, False)


def test_who_has_the_token_cannot_be_signed_out() -> None:
    by, bearer = policy(), ("authorization", f"Bearer {TOKEN}")
    both = request(("host", NAMED), bearer, ("cookie", COOKIE))
    by.log_out(both)

    assert status(both, by) == 200
    assert not by.is_logged_out(both)
    assert not by.is_logged_out(request(("host", NAMED)))


def test_a_code_that_is_used_or_expired_says_so_and_what_to_do() -> None:
    now = [0]
    by = policy(lambda: now[0])
    used, late = by.codes.make(), by.codes.make()
    assert by.check_sign_in(used, "here") is None
    now[0] = 600_000
    refusals = [by.check_sign_in(code, "here") for code in (used, late, "made up")]

    told = [one for one in refusals if isinstance(one, Refusal)]
    assert [(one.status, one.detail.partition(": ")) for one in told] == [
        (401, (words, ": ", "`unspool serve status` prints an address with a new one."))
        for words in (
            "This code has already been used, and each works only once",
            "This code is more than ten minutes old and has expired",
            "This code is wrong, or older than the server",
        )
    ]


def test_wrong_codes_are_counted_with_wrong_tokens_and_a_good_one_still_signs_in() -> None:
    by, wrong = policy(), request(("host", HOST), ("authorization", "Bearer wrong"))
    told = [by.check_sign_in("wrong", "127.0.0.1") for _ in range(6)]

    assert {isinstance(one, Refusal) and one.status for one in told} == {401}
    assert [status(wrong, by) for _ in range(5)] == [401] * 4 + [429]
    refusal = by.check_sign_in("wrong", "127.0.0.1")
    assert isinstance(refusal, Refusal)
    assert (refusal.status, refusal.retry_after) == (429, 60)
    assert by.check_sign_in(by.codes.make(), "127.0.0.1") is None
    assert by.check_sign_in(TOKEN, "127.0.0.1") is None


def test_a_wrong_token_is_not_made_up_for_by_a_cookie() -> None:
    given = (("host", NAMED), ("cookie", COOKIE), ("authorization", "Bearer wrong"))

    assert status(request(*given)) == 401


def test_after_ten_wrong_tokens_a_minute_more_are_too_many_but_the_right_one_comes_in() -> None:
    by, wrong = policy(), request(("host", HOST), ("authorization", "Bearer wrong"))
    right = request(("host", HOST), ("authorization", f"Bearer {TOKEN}"))

    assert [status(wrong, by) for _ in range(12)] == [401] * 10 + [429] * 2
    assert status(right, by) == 200


def test_an_old_cookie_is_refused_and_not_counted() -> None:
    by = policy()
    old = request(("host", NAMED), ("cookie", "unspool-4100=old"))

    assert [status(old, by) for _ in range(20)] == [401] * 20


def test_sixteen_kilobytes_of_headers_are_enough() -> None:
    given = (("host", HOST), ("authorization", f"Bearer {TOKEN}"))

    assert status(request(*given, ("x-long", "a" * 15_000))) == 200
    assert status(request(*given, ("x-long", "a" * 17_000))) == 431


def test_a_body_may_be_as_long_as_its_route_needs() -> None:
    longest = policy().max_body

    assert [longest(path) for path in ("/api/x", "/api/events", "/api/enter", "/enter")] == [
        1024 * 1024, 8 * 1024 * 1024, 4 * 1024, 4 * 1024
    ]  # fmt: skip


def test_a_cookie_is_found_among_others_on_this_host() -> None:
    assert cookies('a=1; unspool-4100=x; unspool-41=y; b; unspool-4100="z"', "unspool-4100") == [
        "x", "z"
    ]  # fmt: skip
