import re

import pytest

from tests.serve.pages.generated import got
from tests.serve.served import Served
from unspool.show.html.assets import VERSION


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("app.css", "text/css; charset=utf-8"),
        ("css/tokens.css", "text/css; charset=utf-8"),
        ("js/app.js", "text/javascript; charset=utf-8"),
        ("enter.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_a_file_has_its_kind_and_is_sent_once(site: Served, name: str, kind: str) -> None:
    answer = got(site, f"/static/{name}")

    assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
    if "etag" in answer.headers:
        known = {"if-none-match": answer.headers["etag"]}
        assert got(site, f"/static/{name}", **known).status_code == 304


def test_what_a_page_names_is_kept_by_its_browser(site: Served) -> None:
    page = got(site, "/sessions").text
    named = set(re.findall(rf"/static/{VERSION}/[\w./]+", page))
    kept = {name: got(site, name).headers["cache-control"] for name in named}

    assert {name.rpartition("/")[2] for name in kept} >= {"app.css", "app.js", "icon.svg"}
    assert set(kept.values()) == {"private, max-age=31536000, immutable"}


def test_a_name_without_the_version_is_asked_for_again(site: Served) -> None:
    assert got(site, "/static/app.css").headers["cache-control"] == "private, no-cache"


@pytest.mark.parametrize(
    "name",
    [
        "nothing.css",
        f"{VERSION}/nothing.css",
        f"{VERSION}/{VERSION}/app.css",
        "0123456789ab/app.css",
        "css",
        "",
        "../pages.py",
        "%2e%2e/pages.py",
        "css/../../links.py",
        "/etc/hosts",
    ],
)
def test_no_other_name_leads_to_a_file(site: Served, name: str) -> None:
    assert got(site, f"/static/{name}").status_code == 404


def test_a_browser_that_wants_an_icon_is_told_of_none(site: Served) -> None:
    assert got(site, "/favicon.ico").status_code == 204
