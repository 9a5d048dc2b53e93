import pytest

from tests.serve.asking import ask
from tests.serve.served import HOST, INGEST, ORIGIN, TOKEN, Served, problem

BROWSER = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}


def test_the_token_is_swapped_for_a_cookie_no_script_can_read(site: Served) -> None:
    answer = site.ask("/api/enter", "POST", headers=BROWSER, json={"token": TOKEN})
    told = answer.headers["set-cookie"].lower()

    assert answer.status_code == 204
    assert told.startswith(f"unspool-4100={site.policy.tokens.cookie}; ")
    assert all(part in told for part in ("httponly", "samesite=strict", "path=/"))
    assert "domain" not in told


def test_the_cookie_opens_what_the_token_opens(site: Served) -> None:
    cookie = {"cookie": f"unspool-4100={site.policy.tokens.cookie}"}

    assert site.ask("/api/sessions", headers=cookie).status_code == 200


def test_over_tls_the_cookie_stays_on_it(site: Served) -> None:
    site.policy.scheme = "https"
    headers = {**BROWSER, "origin": f"https://{HOST}"}
    answer = site.ask("/api/enter", "POST", headers=headers, json={"token": TOKEN})

    assert "secure" in answer.headers["set-cookie"].lower()


def test_a_wrong_token_gets_no_cookie_and_ten_are_enough(site: Served) -> None:
    answers = [
        site.ask("/api/enter", "POST", headers=BROWSER, json={"token": "wrong"}) for _ in range(11)
    ]

    assert [one.status_code for one in answers] == [401] * 10 + [429]
    assert not [one for one in answers if "set-cookie" in one.headers]
    assert problem(answers[0])["status"] == 401


def test_the_ingest_token_is_no_way_in(site: Served) -> None:
    answer = site.ask("/api/enter", "POST", headers=BROWSER, json={"token": INGEST})

    assert answer.status_code == 401


def test_what_is_no_token_is_a_bad_request(site: Served) -> None:
    json = [("host", HOST), ("content-type", "application/json")]
    bodies = (b"", b"{}", b"[]", b'{"token": 1}', b'{"token": "a", "b": 1}', b"\xff", b"{" * 4_000)

    assert [ask(site.guard, "POST", "/api/enter", json, [body]).status for body in bodies] == [
        400
    ] * len(bodies)


def test_an_invitation_lets_one_in_once(site: Served) -> None:
    code = site.ask("/api/invitations", "POST").json()["code"]
    swaps = [
        site.ask("/api/enter", "POST", headers=BROWSER, json={"token": code}) for _ in range(2)
    ]

    assert [one.status_code for one in swaps] == [204, 401]


@pytest.mark.parametrize(
    ("name", "kind"), [("enter.js", "text/javascript"), ("enter.css", "text/css")]
)
def test_the_page_before_the_cookie_has_its_files(site: Served, name: str, kind: str) -> None:
    answer = site.ask(f"/static/{name}", headers={"accept": "*/*"})

    assert answer.status_code == 200
    assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
