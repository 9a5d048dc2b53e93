import pytest

from tests.serve.pages.generated import got
from tests.serve.served import Served, problem
from tests.show.webs import Seen


@pytest.mark.parametrize("path", ["/nowhere", "/s/-nowhere/nobody", "/projects/-nowhere"])
def test_a_browser_gets_a_page_that_says_what_is_not_there(site: Served, path: str) -> None:
    answer = got(site, path)

    assert answer.status_code == 404
    assert "Not found" in answer.text
    assert "/sessions" in Seen(answer.text).hrefs
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/nowhere", "/part/sessions?status=x"])
def test_a_program_gets_a_problem_document(site: Served, path: str) -> None:
    assert problem(site.ask(path))["status"] in (400, 404)


def test_the_api_answers_a_browser_as_everybody(site: Served) -> None:
    assert problem(got(site, "/api/nowhere"))["status"] == 404


def test_a_page_of_a_problem_tells_nothing_of_ours(
    site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(site.context.health, "findings", broken)
    answer = got(site, "/health")

    assert answer.status_code == 500
    assert "hunter2" not in answer.text
