from tests.serve.served import Served
from unspool.model.query import TextQuery
from unspool.serve.api.search import search_answer
from unspool.serve.pagination import encode_cursor


def test_a_phrase_in_a_result_is_looked_up_in_its_text(site: Served) -> None:
    found = search_answer(site.context, TextQuery(terms='"alpha result"'))
    turned = search_answer(site.context, TextQuery(terms='"result alpha"'))

    assert {one.kind for one in found.items} == {"tool_result"}
    assert turned.items == ()


def test_a_cursor_from_nowhere_is_no_trouble(site: Served) -> None:
    for place in (-1, 0, 2**70):
        page = search_answer(site.context, TextQuery(terms="alpha"), encode_cursor(place))
        assert page.items is not None
