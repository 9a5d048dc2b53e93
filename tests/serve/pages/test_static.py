from pathlib import Path

import pytest

from tests.serve.pages.generated import got
from tests.serve.served import Served
from unspool.serve.pages.static import files
from unspool.show import pages


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


def test_all_styles_are_one_file_in_their_order() -> None:
    found = files()
    sheets = [found[f"css/{name}.css"].body for name in pages.STYLES]

    assert found["app.css"].body == b"".join(sheets)


def test_every_file_of_the_pages_is_served() -> None:
    static = Path(pages.__file__).parent / "static"
    there = {path.relative_to(static).as_posix() for path in static.rglob("*") if path.is_file()}

    assert set(files()) == {*there, "app.css"}


@pytest.mark.parametrize(
    "name",
    [
        "nothing.css",
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
