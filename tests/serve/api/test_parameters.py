import pytest

from tests.serve.served import Served, problem

ONE = "/api/sessions/-home-dev-kettle/session-one"


@pytest.mark.parametrize(
    "asked",
    ["/api/sessions?status=null", f"{ONE}?limit=null", f"{ONE}?from=NULL", "/api/cost?since=null",
     "/api/search?q=x&kind=null"],
)  # fmt: skip
def test_what_may_be_left_out_may_not_be_null(site: Served, asked: str) -> None:
    assert problem(site.ask(asked))["status"] == 400


def test_null_is_a_word_to_search_for(site: Served) -> None:
    assert site.ask("/api/search?q=null").status_code == 200
