import pytest

from tests.serve.pages.generated import got
from tests.serve.served import Served
from tests.show.webs import Seen


def test_a_theme_is_kept_in_a_cookie_and_leads_back(site: Served) -> None:
    answer = got(site, "/theme?to=dark&back=%2Fspend%3Frange%3D7")
    cookie = answer.headers["set-cookie"]

    assert (answer.status_code, answer.headers["location"]) == (303, "/spend?range=7")
    assert cookie.startswith("unspool-theme=dark;")
    assert "samesite=strict" in cookie.lower()
    assert "httponly" in cookie.lower()


@pytest.mark.parametrize(("theme", "shown"), [("dark", "dark"), ("light", "light"), ("x", None)])
def test_a_page_is_shown_in_the_theme_that_was_chosen(
    site: Served, theme: str, shown: str | None
) -> None:
    made = Seen(got(site, "/patterns", cookie=f"unspool-theme={theme}").text)

    assert made.all("html")[0].get("data-theme") == shown


def test_the_systems_own_theme_forgets_the_cookie(site: Served) -> None:
    assert "max-age=0" in got(site, "/theme?to=system").headers["set-cookie"].lower()


@pytest.mark.parametrize(
    "back",
    [
        "//evil.test",
        "https://evil.test/",
        "/\\evil.test",
        "javascript:1",
        "\\\\e",
        "x",
        "/%0d%0aX:1",
    ],
)
def test_nobody_is_led_to_another_server(site: Served, back: str) -> None:
    answer = site.ask("/theme", params={"to": "dark", "back": back.replace("%0d%0a", "\r\n")})

    assert answer.headers["location"] == "/"


def test_there_is_no_other_theme(site: Served) -> None:
    assert got(site, "/theme?to=pink").status_code == 400
