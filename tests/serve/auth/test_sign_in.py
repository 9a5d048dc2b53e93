"""A code or the token is exchanged for a cookie, and a cookie can be given back."""

import re
from html import unescape

import httpx
import msgspec
import pytest

from tests.serve.asking import ask
from tests.serve.served import HOST, INGEST, NAMED, TOKEN, Served, problem
from unspool.serve import places

BROWSER = {"host": NAMED, "origin": f"http://{NAMED}", "sec-fetch-site": "same-origin"}
PLAIN = {"host": HOST, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}


def entered(site: Served, secret: str, headers: dict[str, str] = BROWSER) -> httpx.Response:
    return site.ask("/api/enter", "POST", headers=headers, json={"token": secret})


def submitted(site: Served, path: str, headers: dict[str, str], **fields: str) -> httpx.Response:
    """What a browser without scripts gets for a form."""
    given = {**headers, "accept": "text/html"}
    return site.ask(path, "POST", headers=given, data=fields, follow_redirects=False)


def code(site: Served) -> str:
    made: str = site.ask("/api/invitations", "POST").json()["code"]
    return made


def cookie(answer: httpx.Response) -> dict[str, str]:
    """What a browser sends from then on."""
    return {**BROWSER, "cookie": answer.headers["set-cookie"].partition(";")[0]}


def text(answer: httpx.Response) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", answer.text)).split())


@pytest.mark.parametrize("kind", ["code", "token"])
def test_a_code_or_the_token_is_swapped_for_a_cookie_no_script_can_read(
    site: Served, kind: str
) -> None:
    answer = entered(site, TOKEN if kind == "token" else code(site))
    name, value, *parts = re.split("[=;] ?", answer.headers["set-cookie"], maxsplit=2)

    assert answer.status_code == 204
    assert name == "unspool-4100"
    assert site.policy.tokens.is_cookie(value)
    assert parts[0].lower() == "httponly; path=/; samesite=strict"  # nothing makes it last, or wide


def test_the_cookie_opens_what_the_token_opens(site: Served) -> None:
    assert site.ask("/api/sessions", headers=cookie(entered(site, TOKEN))).status_code == 200


@pytest.mark.parametrize("host", [HOST, "127.0.0.1:4100", "[::1]:4100"])
def test_on_localhost_there_is_no_cookie_but_a_code_for_the_name(site: Served, host: str) -> None:
    answer = entered(site, code(site), {"host": host, "origin": f"http://{host}"})
    told = answer.json()

    assert (answer.status_code, told["url"]) == (200, f"http://{NAMED}")
    assert "set-cookie" not in answer.headers
    assert entered(site, told["code"]).status_code == 204


def test_who_has_no_code_is_not_told_the_name(site: Served) -> None:
    """Other users of this machine can ask too; with the name they could collect the cookie."""
    given = {"host": HOST, "accept": "text/html", "sec-fetch-mode": "navigate"}
    answers = [
        site.ask("/", headers=given),
        site.ask("/", headers={**given, "sec-fetch-site": "cross-site"}),
        site.ask("/api/health", headers=given),
        entered(site, "wrong", PLAIN),
        submitted(site, "/enter", PLAIN, code="wrong"),
    ]

    assert [one.status_code for one in answers] == [401, 403, 401, 401, 401]
    assert not [one for one in answers if NAMED.partition(".")[0] in f"{one.headers}{one.text}"]


def test_only_localhost_lets_a_browser_remember_where_it_signed_in(site: Served) -> None:
    pages = [
        site.ask("/", headers={"host": host, "accept": "text/html"}).text for host in (HOST, NAMED)
    ]

    assert [len(re.findall('<main data-home="[^"]+">', page)) for page in pages] == [1, 0]
    assert "<main>" in pages[1]


def test_with_plain_localhost_the_cookie_is_given_there(site: Served) -> None:
    site.policy.names = places.server_names("localhost", 4100, name="u-1", is_plain=True)

    assert "set-cookie" in entered(site, TOKEN, PLAIN).headers


def test_over_tls_the_cookie_stays_on_it(site: Served) -> None:
    site.policy.names = places.server_names("localhost", 4100, name="u-1", is_tls=True)
    answer = entered(site, TOKEN, {"host": HOST, "origin": f"https://{HOST}"})

    assert "secure" in answer.headers["set-cookie"].lower()
    assert "secure" not in entered_plainly(site).headers["set-cookie"].lower()


def entered_plainly(site: Served) -> httpx.Response:
    site.policy.names = places.server_names("localhost", 4100, name=NAMED.partition(".")[0])
    return entered(site, TOKEN)


def test_a_browser_that_is_signed_in_keeps_its_cookie(site: Served) -> None:
    has = cookie(entered(site, TOKEN))
    again = entered(site, code(site), has)

    assert again.status_code == 204
    assert "set-cookie" not in again.headers


def test_a_wrong_code_gets_no_cookie_and_ten_are_enough(site: Served) -> None:
    answers = [entered(site, "wrong") for _ in range(11)]

    assert [one.status_code for one in answers] == [401] * 10 + [429]
    assert not [one for one in answers if "set-cookie" in one.headers]
    assert problem(answers[0])["detail"].startswith("This code is wrong")


def test_the_ingest_token_is_no_way_in(site: Served) -> None:
    assert entered(site, INGEST).status_code == 401


def test_what_is_no_token_is_a_bad_request(site: Served) -> None:
    json = [("host", HOST), ("content-type", "application/json")]
    bodies = (
        b"", b"{}", b"[]", b'{"token": 1}', b'{"token": "a", "b": 1}', b"\xff", b"{" * 4_000,
        b'{"b": ' + b"[" * 2_000 + b"]" * 2_000 + b"}",
    )  # fmt: skip

    assert [ask(site.guard, "POST", "/api/enter", json, [body]).status for body in bodies] == [
        400
    ] * len(bodies)


def test_a_code_lets_one_in_once_and_then_says_that_it_was_used(site: Served) -> None:
    made = code(site)
    swaps = [entered(site, made) for _ in range(2)]

    assert [one.status_code for one in swaps] == [204, 401]
    assert problem(swaps[1])["detail"] == (
        "This code has already been used, and each works only once: "
        "`unspool serve status` prints an address with a new one."
    )


def test_without_a_script_a_form_takes_the_code_and_leads_on(site: Served) -> None:
    page = site.ask("/spend?range=7", headers={"host": NAMED, "accept": "text/html"})
    (to,) = re.findall(r'name="to" value="([^"]*)"', page.text)
    answer = submitted(site, "/enter", BROWSER, code=f" {code(site)} ", to=unescape(to))

    assert (page.status_code, answer.status_code) == (401, 303)
    assert answer.headers["location"] == "/spend?range=7"
    assert site.ask("/spend", headers=cookie(answer)).status_code == 200


@pytest.mark.parametrize(
    "to", ["//evil.test/", "https://evil.test", "/\\evil.test", "\r\nx: y", ""]
)
def test_a_form_leads_nobody_elsewhere(site: Served, to: str) -> None:
    answer = submitted(site, "/enter", BROWSER, code=code(site), to=to)

    assert answer.headers["location"] == "/"


def test_a_form_with_a_used_code_says_so_on_the_page(site: Served) -> None:
    made = code(site)
    entered(site, made)
    answer = submitted(site, "/enter", BROWSER, code=made, to='/"><script>')

    assert (answer.status_code, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "and each works only once: unspool serve status" in text(answer)
    assert '"><script>' not in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("body", [b"", b"\xff\xfe=%", b"code=" + b"x" * 4_000, b"code&code=&to"])
def test_a_form_that_holds_anything_is_only_wrong(site: Served, body: bytes) -> None:
    kind = ("content-type", "application/x-www-form-urlencoded")
    answer = ask(site.guard, "POST", "/enter", [*BROWSER.items(), kind], [body])

    assert answer.status == 401


def test_without_a_script_localhost_says_where_to_go_with_another_code(site: Served) -> None:
    answer = submitted(site, "/enter", PLAIN, code=code(site))
    found = re.search(f"Open http://{NAMED} and enter the code ([0-9a-f]+) there", text(answer))

    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert found
    assert submitted(site, "/enter", BROWSER, code=found[1]).status_code == 303


def test_who_signs_out_has_a_cookie_that_is_worth_nothing(site: Served) -> None:
    mine, other = cookie(entered(site, TOKEN)), cookie(entered(site, TOKEN))
    answer = submitted(site, "/logout", mine)

    assert answer.status_code == 200
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert "You are signed out" in text(answer)
    assert 'action="/enter"' in answer.text
    assert site.ask("/api/sessions", headers=mine).status_code == 401
    assert site.ask("/api/sessions", headers=other).status_code == 200


def test_who_signs_out_twice_sees_the_way_in(site: Served) -> None:
    mine = cookie(entered(site, TOKEN))
    answers = [submitted(site, "/logout", mine) for _ in range(2)]

    assert [one.status_code for one in answers] == [200, 401]
    assert 'action="/enter"' in answers[1].text


def test_another_site_signs_nobody_out(site: Served) -> None:
    mine = cookie(entered(site, TOKEN))
    for origin in ("http://evil.test", "null", f"http://{HOST}"):
        assert submitted(site, "/logout", {**mine, "origin": origin}).status_code == 403

    assert site.ask("/api/sessions", headers=mine).status_code == 200


def test_an_invitation_says_where_to_use_it(site: Served) -> None:
    answer = site.ask("/api/invitations", "POST")

    assert set(answer.json()) == {"code", "url"}
    assert answer.json()["url"] == f"http://{NAMED}"
    assert msgspec.json.decode(answer.content)["code"] != TOKEN


@pytest.mark.parametrize(
    ("name", "kind"), [("enter.js", "text/javascript"), ("enter.css", "text/css")]
)
def test_the_page_before_the_cookie_has_its_files(site: Served, name: str, kind: str) -> None:
    answer = site.ask(f"/static/{name}", headers={"accept": "*/*"})

    assert answer.status_code == 200
    assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
