from pathlib import Path

from tests.cli.made import root
from tests.serve.served import Served, served
from unspool.demo import Transcript


def test_the_first_page_lists_the_sessions(site: Served) -> None:
    page = site.ask("/")

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.text.index("alpha prompt of session-two") < page.text.index("of session-one")
    assert 'href="/api/sessions/-home-dev-kettle/session-one?limit=50"' in page.text


def test_what_was_said_in_a_session_is_text(tmp_path: Path) -> None:
    hostile = Transcript(session="session-one").user("<script>alert(1)</script>\"'&")
    with served(root(tmp_path, hostile)) as site:
        page = site.ask("/").text

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_browser_that_wants_an_icon_gets_none(site: Served) -> None:
    assert site.ask("/favicon.ico").status_code == 204
